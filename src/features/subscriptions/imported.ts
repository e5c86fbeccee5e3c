import { z } from "zod";

import { isPattern, zoneNamed } from "../../schedule/runs.ts";
import { plainWords } from "../../slack/mrkdwn.ts";
import { type Subscription, bot } from "./subscription.ts";

/** The ID of a person in Slack, as it stands in a file. */
export const personId = /^[UW][A-Z0-9]+$/;
const channelId = /^[CDGUW][A-Z0-9]+$/;
const teamId = /^[ET][A-Z0-9]+$/;

/** What of a subscription says who, where and when: an ID that is none could be anything when it is shown. */
const namesShape = z.object({
  team: z.string().regex(teamId, "is no ID of a workspace"),
  channel: z.string().regex(channelId, "is no ID of a channel or a person"),
  maker: z.string().regex(personId, "is no ID of a person"),
  schedule: z.object({
    pattern: z.string().refine(isPattern, "is no cron expression"),
    zone: z.string().refine((zone) => zoneNamed(zone) !== undefined, "is no time zone"),
  }),
  changed: z.array(
    z.object({ by: z.string().refine((by) => by === bot || personId.test(by), "is no ID of a person") }),
  ),
});

/**
 * A subscription as it is taken from a file, which anybody may have written: it is trusted no more than what somebody
 * types. What the bot has written as mrkdwn is read as words.
 */
export function imported<S extends Subscription>(schema: z.ZodType<S>): z.ZodType<S> {
  return heldTo(schema, namesShape).transform((subscription) => inWords(subscription, "problem"));
}

/** The same as a schema takes it, where it also is what another one asks of it. */
export function heldTo<T>(schema: z.ZodType<T>, bounds: z.ZodType): z.ZodType<T> {
  return schema.check(({ value, issues }) => {
    for (const { path, message } of bounds.safeParse(value).error?.issues ?? []) {
      issues.push({ code: "custom", path, message, input: value });
    }
  });
}

/** The same with these texts, which are mrkdwn, as plain words. */
export function inWords<T extends object>(value: T, ...fields: (keyof T & string)[]): T {
  const words = fields.flatMap((field) => {
    const text = value[field];
    return typeof text === "string" ? [[field, plainWords(text)] as const] : [];
  });
  return { ...value, ...Object.fromEntries(words) };
}
