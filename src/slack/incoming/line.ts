import { type App, type Logger, SocketModeReceiver } from "@slack/bolt";
import { z } from "zod";

import { SlackRefused } from "../refusal.ts";
import { clientOptions } from "../web.ts";

interface LineOptions {
  appToken: string;
  apiUrl: string;
  logger: Logger;
}

/** A connection that Slack has greeted. */
export interface Line {
  receiver: SocketModeReceiver;
  /** Resolves with the reason as soon as Slack announces the end, or the connection is gone. */
  ended: Promise<string>;
}

/** Opens a Socket Mode connection for the app; rejects where Slack does not greet it. */
export async function openLine({ appToken, apiUrl, logger }: LineOptions, app: App | undefined): Promise<Line> {
  const receiver = new SocketModeReceiver({
    appToken,
    logger,
    // We replace connections ourselves: the client's own way back takes long, and its failures reach nobody.
    autoReconnectEnabled: false,
    installerOptions: { clientOptions: clientOptions(apiUrl) },
  });
  if (app) receiver.init(app);
  readAlsoWithoutEvent(receiver.client);
  const ended = Promise.withResolvers<string>();
  let reason = "closed";
  receiver.client.on("ws_message", (data: unknown) => {
    const farewell = farewellIn(data);
    if (farewell) ended.resolve(farewell);
  });
  receiver.client.on("error", (error: unknown) => {
    if (error instanceof Error) reason = error.message;
  });
  receiver.client.on("disconnected", () => ended.resolve(reason));
  try {
    await receiver.start();
  } catch (error) {
    if (error !== undefined) throw error;
    // The client rejects with nothing where the connection ends before Slack has greeted it.
    throw new SlackRefused("a Socket Mode connection", `${await ended.promise} before hello`, { reaction: "look" });
  }
  return { receiver, ended: ended.promise };
}

/**
 * Version 3.1.0 of the client fails at an `events_api` that holds no event, which `app_rate_limited` is, and it is never
 * acknowledged; 3.1.1 does not. Until that can be had, the client is given an empty event with it.
 */
function readAlsoWithoutEvent(client: SocketModeReceiver["client"]): void {
  const listeners = client.listeners("ws_message");
  client.removeAllListeners("ws_message");
  for (const listen of listeners) {
    client.on("ws_message", (data: unknown, isBinary: boolean) => listen(withEvent(data), isBinary));
  }
}

const withoutEvent = z.looseObject({
  type: z.literal("events_api"),
  payload: z.looseObject({ type: z.literal("app_rate_limited") }),
});

function withEvent(data: unknown): unknown {
  const envelope = withoutEvent.safeParse(jsonIn(data, "app_rate_limited")).data;
  return envelope ? JSON.stringify({ ...envelope, payload: { ...envelope.payload, event: {} } }) : data;
}

const disconnect = z.object({ type: z.literal("disconnect"), reason: z.string().catch("no reason") });

/** Why Slack says on a connection that it will end it, where that is what it says. */
function farewellIn(data: unknown): string | undefined {
  return disconnect.safeParse(jsonIn(data, "disconnect")).data?.reason;
}

/** What a short message says that holds this word in quotation marks: most others are long, and none of ours. */
function jsonIn(data: unknown, word: string): unknown {
  if (typeof data !== "string" || data.length > 1_000 || !data.includes(`"${word}"`)) return undefined;
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}
