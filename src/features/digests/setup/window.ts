import { choiceField, section, textField } from "../../../slack/blocks.ts";
import { limits } from "../../../slack/limits.ts";
import type { Block, Message } from "../../../slack/message.ts";
import { bold, escape, shorten } from "../../../slack/mrkdwn.ts";
import { plural, sentence } from "../../words.ts";
import { type Kind, type Wanted, wantedLine } from "./line.ts";
import { type Manner, usualRuns } from "./manner.ts";
import { namesLine } from "../ranked/names.ts";
import { placeField } from "../../subscriptions/view.ts";

/** In the order in which they are offered; `name` is what is missing where they cannot be read. */
const kindChoices: { value: Kind; label: string; name: string }[] = [
  { value: "search", label: "A search (1 credit each time)", name: "searches" },
  { value: "channel", label: "A saved channel, by name or number", name: "saved channels" },
  { value: "collection", label: "A collection (1 credit each time)", name: "collections" },
  { value: "jurisdiction", label: "A jurisdiction, by name", name: "jurisdictions" },
  { value: "trending", label: "What is trending: a type, or all", name: "what is trending" },
];

const usual = "weekdays at 9:00";
const whenChoices = ["every 15 minutes", "hourly", "daily at 9:00", usual, "Mondays at 9:00"];

interface DigestWindow {
  /** The number of the digest that is changed; missing where a new one is made. */
  number?: number;
  /** What is followed, where that is known already. */
  wanted?: Wanted;
  /** Kinds of sources to choose from, where what is followed may still be changed. */
  readable?: Kind[];
  /** What people call it. */
  name?: string;
  /** Where it was asked for, where that is a channel of Slack. */
  channel?: string | undefined;
  /** When it comes, as it would be typed. */
  when?: string | undefined;
  manner?: Manner | undefined;
}

/** Asks what is to be posted, where, when and how it should look. */
export function digestWindow({ number, wanted, readable, name, channel, when, manner = {} }: DigestWindow): Message {
  const title = number === undefined ? "New digest" : `Change digest ${number}`;
  const known = readable ? undefined : wanted;
  const what = known && (name ?? plainName(known));
  const lead = what ? `I post what is new in ${bold(shorten(what, 100))}.` : "I post what is new, when you say.";
  const state = number === undefined ? (known ? wantedLine(known) : "") : `edit ${number}`;
  return {
    text: [`${title}.`, ...(what ? [escape(shorten(what, 100))] : [])].join(" "),
    blocks: [
      section(lead),
      ...(readable ? whatFields(readable, wanted) : []),
      placeField(channel),
      ...whenFields(when),
      ...lookFields(manner),
    ],
    window: { title, form: { name: "digest", submit: "Next", state } },
  };
}

function plainName({ kind, what }: Wanted): string {
  if (kind === "trending") return /^all$/i.test(what) ? "what is trending" : `what is trending: ${what}`;
  return kind === "channel" && /^\d+$/.test(what) ? `saved channel ${what}` : what;
}

function whatFields(readable: Kind[], wanted: Wanted | undefined): Block[] {
  const choices = kindChoices.filter(({ value }) => readable.includes(value));
  const missing = kindChoices.filter(({ value }) => !readable.includes(value)).map(({ name }) => name);
  const chosen = choices.find(({ value }) => value === wanted?.kind) ?? choices[0];
  const names = new Intl.ListFormat("en").format(missing);
  return [
    choiceField({
      name: "kind",
      label: "What",
      choices,
      chosen: chosen?.value,
      ...(names && { hint: `Not set up here: ${names}. /bellwether status says what is missing.` }),
    }),
    textField({
      name: "what",
      label: "Query, name or number",
      placeholder: "bank of england",
      most: 500,
      ...(wanted && { value: [wanted.what, ...namesLine(wanted.names ?? {})].join(" ") }),
    }),
  ];
}

function whenFields(when: string | undefined): Block[] {
  const isListed = when === undefined || whenChoices.includes(when) || when.length > limits.option;
  const offered = [...whenChoices, ...(isListed ? [] : [when])];
  return [
    choiceField({
      name: "when",
      label: "When",
      choices: offered.map((words) => ({ label: sentence(words), value: words })),
      chosen: when ?? usual,
    }),
    textField({
      name: "words",
      label: "Or say when in your own words",
      placeholder: "Mondays 08:30 Europe/London",
      hint: "It counts instead of the choice above. Without a time zone, yours is meant.",
      isOptional: true,
      most: 100,
      ...(when !== undefined && when.length > limits.option && { value: when }),
    }),
  ];
}

function lookFields({ isCompact, isThreaded, hasLead, empty = "skip" }: Manner): Block[] {
  const runs = typeof empty === "number" ? empty : usualRuns;
  return [
    choiceField({
      name: "style",
      label: "Stories",
      choices: [
        { label: "Headline and summary", value: "full" },
        { label: "One line each", value: "compact" },
      ],
      chosen: isCompact ? "compact" : "full",
    }),
    choiceField({
      name: "spread",
      label: "In the channel",
      choices: [
        { label: "The whole digest", value: "no-thread" },
        { label: "One message, the stories in its thread", value: "thread" },
      ],
      chosen: isThreaded ? "thread" : "no-thread",
    }),
    choiceField({
      name: "lead",
      label: "Lead paragraph by a language model",
      choices: [
        { label: "None", value: "no-lead" },
        { label: "From exactly the articles of the digest", value: "lead" },
      ],
      chosen: hasLead ? "lead" : "no-lead",
    }),
    choiceField({
      name: "empty",
      label: "Where nothing is new",
      choices: [
        { label: "Say nothing", value: "skip" },
        { label: "Say so in a line", value: "line" },
        { label: `Warn once after ${plural(runs, "quiet run")}`, value: `warn ${runs}` },
      ],
      chosen: typeof empty === "number" ? `warn ${empty}` : empty,
    }),
  ];
}
