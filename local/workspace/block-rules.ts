/**
 * Slack's rules for blocks and elements as data: the fields of each type and the limits of each field. Only the types
 * that the bot may use are here; all others are refused like unknown ones.
 */

/** The rule for a value. */
export type BlockRule =
  | { is: "string"; least: number; most: number }
  | { is: "number"; least: number; most: number }
  | { is: "flag" }
  | { is: "word"; words: readonly string[] }
  /** A text object: plain_text, or mrkdwn too. */
  | { is: "text"; most: number; mrkdwn: boolean }
  | { is: "list"; least: number; most: number; of: BlockRule }
  /** A block or element of one of these types, checked by the shape of its type. */
  | { is: "typed"; types: readonly string[] }
  | { is: "object"; shape: BlockShape }
  | { is: "anything" };

/** The fields of an object: required ones, optional ones, and those of which at least one is required. */
export interface BlockShape {
  need: Record<string, BlockRule>;
  may: Record<string, BlockRule>;
  oneOf?: readonly string[];
}

const anyNumber = Number.MAX_SAFE_INTEGER;

export const string = (most: number, least = 1): BlockRule => ({ is: "string", least, most });
const number = (least = -anyNumber, most = anyNumber): BlockRule => ({ is: "number", least, most });
export const flag: BlockRule = { is: "flag" };
const word = (...words: string[]): BlockRule => ({ is: "word", words });
/** A plain_text object. */
const plain = (most: number): BlockRule => ({ is: "text", most, mrkdwn: false });
/** A plain_text or mrkdwn object. */
const text = (most: number): BlockRule => ({ is: "text", most, mrkdwn: true });
const list = (of: BlockRule, most: number, least = 1): BlockRule => ({ is: "list", least, most, of });
const typed = (...types: string[]): BlockRule => ({ is: "typed", types });
const object = (need: BlockShape["need"], may: BlockShape["may"] = {}): BlockRule => {
  return { is: "object", shape: { need, may } };
};
const anything: BlockRule = { is: "anything" };

/** The limits of a message, in characters unless stated otherwise. */
export const messageLimits = {
  /** A longer text is cut by chat.postMessage. */
  text: 40_000,
  /** A longer text is refused by chat.update. */
  updateText: 4000,
  /** The limit of markdown_text, and of all markdown blocks of a message together. */
  markdown: 12_000,
  /** The limit of all cells of a table together. */
  table: 10_000,
  /** The limit of everything that a reader sees in the blocks; observed, not documented. */
  allBlocks: 13_000,
  blocks: 50,
  /** The number of blocks of a type in one message. */
  ofType: { table: 1, data_visualization: 2 },
};

/** The limits of a view. */
export const viewLimits = { bytes: 250_000, blocks: 100 };

const id = string(255);
const url = string(3000);

const option = object({ text: plain(75) }, { description: plain(75), value: string(75), url });

const named = { action_id: id };
const select = { ...named, placeholder: plain(150) };
const filter = object({}, { include: list(word("im", "mpim", "private", "public"), 4), exclude_bot_users: flag });
const typing = { ...select, initial_value: string(3000, 0) };
const feedback = object({ text: plain(75), value: string(2000) }, { accessibility_label: string(75) });

const elements: Record<string, BlockShape> = {
  button: {
    need: { text: plain(75) },
    may: {
      ...named,
      style: word("primary", "danger"),
      url,
      value: string(2000, 0),
      accessibility_label: string(75),
    },
  },
  feedback_buttons: { need: { positive_button: feedback, negative_button: feedback }, may: named },
  overflow: { need: { options: list(option, 5) }, may: named },
  static_select: { need: { options: list(option, 100) }, may: { ...select, initial_option: option } },
  external_select: { need: {}, may: { ...select, initial_option: option, min_query_length: number(0, 75) } },
  multi_external_select: {
    need: {},
    may: {
      ...select,
      initial_options: list(option, 100),
      min_query_length: number(0, 75),
      max_selected_items: number(1),
    },
  },
  conversations_select: {
    need: {},
    may: { ...select, default_to_current_conversation: flag, filter, initial_conversation: id },
  },
  users_select: { need: {}, may: { ...select, initial_user: id } },
  plain_text_input: {
    need: {},
    may: { ...typing, multiline: flag, max_length: number(1, 3000) },
  },
};

const selects = Object.keys(elements).filter((type) => type.endsWith("_select"));

const point = object({ label: string(20), value: number() });
const series = object({ name: string(20), data: list(point, 20) });
const axis = object({ categories: list(string(20), 20) }, { x_label: string(50), y_label: string(50) });
const plotted: BlockShape = { need: { series: list(series, 6), axis_config: axis }, may: {} };
const column = object({}, { align: word("left", "center", "right"), is_wrapped: flag });

const blocks: Record<string, BlockShape> = {
  actions: { need: { elements: list(typed("button", "overflow", ...selects), 25) }, may: {} },
  context: { need: { elements: list(text(3000), 10) }, may: {} },
  context_actions: { need: { elements: list(typed("feedback_buttons"), 5) }, may: {} },
  divider: { need: {}, may: {} },
  header: { need: { text: plain(150) }, may: {} },
  input: {
    need: { label: plain(2000), element: typed("plain_text_input", ...selects) },
    may: { hint: plain(2000), optional: flag, dispatch_action: flag },
  },
  markdown: { need: { text: string(Number.POSITIVE_INFINITY) }, may: {} },
  section: {
    need: {},
    may: {
      text: text(3000),
      fields: list(text(2000), 10),
      accessory: typed("button", "overflow", ...selects),
      expand: flag,
    },
    oneOf: ["text", "fields"],
  },
  table: {
    need: { rows: list(list(typed("raw_text"), 20), 100) },
    may: { column_settings: list(column, 20) },
  },
  raw_text: { need: { text: string(messageLimits.table, 0) }, may: {} },
  data_visualization: { need: { title: string(50), chart: typed("bar", "line", "area") }, may: {} },
  bar: plotted,
  line: plotted,
  area: plotted,
};

/** The options with which an app may answer a `block_suggestion`. */
export const suggested: BlockRule = list(option, 100, 0);

/** The shapes of all blocks and elements, by type. */
export const shapes: ReadonlyMap<string, BlockShape> = new Map(Object.entries({ ...elements, ...blocks }));

const anywhere = ["actions", "context", "divider", "header", "input", "section"];
const inMessages = [...anywhere, "context_actions", "data_visualization", "markdown", "table"];

/** The surface that shows blocks. */
export type BlockSurface = "message" | "modal" | "home";

/** The blocks that each surface accepts. */
export const blocksOn: Record<BlockSurface, ReadonlySet<string>> = {
  message: new Set(inMessages),
  modal: new Set(anywhere),
  home: new Set(anywhere),
};

const modalFields = {
  submit: plain(24),
  close: plain(24),
  callback_id: string(255, 0),
  private_metadata: string(3000, 0),
};

/** The fields of a view. Slack accepts those of a modal in a Home view too and ignores them. */
export const viewShapes: Record<"modal" | "home", BlockShape> = {
  modal: { need: { type: word("modal"), title: plain(24), blocks: anything }, may: modalFields },
  home: { need: { type: word("home"), blocks: anything }, may: { ...modalFields, title: anything } },
};
