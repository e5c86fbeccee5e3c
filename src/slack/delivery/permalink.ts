import { z } from "zod";

import type { Posted } from "../text/message.ts";
import type { Call } from "./web-api.ts";

/** The address of a message, which opens it in Slack; nothing if Slack does not say. */
export type Permalink = (team: string, posted: Posted) => Promise<string | undefined>;

const permalinkSchema = z.object({ permalink: z.string() });

/** Asks Slack for the addresses of messages. */
export function createPermalink(callOf: (team: string) => Promise<Call>): Permalink {
  return async (team, { channel, ts }) => {
    try {
      const call = await callOf(team);
      return permalinkSchema.parse(await call("chat.getPermalink", { channel, message_ts: ts })).permalink;
    } catch {
      return undefined;
    }
  };
}
