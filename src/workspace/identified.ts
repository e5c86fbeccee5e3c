import { type Fields, isFields, listOf, textOf } from "./fields.ts";
import type { Ids } from "./ids.ts";
import type { Block } from "./protocol.ts";

/** Gives every block and element an id, as Slack does for those the app left without one. */
export function identified(blocks: unknown, ids: Ids): Block[] {
  return listOf(blocks)
    .filter(isFields)
    .map((block) => {
      const type = textOf(block["type"]);
      const block_id = typeof block["block_id"] === "string" ? block["block_id"] : ids.next("b");
      return { ...identifiedElements(block, ids), type, block_id };
    });
}

function identifiedElements(block: Fields, ids: Ids): Fields {
  const name = (element: unknown): unknown =>
    isFields(element) && element["action_id"] === undefined && !NAMELESS.has(textOf(element["type"]))
      ? { ...element, action_id: ids.next("a") }
      : element;
  const named: Fields = { ...block };
  if (INTERACTIVE.has(textOf(block["type"]))) named["elements"] = listOf(block["elements"]).map(name);
  if (block["accessory"] !== undefined) named["accessory"] = name(block["accessory"]);
  if (block["type"] === "input") named["element"] = name(block["element"]);
  return named;
}

const INTERACTIVE = new Set(["actions", "context_actions"]);
const NAMELESS = new Set(["image"]);
