import type { Fields } from "../page/fields.ts";

/** One Web API method: from the parts of the workspace that it needs, the fields of a good answer, or a thrown SlackError. */
export type SlackMethod<Context> = (context: Context, args: Fields) => Fields;
