import { webApi } from "@slack/bolt";

/**
 * What to do about an error of the Web API: `wait` and try again, `look` whether it happened after all, send it
 * `plainer`, `repost` instead of editing, or tell people because it is final (`destination`, `install`, `final`).
 */
export type Reaction = "wait" | "look" | "plainer" | "repost" | "destination" | "install" | "final";

const codes: Record<Exclude<Reaction, "final">, string[]> = {
  wait: ["ratelimited", "rate_limited", "service_unavailable"],
  look: ["internal_error", "fatal_error", "request_timeout", "update_failed", "messaging_processing_failed"],
  plainer: [
    "no_text",
    "msg_too_long",
    "msg_blocks_too_long",
    "msg_blocks_too_many",
    "invalid_blocks",
    "invalid_blocks_format",
    "block_mismatch",
    "markdown_text_conflict",
    "invalid_attachments",
    "metadata_too_large",
    "invalid_metadata_format",
    "invalid_metadata_schema",
    "invalid_arguments",
    "invalid_charset",
    "invalid_form_data",
  ],
  repost: [
    "message_not_found",
    "cant_update_message",
    "edit_window_closed",
    "message_not_owned_by_app",
    "cant_broadcast_message",
  ],
  destination: [
    "channel_not_found",
    "not_in_channel",
    "is_archived",
    "is_inactive",
    "channel_is_limited_access",
    "messages_tab_disabled",
    "user_not_found",
    "user_disabled",
    "user_not_in_channel",
    "thread_not_found",
    "cannot_reply_to_message",
    "restricted_action",
    "restricted_action_read_only_channel",
    "restricted_action_thread_only_channel",
    "restricted_action_non_threadable_channel",
    "restricted_action_thread_locked",
    "posting_to_channel_denied",
  ],
  install: [
    "account_inactive",
    "token_revoked",
    "token_expired",
    "invalid_auth",
    "not_authed",
    "missing_scope",
    "not_allowed_token_type",
    "team_access_not_granted",
    "accesslimited",
  ],
};

const reactions: Reaction[] = ["wait", "look", "plainer", "repost", "destination", "install"];

/** What a code calls for; one that is not known is final. */
function reactionTo(code: string): Reaction {
  return reactions.find((reaction) => reaction !== "final" && codes[reaction].includes(code)) ?? "final";
}

/** Slack did not do what it was asked to; says what to do about it and never carries a token. */
export class SlackRefused extends Error {
  override readonly name = "SlackRefused";
  readonly method: string;
  /** Slack's error code, or `http_500`, `network`, `ratelimited`, `unreadable`, `not_sent`. */
  readonly code: string;
  readonly reaction: Reaction;
  readonly retryAfterMs: number | undefined;

  constructor(
    method: string,
    code: string,
    options: { reaction?: Reaction; retryAfterMs?: number; cause?: unknown } = {},
  ) {
    super(`Slack refused ${method}: ${code}`, options.cause === undefined ? {} : { cause: options.cause });
    this.method = method;
    this.code = code;
    this.reaction = options.reaction ?? reactionTo(code);
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** Any error of Slack's Web API client as a SlackRefused. */
export function refusalOf(method: string, error: unknown): SlackRefused {
  if (error instanceof SlackRefused) return error;
  if (error instanceof webApi.WebAPIRateLimitedError) {
    return new SlackRefused(method, "ratelimited", { reaction: "wait", retryAfterMs: error.retryAfter * 1000 });
  }
  if (error instanceof webApi.WebAPIPlatformError) {
    const { error: code, response_metadata: metadata } = error.data;
    // A page of HTML from something between us and Slack arrives as a "code".
    if (!/^\w{1,80}$/.test(code ?? "")) return new SlackRefused(method, "unreadable", { reaction: "look" });
    return new SlackRefused(method, code, { cause: metadata?.messages?.[0] });
  }
  if (error instanceof webApi.WebAPIHTTPError) {
    return new SlackRefused(method, `http_${error.statusCode}`, { reaction: "look" });
  }
  if (error instanceof webApi.WebAPIRequestError) return new SlackRefused(method, "network", { reaction: "look" });
  // Slack's client reports a 429 that lacks Retry-After as a plain Error without a code.
  if (error instanceof Error && error.message.startsWith("Retry header")) {
    return new SlackRefused(method, "ratelimited", { reaction: "wait", retryAfterMs: 30_000 });
  }
  return new SlackRefused(method, "not_sent", { reaction: "final", cause: error });
}
