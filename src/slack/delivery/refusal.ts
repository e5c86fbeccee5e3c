import { webApi } from "@slack/bolt";

/**
 * The reaction to an error of the Web API: `wait` and try again, `lookUp` whether it happened after all, send it
 * `plainer`, `repost` instead of editing, try again much `later`, or tell people because it stays so: the `destination`
 * takes nothing, a `policy` forbids it, or the `install` is over. A code that is not listed is `unknown`. A post that
 * is `unsure` may stand in Slack, and its history cannot be read; one that was never sent is `final`.
 */
export type Reaction =
  | "wait"
  | "lookUp"
  | "plainer"
  | "repost"
  | "later"
  | "destination"
  | "policy"
  | "install"
  | "unknown"
  | "unsure"
  | "final";

const reactions = new Map(
  Object.entries<Reaction>({
    ratelimited: "wait",
    rate_limited: "wait",
    internal_error: "lookUp",
    fatal_error: "lookUp",
    request_timeout: "lookUp",
    update_failed: "lookUp",
    messaging_processing_failed: "lookUp",
    service_unavailable: "lookUp",
    no_text: "plainer",
    msg_too_long: "plainer",
    msg_blocks_too_long: "plainer",
    msg_blocks_too_many: "plainer",
    invalid_blocks: "plainer",
    invalid_blocks_format: "plainer",
    block_mismatch: "plainer",
    view_too_large: "plainer",
    metadata_too_large: "plainer",
    invalid_metadata_format: "plainer",
    invalid_metadata_schema: "plainer",
    metadata_must_be_sent_from_app: "plainer",
    invalid_chunks: "plainer",
    invalid_arguments: "plainer",
    invalid_array_arg: "plainer",
    invalid_charset: "plainer",
    invalid_form_data: "plainer",
    message_not_found: "repost",
    cant_update_message: "repost",
    edit_window_closed: "repost",
    message_not_owned_by_app: "repost",
    team_added_to_org: "later",
    org_login_required: "later",
    external_channel_migrating: "later",
    message_limit_exceeded: "later",
    channel_not_found: "destination",
    not_in_channel: "destination",
    is_archived: "destination",
    is_inactive: "destination",
    channel_is_limited_access: "destination",
    messages_tab_disabled: "destination",
    user_not_found: "destination",
    user_disabled: "destination",
    user_not_in_channel: "destination",
    team_not_found: "destination",
    channel_type_not_supported: "destination",
    method_not_supported_for_channel_type: "destination",
    thread_not_found: "destination",
    cannot_reply_to_message: "destination",
    restricted_action: "policy",
    restricted_action_read_only_channel: "policy",
    restricted_action_thread_only_channel: "policy",
    restricted_action_non_threadable_channel: "policy",
    restricted_action_thread_locked: "policy",
    posting_to_channel_denied: "policy",
    ekm_access_denied: "policy",
    no_permission: "policy",
    access_denied: "policy",
    account_inactive: "install",
    token_revoked: "install",
    token_expired: "install",
    invalid_auth: "install",
    invalid_refresh_token: "install",
    not_authed: "install",
    missing_scope: "install",
    not_allowed_token_type: "install",
    team_access_not_granted: "install",
    accesslimited: "install",
    enterprise_is_restricted: "install",
    two_factor_setup_required: "install",
  }),
);

/** The reaction that a code calls for. */
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
export class AnswerCutOff extends Error {
  override readonly name = "AnswerCutOff";
  readonly refused: SlackRefused;
  readonly channel: string;

  constructor(refused: SlackRefused, channel: string) {
    super(`an answer was not finished: ${refused.message}`, { cause: refused });
    this.refused = refused;
    this.channel = channel;
  }
}

/** True if Slack is only out of order for a while, or asks to wait. */
export function isPassing({ reaction }: SlackRefused): boolean {
  return reaction === "wait" || reaction === "lookUp";
}

/** True if a refusal holds for the whole workspace: one that may pass, or concerns one place alone, says nothing of the next. */
export function concernsWorkspace(refused: SlackRefused): boolean {
  return !isPassing(refused) && refused.reaction !== "destination";
}

/** The time that Slack asks to wait, in milliseconds. */
export function waitMsOf({ retryAfterMs = 5_000 }: SlackRefused): number {
  return retryAfterMs;
}

/** True if a post with this error surely does not stand in Slack: it was refused, or looked for. */
export function isUnposted(error: unknown): boolean {
  if (!(error instanceof SlackRefused)) return false;
  return error.method === "chat.postMessage" && error.reaction !== "lookUp" && error.reaction !== "unsure";
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
    if (!/^\w{1,80}$/.test(code ?? "")) return new SlackRefused(method, "unreadable", { reaction: "lookUp" });
    return new SlackRefused(method, code, { cause: metadata?.messages?.[0] });
  }
  if (error instanceof webApi.WebAPIHTTPError) {
    return new SlackRefused(method, `http_${error.statusCode}`, { reaction: "lookUp" });
  }
  if (error instanceof webApi.WebAPIRequestError) return new SlackRefused(method, "network", { reaction: "lookUp" });
  // Slack's client reports a 429 that lacks Retry-After as a plain Error without a code.
  if (error instanceof Error && error.message.startsWith("Retry header")) {
    return new SlackRefused(method, "ratelimited", { reaction: "wait", retryAfterMs: 30_000 });
  }
  return new SlackRefused(method, "not_sent", { reaction: "final", cause: error });
}
