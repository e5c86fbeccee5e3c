import type { Fields } from "../page/fields.ts";

/**
 * One Web API method: takes the parts of the workspace that it needs, returns an answer's fields or throws a
 * SlackError.
 */
export type SlackMethod<Context> = (context: Context, args: Fields) => Fields;
