import type { IncomingMessage, ServerResponse } from "node:http";
import { textArg } from "./args.ts";
import type { Desk } from "./desk.ts";
import { type Fields, isFields, parseJson } from "./fields.ts";
import { postAsApp } from "./methods/chat.ts";
import { readContent } from "./methods/content.ts";
import type { WorkspaceMessage } from "./protocol.ts";
import { Refusal } from "./refusal.ts";
import { readBody, sendJson } from "./wire.ts";

/** Where an answer over a response_url goes. */
export interface ResponsePlace {
  channel: string;
  user: string;
  /** The message whose element was used; none for a slash command. */
  message?: string;
}

/** The response_urls of one workspace. */
export interface Responses {
  /** A new address for five answers within 30 minutes. */
  issue: (place: ResponsePlace) => string;
  handle: (request: IncomingMessage, response: ServerResponse, token: string) => Promise<void>;
}

const LIFE_MS = 30 * 60_000;
const MOST_USES = 5;
const KEPT = 2000;

/** Says a message where a command was typed or an element used: to one person, unless it is for the channel. */
export function answer(desk: Desk, place: ResponsePlace, body: Fields): WorkspaceMessage {
  const content = readContent(desk, body, Number.POSITIVE_INFINITY);
  const original = place.message === undefined ? undefined : desk.world.find(place.channel, place.message);
  const thread_ts = textArg(body, "thread_ts");
  const thread = thread_ts === undefined ? {} : { thread_ts };
  const onlyFor = body["response_type"] === "in_channel" ? {} : { onlyFor: place.user };
  if (original && body["replace_original"] === true) return replace(desk, original, content);
  return postAsApp(desk, { channel: place.channel, ...content, ...thread, ...onlyFor });
}

/** Who sees a message does not change with its content. */
function replace(desk: Desk, original: WorkspaceMessage, content: Partial<WorkspaceMessage>): WorkspaceMessage {
  const { blocks: _blocks, mrkdwn: _mrkdwn, ...kept } = original;
  const message = { ...kept, ...content };
  desk.world.edit(message);
  return message;
}

/** Builds the response_urls of one workspace. */
export function createResponses(desk: Desk): Responses {
  const issued = new Map<string, { place: ResponsePlace; at: number; uses: number }>();

  function use(token: string): ResponsePlace {
    const known = issued.get(token);
    if (!known) throw new Refusal("invalid_token");
    if (desk.clock.now() - known.at > LIFE_MS) throw new Refusal("expired_url");
    if (known.uses >= MOST_USES) throw new Refusal("used_url");
    known.uses += 1;
    return { ...known.place, channel: desk.world.current(known.place.channel) };
  }

  function respond(token: string, body: unknown): void {
    const place = use(token);
    if (!isFields(body)) throw new Refusal("invalid_payload");
    if (body["delete_original"] !== true) return void answer(desk, place, body);
    if (place.message !== undefined) desk.world.remove(place.channel, place.message);
  }

  return {
    issue(place) {
      const [oldest] = issued.size < KEPT ? [] : issued.keys();
      if (oldest !== undefined) issued.delete(oldest);
      const token = desk.ids.secret();
      issued.set(token, { place, at: desk.clock.now(), uses: 0 });
      return `${desk.url()}/respond/${token}`;
    },
    async handle(request, response, token) {
      const body = parseJson(await readBody(request));
      try {
        respond(token, body);
        sendJson(response, { body: { ok: true } });
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        const status = error.code.endsWith("_url") || error.code === "invalid_token" ? 404 : 400;
        sendJson(response, { status, body: { ok: false, error: error.code, ...error.details } });
      }
    },
  };
}
