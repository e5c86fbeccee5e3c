import { type Fields, fieldsOf, isFields, listOf, textOf } from "./fields.ts";
import { VIEW } from "./limits.ts";
import { flag, type Rule, type Shape, string } from "./rules.ts";
import { CONTEXT_TEXT, SHAPES } from "./shapes.ts";

/** One thing wrong with a payload, and where. */
export interface Problem {
  code: string;
  message: string;
  /** A JSON pointer: `/blocks/0/text/text`. */
  pointer: string;
}

/** Where a check stands, and where it notes what is wrong. */
export interface Spot {
  pointer: string;
  problems: Problem[];
}

function within(spot: Spot, name: string | number): Spot {
  return { pointer: `${spot.pointer}/${name}`, problems: spot.problems };
}

/** Notes a problem at a spot. */
export function report(spot: Spot, code: string, message: string): void {
  spot.problems.push({ code, message, pointer: spot.pointer });
}

function checkString(value: unknown, { least, most }: { least: number; most: number }, spot: Spot): void {
  if (typeof value !== "string") return report(spot, "invalid_type", "must provide a string");
  if (value.length > most) report(spot, "too_long", `must be less than ${most + 1} characters`);
  if (value.length < least) report(spot, "too_short", `must be more than ${least - 1} characters`);
}

function checkNumber(value: unknown, { least, most }: { least: number; most: number }, spot: Spot): void {
  if (typeof value !== "number") return report(spot, "invalid_type", "must provide a number");
  if (value < least) report(spot, "too_small", `must be no less than ${least}`);
  if (value > most) report(spot, "too_large", `must be no more than ${most}`);
}

function checkText(value: unknown, rule: Rule & { is: "text" }, spot: Spot): void {
  if (!isFields(value)) return report(spot, "invalid_type", "must provide an object");
  const isPlain = value["type"] === "plain_text";
  const isTaken = isPlain ? rule.plain : value["type"] === "mrkdwn" && rule.mrkdwn;
  if (!isTaken) return unsupported(value, spot);
  const may: Shape["may"] = isPlain ? { emoji: flag } : { verbatim: flag };
  checkFields(value, { need: { text: string(rule.most) }, may }, spot);
}

function unsupported(value: Fields, spot: Spot): void {
  report(spot, "unsupported_type", `unsupported type: ${textOf(value["type"]) || "none"}`);
}

function checkList(value: unknown, rule: Rule & { is: "list" }, spot: Spot): void {
  if (!Array.isArray(value)) return report(spot, "invalid_type", "must provide an array");
  if (value.length > rule.most) report(spot, "too_many", `no more than ${rule.most} items allowed`);
  if (value.length < rule.least) report(spot, "too_few", `no fewer than ${rule.least} items allowed`);
  for (const [index, one] of value.entries()) check(one, rule.of, within(spot, index));
}

/** What is chosen at the start must be one of the choices, letter for letter. */
function checkInitial(element: Fields, spot: Spot): void {
  if (element["options"] === undefined && element["option_groups"] === undefined) return;
  const groups = listOf(element["option_groups"]).flatMap((group) => listOf(fieldsOf(group)["options"]));
  const choices = new Set([...listOf(element["options"]), ...groups].map((one) => JSON.stringify(one)));
  const { initial_option: only, initial_options: several } = element;
  const chosen = [...(only === undefined ? [] : [only]), ...listOf(several)];
  if (chosen.every((one) => choices.has(JSON.stringify(one)))) return;
  report(spot, "invalid_initial_option", "initial_option must exactly match one of the options");
}

function checkContext(block: Fields, spot: Spot): void {
  for (const [index, one] of listOf(block["elements"]).entries()) {
    const at = within(within(spot, "elements"), index);
    if (fieldsOf(one)["type"] === "image") checkTyped(one, new Set(["image"]), at);
    else check(one, CONTEXT_TEXT, at);
  }
}

function checkActionIds(block: Fields, spot: Spot): void {
  const seen = new Set<unknown>();
  for (const [index, one] of listOf(block["elements"]).entries()) {
    const id = fieldsOf(one)["action_id"];
    if (id !== undefined && seen.has(id)) {
      const message = `\`action_id\` "${textOf(id)}" already exists for another element`;
      report(within(within(within(spot, "elements"), index), "action_id"), "duplicate_action_id", message);
    }
    seen.add(id);
  }
}

/** Checks something that names its own type against that type's shape. */
export function checkTyped(value: unknown, types: ReadonlySet<string>, spot: Spot): void {
  if (!isFields(value)) return report(spot, "invalid_type", "must provide an object");
  const type = textOf(value["type"]);
  const shape = SHAPES.get(type);
  if (!types.has(type) || !shape) return unsupported(value, spot);
  checkFields(value, shape, spot);
  checkInitial(value, spot);
  if (type === "context") checkContext(value, spot);
  if (type === "actions" || type === "context_actions") checkActionIds(value, spot);
}

function checkWord(value: unknown, words: readonly string[], spot: Spot): void {
  if (words.includes(textOf(value))) return;
  report(spot, "invalid_value", `must be a valid enum value: ${words.join(", ")}`);
}

function checkObject(value: unknown, shape: Shape, spot: Spot): void {
  if (isFields(value)) checkFields(value, shape, spot);
  else report(spot, "invalid_type", "must provide an object");
}

function check(value: unknown, rule: Rule, spot: Spot): void {
  if (rule.is === "string") return checkString(value, rule, spot);
  if (rule.is === "number") return checkNumber(value, rule, spot);
  if (rule.is === "text") return checkText(value, rule, spot);
  if (rule.is === "list") return checkList(value, rule, spot);
  if (rule.is === "typed") return checkTyped(value, new Set(rule.types), spot);
  if (rule.is === "word") return checkWord(value, rule.words, spot);
  if (rule.is === "object") return checkObject(value, rule.shape, spot);
  if (rule.is === "flag" && typeof value !== "boolean") report(spot, "invalid_type", "must provide a boolean");
}

/** What any object may say about itself. */
const EVERYWHERE: Record<string, Rule> = { type: { is: "anything" }, block_id: string(VIEW.id) };

/** Checks an object's fields: none missing, none unknown, each as its rule says. */
export function checkFields(value: Fields, shape: Shape, spot: Spot): void {
  for (const name of Object.keys(shape.need)) {
    if (value[name] === undefined) report(spot, "missing_field", `missing required field: ${name}`);
  }
  if (shape.oneOf && !shape.oneOf.some((name) => value[name] !== undefined)) {
    report(spot, "missing_field", `must define at least one of: ${shape.oneOf.join(", ")}`);
  }
  for (const [name, one] of Object.entries(value)) {
    const rule = shape.need[name] ?? shape.may[name] ?? EVERYWHERE[name];
    if (!rule) report(within(spot, name), "unknown_field", `invalid additional property: ${name}`);
    else check(one, rule, within(spot, name));
  }
}
