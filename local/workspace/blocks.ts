import {
  type BlockRule,
  type BlockShape,
  type BlockSurface,
  blocksOn,
  flag,
  messageLimits,
  shapes,
  suggested,
  string,
  viewLimits,
  viewShapes,
} from "./block-rules.ts";
import type { Ids } from "./clock.ts";
import { type Fields, fieldsOf, isFields, listOf, objectsIn, stringOf } from "./page/fields.ts";
import type { WorkspaceBlock } from "./protocol.ts";

/** One error in blocks or a view, and its place. */
export interface BlockProblem {
  code: string;
  message: string;
  /** A JSON pointer: `/blocks/0/text/text`. */
  pointer: string;
}

/** The errors for which Slack would refuse a list of blocks; empty if it would accept them. */
export function checkBlocks(blocks: unknown[], surface: BlockSurface, pointer = "/blocks"): BlockProblem[] {
  const at = createSpot(pointer);
  const most = surface === "message" ? messageLimits.blocks : viewLimits.blocks;
  if (blocks.length > most) at.report("too_many", `no more than ${most} items allowed`);
  for (const [index, block] of blocks.entries()) checkTyped(block, blocksOn[surface], at.in(index));
  const known = objectsIn(blocks);
  checkUnique(known, "block_id", "block", at);
  if (surface === "message") checkWholeMessage(known, at);
  return at.problems;
}

/** The errors for which Slack would refuse a view. */
export function checkView(view: Fields): BlockProblem[] {
  const at = createSpot("/view");
  const surface = view["type"] === "home" ? "home" : "modal";
  checkFields(view, viewShapes[surface], at);
  if (!Array.isArray(view["blocks"])) {
    if (view["blocks"] !== undefined) at.report("invalid_type", "must provide an array of blocks");
    return at.problems;
  }
  const hasInput = objectsIn(view["blocks"]).some(({ type }) => type === "input");
  if (surface === "modal" && hasInput && view["submit"] === undefined) {
    at.report("missing_field", "missing required field: submit, because there is an input block");
  }
  return [...at.problems, ...checkBlocks(view["blocks"], surface, "/view/blocks")];
}

/** The errors for which Slack would refuse the options that an app suggests while somebody types. */
export function checkOptions(options: unknown): BlockProblem[] {
  const at = createSpot("/options");
  checkRule(options, suggested, at);
  return at.problems;
}

/** Gives an ID to every block and element that the app left without one, as Slack does. */
export function withIds(blocks: unknown, ids: Ids): WorkspaceBlock[] {
  const named = (element: unknown): unknown => {
    if (!isFields(element) || element["action_id"] !== undefined) return element;
    return { ...element, action_id: ids.next("a") };
  };
  return objectsIn(blocks).map((block) => {
    const type = stringOf(block["type"]);
    const { elements, accessory, element } = block;
    return {
      ...block,
      ...((type === "actions" || type === "context_actions") && { elements: listOf(elements).map(named) }),
      ...(accessory !== undefined && { accessory: named(accessory) }),
      ...(element !== undefined && { element: named(element) }),
      type,
      block_id: stringOf(block["block_id"]) || ids.next("b"),
    };
  });
}

/** A place in blocks or a view, and the errors found so far. */
interface Spot {
  problems: BlockProblem[];
  report: (code: string, message: string) => void;
  in: (...path: (string | number)[]) => Spot;
}

function createSpot(pointer: string, problems: BlockProblem[] = []): Spot {
  return {
    problems,
    report: (code, message) => void problems.push({ code, message, pointer }),
    in: (...path) => createSpot([pointer, ...path].join("/"), problems),
  };
}

/** Checks an object with a `type` against the shape of that type. */
function checkTyped(value: unknown, types: ReadonlySet<string>, at: Spot): void {
  if (!isFields(value)) return at.report("invalid_type", "must provide an object");
  const type = stringOf(value["type"]);
  const shape = shapes.get(type);
  if (!types.has(type) || !shape) return reportType(value, at);
  checkFields(value, shape, at);
  checkInitial(value, at);
  if (type === "actions") checkUnique(objectsIn(value["elements"]), "action_id", "element", at.in("elements"));
  if (type === "table") checkCells(value, at.in("rows"));
  if (type === "data_visualization") checkSeries(fieldsOf(value["chart"]), at.in("chart", "series"));
}

function reportType(value: Fields, at: Spot): void {
  at.report("unsupported_type", `unsupported type: ${stringOf(value["type"]) || "none"}`);
}

/** The fields that every object may have. */
const everywhere: Record<string, BlockRule> = { type: { is: "anything" }, block_id: string(255) };

/** Checks an object's fields: none missing, none unknown, each as its rule says. */
function checkFields(value: Fields, shape: BlockShape, at: Spot): void {
  for (const name of Object.keys(shape.need)) {
    if (value[name] === undefined) at.report("missing_field", `missing required field: ${name}`);
  }
  if (shape.oneOf && !shape.oneOf.some((name) => value[name] !== undefined)) {
    at.report("missing_field", `must define at least one of: ${shape.oneOf.join(", ")}`);
  }
  for (const [name, field] of Object.entries(value)) {
    const rule = shape.need[name] ?? shape.may[name] ?? everywhere[name];
    if (rule) checkRule(field, rule, at.in(name));
    else at.in(name).report("unknown_field", `invalid additional property: ${name}`);
  }
}

function checkRule(value: unknown, rule: BlockRule, at: Spot): void {
  switch (rule.is) {
    case "string":
      if (typeof value !== "string") return at.report("invalid_type", "must provide a string");
      if (value.length > rule.most) at.report("too_long", `must be less than ${rule.most + 1} characters`);
      if (value.length < rule.least) at.report("too_short", `must be more than ${rule.least - 1} characters`);
      return;
    case "number":
      if (typeof value !== "number") return at.report("invalid_type", "must provide a number");
      if (value < rule.least) at.report("too_small", `must be no less than ${rule.least}`);
      if (value > rule.most) at.report("too_large", `must be no more than ${rule.most}`);
      return;
    case "flag":
      if (typeof value !== "boolean") at.report("invalid_type", "must provide a boolean");
      return;
    case "word":
      if (rule.words.includes(stringOf(value))) return;
      return at.report("invalid_value", `must be a valid enum value: ${rule.words.join(", ")}`);
    case "text":
      return checkText(value, rule, at);
    case "list":
      if (!Array.isArray(value)) return at.report("invalid_type", "must provide an array");
      if (value.length > rule.most) at.report("too_many", `no more than ${rule.most} items allowed`);
      if (value.length < rule.least) at.report("too_few", `no fewer than ${rule.least} items allowed`);
      for (const [index, item] of value.entries()) checkRule(item, rule.of, at.in(index));
      return;
    case "typed":
      return checkTyped(value, new Set(rule.types), at);
    case "object":
      if (isFields(value)) checkFields(value, rule.shape, at);
      else at.report("invalid_type", "must provide an object");
      return;
    case "anything":
  }
}

function checkText(value: unknown, rule: BlockRule & { is: "text" }, at: Spot): void {
  if (!isFields(value)) return at.report("invalid_type", "must provide an object");
  const isPlain = value["type"] === "plain_text";
  if (!isPlain && !(value["type"] === "mrkdwn" && rule.mrkdwn)) return reportType(value, at);
  const may: BlockShape["may"] = isPlain ? { emoji: flag } : { verbatim: flag };
  checkFields(value, { need: { text: string(rule.most) }, may }, at);
}

/** Checks that the initial option is one of the options, letter for letter, if the element has options of its own. */
function checkInitial(element: Fields, at: Spot): void {
  const { options, initial_option: initial } = element;
  const offered = new Set(listOf(options).map((one) => JSON.stringify(one)));
  if (initial === undefined || options === undefined || offered.has(JSON.stringify(initial))) return;
  at.report("invalid_initial_option", "initial_option must exactly match one of the options");
}

function checkUnique(items: Fields[], name: string, what: string, at: Spot): void {
  const seen = new Set<unknown>();
  for (const [index, item] of items.entries()) {
    const id = item[name];
    if (id !== undefined && seen.has(id)) {
      at.in(index, name).report(
        `duplicate_${name}`,
        `\`${name}\` "${stringOf(id)}" already exists for another ${what}`,
      );
    }
    seen.add(id);
  }
}

function checkCells(table: Fields, at: Spot): void {
  const cells = listOf(table["rows"]).flatMap(objectsIn);
  const length = cells.reduce((sum, cell) => sum + stringOf(cell["text"]).length, 0);
  if (length <= messageLimits.table) return;
  at.report("too_long", `must be less than ${messageLimits.table + 1} characters in all cells together`);
}

/** Checks that every series of a chart has a name of its own, and one point for each category. */
function checkSeries(chart: Fields, at: Spot): void {
  const { axis_config: axis } = chart;
  if (!isFields(axis)) return;
  const categories = new Set(listOf(axis["categories"]));
  const names = new Set<unknown>();
  for (const [index, series] of objectsIn(chart["series"]).entries()) {
    const labels = objectsIn(series["data"]).map((point) => point["label"]);
    const known = new Set(labels.filter((label) => categories.has(label)));
    if (labels.length !== categories.size || known.size !== categories.size) {
      at.in(index, "data").report("invalid_value", "must have one data point for each of the categories");
    }
    if (names.has(series["name"])) at.in(index, "name").report("duplicate_name", "must be unique among the series");
    names.add(series["name"]);
  }
}

/** Checks the limits that all blocks of a message share. */
function checkWholeMessage(blocks: Fields[], at: Spot): void {
  const ofType = (type: string) => blocks.filter((block) => block["type"] === type);
  const length = ofType("markdown").reduce((sum, block) => sum + stringOf(block["text"]).length, 0);
  if (length > messageLimits.markdown) {
    at.report("too_long", `markdown blocks must be less than ${messageLimits.markdown + 1} characters in all`);
  }
  for (const [type, most] of Object.entries(messageLimits.ofType)) {
    if (ofType(type).length > most) at.report("too_many", `no more than ${most} ${type} blocks allowed in a message`);
  }
}
