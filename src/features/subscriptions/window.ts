import { formAction } from "../../slack/incoming/request.ts";
import { type MenuChoice, choiceField, liveField, textField } from "../../slack/text/blocks.ts";
import { limits } from "../../slack/text/limits.ts";
import type { Block } from "../../slack/text/message.ts";
import { accessibleText } from "../../slack/text/mrkdwn.ts";
import { sentence } from "../text.ts";
import { type Schedule, scheduleProblem, typedSchedule } from "./schedule.ts";

interface ScheduleFields {
  label: string;
  /** Schedules to choose from, as they are typed; the usual one is preselected. */
  choices: MenuChoice[];
  usual: string;
  placeholder: string;
  /** The present one. */
  schedule?: Schedule | undefined;
  /** The time zone that is meant by default; if missing, that of the person who fills it in. */
  zone?: string | undefined;
  /** The current choice, if there is one. */
  chosen?: string | undefined;
}

/** The choice with which a field for words appears. */
const other = "other";

/** The field in which somebody chooses when, and another for words of their own if no choice will do. */
export function scheduleFields(about: ScheduleFields): Block[] {
  const { label, choices, usual, placeholder, schedule, zone } = about;
  const isListed = (value: string) => choices.some((choice) => choice.value === value);
  const present = schedule && (isListed(schedule.words) ? schedule.words : typedSchedule(schedule));
  const isOwn = present !== undefined && !isListed(present);
  const fits = isOwn && present.length <= limits.option;
  const chosen = about.chosen ?? (isOwn && !fits ? other : (present ?? usual));
  const offered = [
    ...choices,
    ...(fits ? [{ label: sentence(present), value: present }] : []),
    { label: "Another time…", value: other },
  ];
  const words = textField({
    name: "words",
    label: "At what time",
    placeholder,
    hint: `${zone ?? "Your time zone"} unless you name one.`,
    most: 100,
    ...(isOwn && !fits && { value: present }),
  });
  return [
    liveField(choiceField({ name: "when", label, choices: offered, chosen }), formAction),
    ...(chosen === other ? [words] : []),
  ];
}

/** The schedule that somebody chose in these fields, as it is typed; or what is wrong with it. */
export function readScheduleFields({ when = "", words = "" }: Record<string, string>) {
  const typed = when === other ? words.trim() : when;
  const problem = scheduleProblem(typed);
  const name = when === other ? "words" : "when";
  return problem === undefined ? { when: typed } : { errors: { [name]: accessibleText(problem) } };
}
