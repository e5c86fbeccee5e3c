import type { Fields } from "./page/fields.ts";

/** A call that Slack answers with `ok: false`: the error code and the other fields of the answer. */
export class SlackError extends Error {
  override readonly name = "SlackError";
  readonly code: string;
  readonly details: Fields;

  constructor(code: string, details: Fields = {}) {
    super(code);
    this.code = code;
    this.details = details;
  }
}
