import { checkBlocks, checkView } from "../blocks.ts";
import type { Problem } from "../check.ts";
import type { Method } from "../desk.ts";
import { fieldsOf, isFields, listOf } from "../fields.ts";
import { Refusal } from "../refusal.ts";
import type { Fields } from "../fields.ts";

function problemsIn(args: Fields): Problem[] {
  const { blocks, message, view } = args;
  const given = [blocks, message, view].filter((one) => one !== undefined && one !== "");
  if (given.length !== 1) throw new Refusal("invalid_arguments");
  if (isFields(view)) return checkView(view);
  if (isFields(message)) return checkBlocks(listOf(fieldsOf(message)["blocks"]), "message", "/message/blocks");
  if (Array.isArray(blocks)) return checkBlocks(blocks, "message");
  throw new Refusal("invalid_arguments");
}

const validate: Method = (_desk, args) => {
  const errors = problemsIn(args);
  if (errors.length === 0) return {};
  const messages = errors.map((one) => `[ERROR] ${one.message} [json-pointer:${one.pointer}]`);
  throw new Refusal("invalid_blocks", { errors, response_metadata: { messages } });
};

/** Tells an app what Slack would refuse, without posting anything. */
export const validateMethods: Record<string, Method> = { "blocks.validate": validate };
