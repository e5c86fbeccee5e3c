import { button, context, row, section, textField } from "../../slack/blocks.ts";
import { limits } from "../../slack/limits.ts";
import type { Block, Message } from "../../slack/message.ts";
import { escape, shorten, spoken } from "../../slack/mrkdwn.ts";
import { turnAction } from "../../slack/request.ts";
import { pageOf } from "../pages.ts";
import { plural, sentence } from "../words.ts";

interface ExportView {
  noun: string;
  parts: string[];
  page: number;
  count: number;
  /** Numbers of those that are too long to be shown. */
  left: number[];
  /** Where they come to, in words. */
  whose: string;
}

/** Subscriptions as JSON, a part at a time. */
export function exportView({ noun, parts, page, count, left, whose }: ExportView): Message {
  const { shown, at, last } = pageOf(parts, page, 1);
  const [json = "[]"] = shown;
  const lead = `${plural(count, noun)}, ${whose}. Paste it into \`/${noun}s import\`, here or in another channel.`;
  const notes = [
    ...(last > 1 ? [`Part ${at} of ${last}; each can be taken in on its own.`] : []),
    ...(left.length > 0 ? [`Too long to be shown: ${noun} ${left.join(", ")}.`] : []),
    "An operator moves everything at once with `npm start -- export`.",
  ];
  const turn = (label: string, to: number) =>
    button({
      action: `${turnAction}:${label.toLowerCase()}`,
      label,
      value: `${noun}s export ${to}`,
      spoken: `${label} part, ${to} of ${last}`,
    });
  const turns = [...(at > 1 ? [turn("Previous", at - 1)] : []), ...(at < last ? [turn("Next", at + 1)] : [])];
  return {
    text: [spoken(lead), json, ...notes.map(spoken)].join("\n"),
    blocks: [
      section(lead),
      section(`\`\`\`\n${json}\n\`\`\``),
      context(...notes),
      ...(turns.length > 0 ? [row(...turns)] : []),
    ],
    private: true,
    window: { title: `Export of ${noun}s` },
  };
}

/** Asks for what was written down. */
export function importWindow(noun: string): Message {
  const lead = `Paste what \`/${noun}s export\` has shown. What comes to a channel needs the right to add it there; you will be the one who asked for it.`;
  return {
    text: spoken(lead),
    blocks: [
      section(lead),
      textField({
        name: "json",
        label: "JSON",
        placeholder: '[{"channel":"me","schedule":"weekdays at 9:00",…}]',
        isLong: true,
      }),
    ],
    window: { title: `Import of ${noun}s`, form: { name: `${noun}-import`, submit: "Import" } },
  };
}

/** What became of one entry; `twice` is the same as one above it, by its position. */
export type Outcome =
  | { what: "added"; number: number; title: string }
  | { what: "there"; number: number; title: string }
  | { what: "twice"; number: number; title: string; first: number }
  | { what: "wrong"; why: string };

/** Entries that are named one by one, of those that are wrong and of the others. */
const namedMost = 20;

/** What became of each entry by its position, first of all what is wrong. */
export function importedView(noun: string, outcomes: Outcome[]): Message {
  const sums = sumsOf(outcomes).join(", ");
  const lead = `${sums}.`;
  const numbered = outcomes.map((outcome, index) => ({ outcome, line: lineOf(noun, outcome, index + 1) }));
  const { wrong = [], fine = [] } = Object.groupBy(numbered, ({ outcome }) =>
    outcome.what === "wrong" ? "wrong" : "fine",
  );
  const parts = [wrong, fine].map((all) => shownOf(all.map(({ line }) => line))).filter((lines) => lines.length > 0);
  const hint = "Put right what was not added and paste it again, alone or with the rest: nothing is added twice.";
  const list = button({ action: `${turnAction}:list`, label: sentence(`${noun}s`), value: `${noun}s list` });
  return {
    text: [lead, ...parts.flat().map(spoken), ...(wrong.length > 0 ? [hint] : [])].join("\n"),
    blocks: [section(`*${lead}*`), ...parts.flatMap(sections), ...(wrong.length > 0 ? [context(hint)] : []), row(list)],
  };
}

function sumsOf(outcomes: Outcome[]): string[] {
  const count = (...whats: Outcome["what"][]) => outcomes.filter(({ what }) => whats.includes(what)).length;
  const sums = [`${count("added")} added`, `${count("there", "twice")} there already`, `${count("wrong")} not added`];
  return sums.filter((sum) => !sum.startsWith("0 "));
}

function shownOf(lines: string[]): string[] {
  const shown = lines.slice(0, namedMost);
  return lines.length > shown.length ? [...shown, `and ${lines.length - shown.length} more`] : shown;
}

/** As many paragraphs as they need. */
function sections(lines: string[]): Block[] {
  const paragraphs: string[] = [];
  for (const line of lines) {
    const last = paragraphs.at(-1);
    if (last !== undefined && last.length + line.length < limits.section) {
      paragraphs[paragraphs.length - 1] = `${last}\n${line}`;
    } else paragraphs.push(line);
  }
  return paragraphs.map(section);
}

function lineOf(noun: string, outcome: Outcome, position: number): string {
  const entry = `*Entry ${position}*`;
  if (outcome.what === "wrong") return `${entry} · ${outcome.why}`;
  const which = `${noun} ${outcome.number}, ${escape(shorten(outcome.title, 60))}`;
  if (outcome.what === "twice") return `${entry} · The same as entry ${outcome.first}: ${which}`;
  return `${entry} · ${outcome.what === "added" ? "Added" : "There already"} as ${which}`;
}
