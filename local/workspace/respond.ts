import type { IncomingMessage, ServerResponse } from "node:http";
import { readBody, sendJson } from "../http.ts";
import { textArg } from "./args.ts";
import type { Ids, WorkspaceClock } from "./clock.ts";
import { postAsApp, readContent } from "./methods/chat.ts";
import { type Fields, isFields, parseJson } from "./page/fields.ts";
import { SlackError } from "./slack-error.ts";
import type { TypedCommands } from "./typed-commands.ts";
import type { WorkspaceWorld } from "./world.ts";

/** Parts of the workspace that an answer to a command or a click changes. */
export interface RespondContext {
  world: WorkspaceWorld;
  ids: Ids;
  typed: TypedCommands;
}

interface ResponseUrlOptions extends RespondContext {
  clock: WorkspaceClock;
  /** The page's address. */
  url: () => string;
}

/** The target of an answer over a response_url. */
export interface ResponseTarget {
  channel: string;
  user: string;
  /** The message whose element was used; none for a slash command. */
  message?: string;
}

/** The response_urls of one workspace. */
export interface ResponseUrls {
  /** A new address, good for five answers within 30 minutes. */
  issue: (target: ResponseTarget) => string;
  handle: (request: IncomingMessage, response: ServerResponse, token: string) => Promise<void>;
}

const lifeMs = 30 * 60_000;
const maxUses = 5;
const kept = 2000;

/** Posts an answer where a command was typed or an element used; only one person sees it, unless it is for the channel. */
export function respond(context: RespondContext, { channel, user, message: ts }: ResponseTarget, body: Fields): void {
  const content = readContent(context.ids, body);
  const original = ts === undefined ? undefined : context.world.find(channel, ts);
  if (original && body["replace_original"] === true) {
    // An edit does not change who sees the message.
    const { blocks: _blocks, mrkdwn: _mrkdwn, ...kind } = original;
    return context.world.edit({ ...kind, ...content });
  }
  const thread_ts = textArg(body, "thread_ts");
  const onlyFor = body["response_type"] === "in_channel" ? {} : { onlyFor: user };
  postAsApp(context, { channel, ...content, ...(thread_ts !== undefined && { thread_ts }), ...onlyFor });
}

/** Builds the response_urls of one workspace. */
export function createResponseUrls(options: ResponseUrlOptions): ResponseUrls {
  const { clock, ids, world, url } = options;
  const issued = new Map<string, { target: ResponseTarget; at: number; uses: number }>();

  function take(token: string): ResponseTarget {
    const known = issued.get(token);
    if (!known) throw new SlackError("invalid_token");
    if (clock.now() - known.at > lifeMs) throw new SlackError("expired_url");
    if (known.uses >= maxUses) throw new SlackError("used_url");
    known.uses += 1;
    return { ...known.target, channel: world.currentId(known.target.channel) };
  }

  function answer(token: string, body: unknown): void {
    const target = take(token);
    if (!isFields(body)) throw new SlackError("invalid_payload");
    if (body["delete_original"] !== true) respond(options, target, body);
    else if (target.message !== undefined) world.remove(target.channel, target.message);
  }

  return {
    issue(target) {
      const [oldest] = issued.keys();
      if (issued.size >= kept && oldest !== undefined) issued.delete(oldest);
      const token = ids.secret();
      issued.set(token, { target, at: clock.now(), uses: 0 });
      return `${url()}/respond/${token}`;
    },
    async handle(request, response, token) {
      const body = parseJson(await readBody(request));
      try {
        answer(token, body);
        sendJson(response, { body: { ok: true } });
      } catch (error) {
        if (!(error instanceof SlackError)) throw error;
        const status = error.code.endsWith("_url") || error.code === "invalid_token" ? 404 : 400;
        sendJson(response, { status, body: { ok: false, error: error.code, ...error.details } });
      }
    },
  };
}
