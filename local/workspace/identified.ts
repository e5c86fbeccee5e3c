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
  const name = (element: unknown): unknown => {
    if (!isFields(element) || NAMELESS.has(textOf(element["type"]))) return element;
    // The elements of a carousel are cards, which hold buttons of their own.
    if (element["type"] === "card") return identifiedElements(element, ids);
    return element["action_id"] === undefined ? { ...element, action_id: ids.next("a") } : element;
  };
  const named: Fields = { ...block };
  if (INTERACTIVE.has(textOf(block["type"]))) named["elements"] = listOf(block["elements"]).map(name);
  if (block["accessory"] !== undefined) named["accessory"] = name(block["accessory"]);
  if (block["type"] === "input") named["element"] = name(block["element"]);
  if (block["type"] === "card" && block["actions"] !== undefined) named["actions"] = listOf(block["actions"]).map(name);
  if (block["child_blocks"] !== undefined) named["child_blocks"] = identified(block["child_blocks"], ids);
  return named;
}

const INTERACTIVE = new Set(["actions", "context_actions", "carousel"]);
const NAMELESS = new Set(["image"]);
