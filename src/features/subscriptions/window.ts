import { choiceField, textField } from "../../slack/text/blocks.ts";
import { limits } from "../../slack/text/limits.ts";
import type { Block } from "../../slack/text/message.ts";
import { sentence } from "../text.ts";
import { type Schedule, typedSchedule } from "./schedule.ts";

interface ScheduleFields {
  label: string;
  /** Schedules to choose from, as they are typed; the usual one is preselected. */
  choices: string[];
  /** The label of each; by default the words themselves. */
  labelOf?: (words: string) => string;
  usual: string;
  placeholder: string;
  /** The present one. */
  schedule?: Schedule | undefined;
  /** The time zone that is meant by default; if missing, that of the person who fills it in. */
  zone?: string | undefined;
}

/** The fields in which somebody says when: a choice, and words of their own, which override it. */
export function scheduleFields(about: ScheduleFields): Block[] {
  const { label, choices, labelOf = String, usual, placeholder, schedule, zone } = about;
  const present = schedule && (choices.includes(schedule.words) ? schedule.words : typedSchedule(schedule));
  const isOffered = present === undefined || choices.includes(present);
  const fits = present !== undefined && present.length <= limits.option;
  const offered = [...choices, ...(!isOffered && fits ? [present] : [])];
  return [
    choiceField({
      name: "when",
      label,
      choices: offered.map((words) => ({ label: sentence(labelOf(words)), value: words })),
      chosen: isOffered || fits ? (present ?? usual) : usual,
    }),
    textField({
      name: "words",
      label: "Or in your own words",
      placeholder,
      hint: `Overrides the choice above. ${zone ?? "Your time zone"} unless you name one.`,
      isOptional: true,
      most: 100,
      ...(!isOffered && !fits && { value: present }),
    }),
  ];
}
