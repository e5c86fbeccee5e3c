import { webApi } from "@slack/bolt";

/**
 * What to do about an error of the Web API: `wait` and try again, `look` whether it happened after all, send it
 * `plainer`, `repost` instead of editing, try again much `later`, or tell people because it stays so: the `destination`
 * takes nothing, a `policy` forbids it, or the `install` is over. Of an `unknown` code it is not known that it stays so;
 * what is `unsure` may stand in Slack, and nobody can say; the rest is `final`.
 */
export type Reaction =
  | "wait"
  | "look"
  | "plainer"
  | "repost"
  | "later"
  | "destination"
  | "policy"
  | "install"
  | "unknown"
  | "unsure"
  | "final";

const codes: Record<Exclude<Reaction, "unknown" | "unsure">, string[]> = {
  wait: ["ratelimited", "rate_limited"],
  look: [
    "internal_error",
    "fatal_error",
    "request_timeout",
    "update_failed",
    "messaging_processing_failed",
    "service_unavailable",
  ],
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
    "too_many_attachments",
    "attachment_payload_limit_exceeded",
    "too_many_contact_cards",
    "view_too_large",
    "metadata_too_large",
    "invalid_metadata_format",
    "invalid_metadata_schema",
    "metadata_must_be_sent_from_app",
    "invalid_chunks",
    "invalid_arguments",
    "invalid_array_arg",
    "invalid_charset",
    "invalid_form_data",
  ],
  repost: [
    "message_not_found",
    "cant_update_message",
    "edit_window_closed",
    "message_not_owned_by_app",
    "cant_broadcast_message",
    "no_dual_broadcast_content_update",
  ],
  later: ["team_added_to_org", "org_login_required", "external_channel_migrating", "message_limit_exceeded"],
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
    "user_not_visible",
    "team_not_found",
    "channel_type_not_supported",
    "method_not_supported_for_channel_type",
    "thread_not_found",
    "cannot_reply_to_message",
  ],
  policy: [
    "restricted_action",
    "restricted_action_read_only_channel",
    "restricted_action_thread_only_channel",
    "restricted_action_non_threadable_channel",
    "restricted_action_thread_locked",
    "posting_to_channel_denied",
    "ekm_access_denied",
    "no_permission",
    "access_denied",
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
    "enterprise_is_restricted",
    "two_factor_setup_required",
  ],
  final: [
    "invalid_arg_name",
    "invalid_post_type",
    "missing_post_type",
    "method_deprecated",
    "deprecated_endpoint",
    "unknown_method",
  ],
};

const known = ["wait", "look", "plainer", "repost", "later", "destination", "policy", "install", "final"] as const;
const reactions = new Map<string, Reaction>(
  known.flatMap((reaction) => codes[reaction].map((code) => [code, reaction] as const)),
);

/** What a code calls for. */
function reactionTo(code: string): Reaction {
  if (/^slack_connect_.*_blocked$/.test(code)) return "policy";
  return reactions.get(code) ?? "unknown";
}

/** Slack did not do what it was asked to; says what to do about it and never carries a token. */
export class SlackRefused extends Error {
  override readonly name = "SlackRefused";
  readonly method: string;
  /** Slack's error code, or `http_500`, `network`, `ratelimited`, `unreadable`, `not_sent`, `unmade`. */
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

/** An answer stands in part, and Slack would not have the rest. */
export class Unfinished extends Error {
  override readonly name = "Unfinished";
  readonly refused: SlackRefused;
  readonly channel: string;

  constructor(refused: SlackRefused, channel: string) {
    super(`an answer was not finished: ${refused.message}`, { cause: refused });
    this.refused = refused;
    this.channel = channel;
  }
}

/** Whether a post that ended so surely does not stand in Slack: it was refused, or looked for. */
export function isUnposted(error: unknown): boolean {
  if (!(error instanceof SlackRefused)) return false;
  return error.method === "chat.postMessage" && error.reaction !== "look" && error.reaction !== "unsure";
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
