import { button, context, row, section, textField } from "../../slack/blocks.ts";
import type { Message } from "../../slack/message.ts";
import { spoken } from "../../slack/mrkdwn.ts";
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
  isAdmin: boolean;
}

/** Subscriptions as JSON, a part at a time. */
export function exportView({ noun, parts, page, count, left, isAdmin }: ExportView): Message {
  const { shown, at, last } = pageOf(parts, page, 1);
  const [json = "[]"] = shown;
  const whose = isAdmin ? "of all channels and yours" : "of this channel and yours";
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

/** What became of one entry. */
export type Outcome = { what: "added" | "there"; number: number } | { what: "wrong"; why: string };

/** Entries that are named one by one. */
const namedMost = 30;

/** What became of each entry, in their order; where there are many, first of all what is wrong. */
export function importedView(noun: string, outcomes: Outcome[]): Message {
  const count = (what: Outcome["what"]) => outcomes.filter((outcome) => outcome.what === what).length;
  const sums = [`${count("added")} added`, `${count("there")} there already`, `${count("wrong")} wrong`];
  const lead = `${sums.filter((sum) => !sum.startsWith("0 ")).join(", ")}.`;
  const numbered = outcomes.map((outcome, index) => ({ outcome, line: lineOf(noun, outcome, index + 1) }));
  const ordered =
    numbered.length > namedMost
      ? numbered.toSorted((one, other) => Number(other.outcome.what === "wrong") - Number(one.outcome.what === "wrong"))
      : numbered;
  const lines = ordered.slice(0, namedMost).map(({ line }) => line);
  const more = numbered.length > lines.length ? [`and ${numbered.length - lines.length} more`] : [];
  const words = [...lines, ...more].join("\n");
  const list = button({ action: `${turnAction}:list`, label: sentence(`${noun}s`), value: `${noun}s list` });
  return { text: `${lead}\n${spoken(words)}`, blocks: [section(`*${lead}*`), section(words), row(list)] };
}

function lineOf(noun: string, outcome: Outcome, position: number): string {
  if (outcome.what === "wrong") return `${position}. Not added. ${outcome.why}`;
  if (outcome.what === "there") return `${position}. There already as ${noun} ${outcome.number}.`;
  return `${position}. Added as ${noun} ${outcome.number}.`;
}
