import type { Fields } from "./fields.ts";

/** A call that Slack answers with `ok: false`: the error code and whatever else the answer carries. */
export class Refusal extends Error {
  readonly code: string;
  readonly details: Fields;

  constructor(code: string, details: Fields = {}) {
    super(code);
    this.name = "Refusal";
    this.code = code;
    this.details = details;
  }
}
