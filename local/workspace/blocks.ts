import { checkFields, checkTyped, type Problem, report, type Spot } from "./check.ts";
import { type Fields, fieldsOf, isFields, listOf, textOf } from "./fields.ts";
import { checkFigure } from "./figures.ts";
import { MESSAGE, VIEW } from "./limits.ts";
import { flag, plain, type Shape, string } from "./rules.ts";
import { TAKEN } from "./shapes.ts";

/** Where blocks are shown. */
export type Surface = "message" | "modal" | "home";

function checkBlockIds(blocks: Fields[], spot: Spot): void {
  const seen = new Set<unknown>();
  for (const [index, block] of blocks.entries()) {
    const id = block["block_id"];
    if (id !== undefined && seen.has(id)) {
      const at = { ...spot, pointer: `${spot.pointer}/${index}/block_id` };
      report(at, "duplicate_block_id", `\`block_id\` "${textOf(id)}" already exists for another block`);
    }
    seen.add(id);
  }
}

/** The limits that all blocks of a message share. */
function checkMessage(blocks: Fields[], spot: Spot): void {
  const markdown = blocks.filter((one) => one["type"] === "markdown");
  const length = markdown.reduce((sum, one) => sum + textOf(one["text"]).length, 0);
  if (length > MESSAGE.markdown) {
    report(spot, "too_long", `markdown blocks must be less than ${MESSAGE.markdown + 1} characters in all`);
  }
  for (const [type, most] of Object.entries(MESSAGE.most)) {
    const count = blocks.filter((one) => one["type"] === type).length;
    if (count > most) report(spot, "too_many", `no more than ${most} ${type} blocks allowed in a message`);
  }
}

/** Everything Slack would refuse in a list of blocks; empty where it would take them. */
export function checkBlocks(blocks: unknown[], surface: Surface, pointer = "/blocks"): Problem[] {
  const spot: Spot = { pointer, problems: [] };
  const most = surface === "message" ? MESSAGE.blocks : VIEW.blocks;
  if (blocks.length > most) report(spot, "too_many", `no more than ${most} items allowed`);
  for (const [index, block] of blocks.entries()) {
    const at = { ...spot, pointer: `${pointer}/${index}` };
    checkTyped(block, TAKEN[surface], at);
    checkFigure(fieldsOf(block), at);
  }
  const known = blocks.filter(isFields);
  checkBlockIds(known, spot);
  if (surface === "message") checkMessage(known, spot);
  return spot.problems;
}

const MODAL: Shape = {
  need: { type: { is: "word", words: ["modal"] }, title: plain(VIEW.title), blocks: { is: "anything" } },
  may: {
    submit: plain(VIEW.title),
    close: plain(VIEW.title),
    callback_id: string(VIEW.id, 0),
    private_metadata: string(VIEW.metadata, 0),
    external_id: string(VIEW.id, 0),
    clear_on_close: flag,
    notify_on_close: flag,
    submit_disabled: flag,
  },
};

/** Slack takes the fields of a modal in a Home view too and passes over them. */
const HOME: Shape = {
  need: { type: { is: "word", words: ["home"] }, blocks: { is: "anything" } },
  may: { ...MODAL.may, title: { is: "anything" } },
};

/** Everything Slack would refuse in a view. */
export function checkView(view: Fields): Problem[] {
  const spot: Spot = { pointer: "/view", problems: [] };
  const surface = view["type"] === "home" ? "home" : "modal";
  checkFields(view, surface === "home" ? HOME : MODAL, spot);
  if (!Array.isArray(view["blocks"])) {
    if (view["blocks"] !== undefined) report(spot, "invalid_type", "must provide an array of blocks");
    return spot.problems;
  }
  const blocks = listOf(view["blocks"]);
  const hasInput = blocks.some((one) => fieldsOf(one)["type"] === "input");
  if (surface === "modal" && hasInput && view["submit"] === undefined) {
    report(spot, "missing_field", "missing required field: submit, because there is an input block");
  }
  return [...spot.problems, ...checkBlocks(blocks, surface, "/view/blocks")];
}
