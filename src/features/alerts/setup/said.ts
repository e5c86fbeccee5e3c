import { typeNamed } from "../../sources/trending.ts";
import type { Alert, Filter, Rule } from "../alert.ts";
import type { Said } from "./line.ts";
import { ruleOf } from "../rule/rule.ts";

const nothing: Filter = { include: [], exclude: [] };

/** What is watched after what somebody said; of what they did not speak, it stays as it was. */
export function filterOf({ type, include, exclude }: Said, types: string[], before: Filter = nothing): Filter {
  const named = type === undefined ? before.type : typeNamed(type, types);
  return {
    ...(named !== undefined && { type: named }),
    include: include ?? before.include,
    exclude: exclude ?? before.exclude,
  };
}

/** The rule after what somebody said: a word is all of its numbers, and numbers of one's own change what was there. */
export function ruleFrom({ word, numbers }: Said, before: Rule = ruleOf("balanced")): Rule {
  const base = word ? ruleOf(word) : before;
  return Object.keys(numbers).length > 0 ? { ...base, ...numbers, word: "custom" } : base;
}

/** With what somebody said of it; each part that they did not speak of stays as it was. */
export function changedBy(alert: Alert, said: Said, types: string[]): Alert {
  const { quietHours: hours, schedule = alert.schedule } = said;
  const quietHours = hours === undefined ? alert.quietHours : hours === "off" ? undefined : hours;
  return {
    ...alert,
    filter: filterOf(said, types, alert.filter),
    rule: ruleFrom(said, alert.rule),
    schedule,
    quietHours,
  };
}
