import { choiceField, section, textField } from "../../../slack/text/blocks.ts";
import { limits } from "../../../slack/text/limits.ts";
import type { Block, Message } from "../../../slack/text/message.ts";
import { escape, shorten } from "../../../slack/text/mrkdwn.ts";
import { typedWords } from "../../subscriptions/schedule.ts";
import { sentence, singular } from "../../text.ts";
import type { Alert } from "../alert.ts";
import { type Word, all, quoted, words } from "./line.ts";
import { numbersLine } from "./numbers.ts";
import { placeField } from "../../subscriptions/view.ts";

/** How often an alert looks where nobody says so. */
export const usualWhen = "every 15 minutes";
const whenChoices = ["every minute", "every 5 minutes", usualWhen, "every 30 minutes", "hourly"];
/** A choice that leaves things as they are. */
export const kept = "keep";

interface AlertWindow {
  /** The one that is changed, or one to be made, which has the number 0; missing where nothing is said of it yet. */
  alert?: Alert;
  /** Types of entities that trend; none where that could not be found out in time. */
  types: string[];
  /** The type that somebody asked for. */
  type?: string | undefined;
  /** How many messages each word would have brought lately, in words; none where nothing is known. */
  forecasts: Partial<Record<Word, string>>;
  /** Where it was asked for, where that is a channel of Slack. */
  channel?: string | undefined;
}

/** Asks what is watched, how readily it is told, when and where. */
export function alertWindow({ alert, types, type, forecasts, channel }: AlertWindow): Message {
  const isNew = alert === undefined || alert.number === 0;
  const title = isNew ? "New alert" : `Change alert ${alert.number}`;
  const lead = isNew
    ? "I tell you when something is written about more than usual: one message for each rise, rewritten as it goes on."
    : "What rises after the change is told of; what rises already is not.";
  return {
    text: `${title}. ${lead}`,
    blocks: [
      section(lead),
      typeField(types, alert ? (alert.filter.type ?? all) : (type ?? all)),
      wordField(forecasts, alert),
      placeField(channel),
      whenField(alert),
      whenWordsField(alert),
      ...namesFields(alert),
      quietField(alert),
      numbersField(alert),
    ],
    window: {
      title,
      form: { name: "alert", submit: "Next", state: isNew ? "" : String(alert.number) },
    },
  };
}

function typeField(types: string[], chosen: string): Block {
  const isListed = chosen === all || types.some((type) => singular(type) === singular(chosen));
  const offered = [...types, ...(isListed ? [] : [chosen])].filter((type) => type.length <= limits.option);
  const own = offered.find((type) => singular(type) === singular(chosen)) ?? all;
  if (offered.length === 0) {
    return textField({
      name: "type",
      label: "What",
      placeholder: "company",
      value: chosen,
      hint: "A type, or all.",
      most: 60,
    });
  }
  const choices = offered.map((type) => ({ label: shorten(type, 60), value: type }));
  return choiceField({
    name: "type",
    label: "What",
    choices: [{ label: "Everything", value: all }, ...choices],
    chosen: own,
  });
}

const meanings: Record<Word, string> = {
  quiet: "only what is very unusual",
  balanced: "what stands out",
  eager: "also what stands out a little",
};

function wordField(forecasts: AlertWindow["forecasts"], alert: Alert | undefined): Block {
  const choices = words.map((word) => {
    const forecast = forecasts[word];
    return { label: shorten(`${sentence(word)}: ${forecast ?? meanings[word]}`, limits.option), value: word };
  });
  const isCustom = alert?.rule.word === "custom";
  const own = isCustom ? [{ label: "Custom: the numbers below", value: kept }] : [];
  return choiceField({
    name: "word",
    label: "How readily",
    choices: [...choices, ...own],
    chosen: isCustom ? kept : (alert?.rule.word ?? "balanced"),
  });
}

function whenField(alert: Alert | undefined): Block {
  const present = alert?.schedule.words;
  const isUsual = present !== undefined && whenChoices.includes(present);
  const own =
    alert && !isUsual && alert.number > 0 ? [{ label: shorten(`As now: ${present}`, limits.option), value: kept }] : [];
  return choiceField({
    name: "when",
    label: "How often I look",
    choices: [...whenChoices.map((each) => ({ label: sentence(each), value: each })), ...own],
    chosen: isUsual ? present : own.length > 0 ? kept : usualWhen,
  });
}

function whenWordsField(alert: Alert | undefined): Block {
  const { words: when = usualWhen, zone = "" } = alert?.schedule ?? {};
  // One that is not saved yet has no time that it could keep.
  const isTyped = alert?.number === 0 && !whenChoices.includes(when);
  return textField({
    name: "words",
    label: "Or say when in your own words",
    placeholder: "weekdays at 9:00 Europe/London",
    hint: `It counts instead of the choice above. Without a time zone, ${alert ? escape(alert.schedule.zone) : "yours"} is meant.`,
    isOptional: true,
    most: 100,
    ...(isTyped && { value: `${typedWords(when)} ${zone}` }),
  });
}

function namesFields(alert: Alert | undefined): Block[] {
  const { include = [], exclude = [] } = alert?.filter ?? {};
  const field = { placeholder: "Rheinmetall, BASF", isOptional: true, most: 1_000 };
  return [
    textField({ ...field, name: "include", label: "Only these names", value: listOf(include) }),
    textField({ ...field, name: "exclude", label: "Never these names", value: listOf(exclude) }),
  ];
}

/** Names as they are typed into a field: with quotation marks where one of them has a comma. */
function listOf(names: string[]): string {
  return names.some((name) => /[",]/.test(name)) ? quoted(names) : names.join(", ");
}

function quietField(alert: Alert | undefined): Block {
  const hours = alert?.quietHours;
  return textField({
    name: "quiet",
    label: "Quiet hours",
    placeholder: "22:00-07:00",
    hint: "I go on looking then, and tell you of it afterwards in one message.",
    value: hours ? `${hours.from}-${hours.to}` : "",
    isOptional: true,
    most: 20,
  });
}

function numbersField(alert: Alert | undefined): Block {
  return textField({
    name: "numbers",
    label: "Numbers of your own",
    placeholder: "score=3 mentions=20 ratio=2 ticks=2",
    hint: "For experts: they count instead of the word under “How readily”.",
    value: alert?.rule.word === "custom" ? numbersLine(alert.rule) : "",
    isOptional: true,
    most: 200,
  });
}
