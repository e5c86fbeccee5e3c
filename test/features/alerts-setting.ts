import type { Trend } from "../../src/apis/trend.ts";
import { type Alert, type Sample, entityKey } from "../../src/features/alerts/alert.ts";
import { type Decision, evaluate } from "../../src/features/alerts/rule/evaluate.ts";
import { delivered } from "../../src/features/alerts/post/compose.ts";
import { prepare } from "../../src/features/alerts/rule/prepare.ts";
import { ruleOf } from "../../src/features/alerts/rule/rule.ts";
import { now as start } from "../support/builders.ts";

export const minute = 60_000;
export const hour = 60 * minute;

/** An alert for everything, which has watched for a while and knows of nothing. */
export function alert(about: Partial<Alert> = {}): Alert {
  return {
    team: "T1",
    number: 1,
    schedule: { pattern: "* * * * *", zone: "UTC", words: "every minute" },
    channel: "C1",
    maker: "U1",
    state: "active",
    nextRun: start,
    changed: [],
    filter: { include: [], exclude: [] },
    rule: ruleOf("balanced"),
    baseline: { at: start - hour, entities: [] },
    episodes: [],
    mutes: [],
    held: [],
    pending: [],
    ...about,
  };
}

/** An entity that passes the floors of a balanced alert, of which a test says only what matters. */
export function trend(name: string, about: Partial<Trend> = {}): Trend {
  return { name, type: "Company", mentions: 12, average: 4, score: 4, ...about };
}

/** What is trending at a moment. */
export function sample(at: number, trends: Trend[]): Sample {
  return { at, entities: trends.map((each) => ({ ...each, entity: entityKey(each) })) };
}

/** A course of samples a minute apart, each message posted as soon as it is decided on. */
export function course(first: Alert, samples: (Trend[] | "unavailable")[], from = start) {
  let current = first;
  const decisions: Decision[][] = [];
  for (const [index, trends] of samples.entries()) {
    const at = from + index * minute;
    const reading = trends === "unavailable" ? trends : prepare(sample(at, trends));
    const outcome = evaluate(current, reading, at);
    decisions.push(outcome.decisions);
    current = posted(outcome.alert, at);
  }
  return { alert: current, decisions };
}

/** As if Slack had taken everything that is pending. */
export function posted(current: Alert, now: number): Alert {
  let after = current;
  for (const each of current.pending) {
    after = delivered(after, each, { posted: { channel: "C1", ts: each.key }, from: current, now });
  }
  return after;
}

/** What was told, in short: `rise a`, `several a b +1`. */
export function inShort(decisions: Decision[]): string[] {
  return decisions.map(({ kind, entities, more, line, isLoud }) => {
    const what = kind === "line" ? `${isLoud ? "loud " : ""}${line?.what ?? ""}` : kind;
    const names = entities.map((entity) => entity.split("|")[1]);
    return [what, ...names, ...(more > 0 ? [`+${more}`] : [])].join(" ");
  });
}
