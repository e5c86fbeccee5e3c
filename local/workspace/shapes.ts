import { ELEMENTS, SELECTS } from "./elements.ts";
import { PIECE } from "./limits.ts";
import {
  anything,
  flag,
  list,
  mrkdwn,
  number,
  object,
  plain,
  type Rule,
  type Shape,
  string,
  text,
  typed,
  word,
} from "./rules.ts";

const LONG = 40_000;
const MANY = 1000;

const pickers = ["checkboxes", "radio_buttons", "datepicker", "timepicker", "datetimepicker"];
const pressed = ["button", "overflow", "workflow_button"];
const inContainer = "actions context divider file header image input rich_text section table video".split(" ");
const styled = { style: anything };
const picture = { image_url: string(PIECE.url), slack_file: anything };

const leaf = (need: Shape["need"], may: Shape["may"] = {}): Shape => ({ need, may: { ...styled, ...may } });
const inline = typed("broadcast", "channel", "color", "date", "emoji", "link", "team", "text", "user", "usergroup");

/** Rich text, from its sections down to its leaves. */
const RICH_TEXT: Record<string, Shape> = {
  rich_text_section: { need: { elements: list(inline, MANY, 0) }, may: {} },
  rich_text_quote: { need: { elements: list(inline, MANY, 0) }, may: { border: number(0, 1) } },
  rich_text_preformatted: {
    need: { elements: list(typed("text", "link"), MANY, 0) },
    may: { border: number(0, 1), language: string(PIECE.id) },
  },
  rich_text_list: {
    need: { elements: list(typed("rich_text_section"), MANY, 0), style: word("bullet", "ordered") },
    may: { indent: number(0, 8), offset: number(0), border: number(0, 1) },
  },
  broadcast: leaf({ range: word("here", "channel", "everyone") }),
  channel: leaf({ channel_id: string(PIECE.id) }),
  color: leaf({ value: string(PIECE.id) }),
  date: leaf(
    { timestamp: number(0), format: string(PIECE.id) },
    { url: string(PIECE.url), fallback: string(PIECE.input) },
  ),
  emoji: leaf(
    { name: string(PIECE.id) },
    { unicode: string(PIECE.id), url: string(PIECE.url), skin_tone: number(1, 6) },
  ),
  link: leaf({ url: string(PIECE.url) }, { text: string(LONG, 0), unsafe: flag }),
  team: leaf({ team_id: string(PIECE.id) }),
  text: leaf({ text: string(LONG) }),
  user: leaf({ user_id: string(PIECE.id) }),
  usergroup: leaf({ usergroup_id: string(PIECE.id) }),
};

const cell = typed("rich_text", "raw_text", "raw_number");
const column = object({}, { align: word("left", "center", "right"), is_wrapped: flag });

const series = object({
  name: string(PIECE.chartLabel),
  data: list(object({ label: string(PIECE.chartLabel), value: number() }), PIECE.chartPoints),
});
const axis = object(
  { categories: list(string(PIECE.chartLabel), PIECE.chartPoints) },
  { x_label: string(PIECE.chartTitle), y_label: string(PIECE.chartTitle) },
);
const plotted: Shape = { need: { series: list(series, PIECE.chartSeries), axis_config: axis }, may: {} };
/** A slice of nothing cannot be drawn. */
const segment = object({ label: string(PIECE.chartLabel), value: number(Number.MIN_VALUE) });

const CHARTS: Record<string, Shape> = {
  pie: { need: { segments: list(segment, PIECE.chartSeries) }, may: {} },
  bar: plotted,
  area: plotted,
  line: plotted,
};

/** Tables, cards, tasks and charts: what a message shows beside text. */
const RICH_BLOCKS: Record<string, Shape> = {
  alert: { need: { text: text(PIECE.alert) }, may: { level: word("default", "info", "warning", "error", "success") } },
  card: {
    need: {},
    may: {
      hero_image: typed("image"),
      icon: typed("image"),
      title: mrkdwn(PIECE.cardTitle),
      subtitle: mrkdwn(PIECE.cardTitle),
      body: mrkdwn(PIECE.cardBody),
      actions: list(typed("button"), PIECE.overflow),
    },
    oneOf: ["hero_image", "title", "actions", "body"],
  },
  carousel: { need: { elements: list(typed("card"), PIECE.cards) }, may: {} },
  container: {
    need: { child_blocks: list(typed(...inContainer), PIECE.children) },
    may: {
      title: plain(PIECE.cardTitle),
      rich_text_title: typed("rich_text"),
      subtitle: text(PIECE.cardTitle),
      width: word("narrow", "standard", "wide", "full"),
      icon: typed("image"),
      is_collapsible: flag,
      default_collapsed: flag,
      has_header_divider: flag,
    },
    oneOf: ["title", "rich_text_title"],
  },
  table: {
    need: { rows: list(list(cell, PIECE.tableCells), PIECE.tableRows) },
    may: { column_settings: list(column, PIECE.tableCells) },
  },
  data_table: {
    need: { rows: list(list(cell, PIECE.tableCells), PIECE.dataRows, 2), caption: string(PIECE.alt) },
    may: { page_size: number(1, 100), row_header_column_index: number(0, PIECE.tableCells - 1) },
  },
  raw_text: { need: { text: string(LONG, 0) }, may: {} },
  raw_number: { need: { value: number(), text: string(PIECE.id) }, may: {} },
  data_visualization: { need: { title: string(PIECE.chartTitle), chart: typed(...Object.keys(CHARTS)) }, may: {} },
  task_card: {
    need: {
      task_id: string(PIECE.id),
      title: string(PIECE.input),
      status: word("pending", "in_progress", "complete", "error"),
    },
    may: { details: typed("rich_text"), output: typed("rich_text"), sources: list(typed("url"), PIECE.options, 0) },
  },
  plan: { need: { title: string(PIECE.input) }, may: { tasks: list(anything, PIECE.options, 0) } },
};

const inputs = [
  ...pickers,
  ...SELECTS,
  "plain_text_input",
  "number_input",
  "email_text_input",
  "url_text_input",
  "rich_text_input",
  "file_input",
];

/** The classic blocks. */
const BLOCKS: Record<string, Shape> = {
  actions: {
    need: { elements: list(typed(...pressed, ...pickers, ...SELECTS, "rich_text_input"), PIECE.actions) },
    may: {},
  },
  context: { need: { elements: list(anything, PIECE.context) }, may: {} },
  context_actions: {
    need: { elements: list(typed("feedback_buttons", "icon_button"), PIECE.contextActions) },
    may: {},
  },
  divider: { need: {}, may: {} },
  file: { need: { external_id: string(PIECE.id), source: word("remote") }, may: {} },
  header: { need: { text: plain(PIECE.header) }, may: {} },
  image: {
    need: { alt_text: string(PIECE.alt, 0) },
    may: { ...picture, title: plain(PIECE.imageTitle) },
    oneOf: Object.keys(picture),
  },
  input: {
    need: { label: plain(PIECE.label), element: typed(...inputs) },
    may: { hint: plain(PIECE.label), optional: flag, dispatch_action: flag },
  },
  markdown: { need: { text: string(Number.POSITIVE_INFINITY) }, may: {} },
  rich_text: {
    need: {
      elements: list(typed("rich_text_section", "rich_text_list", "rich_text_quote", "rich_text_preformatted"), MANY),
    },
    may: {},
  },
  section: {
    need: {},
    may: {
      text: text(PIECE.section),
      fields: list(text(PIECE.field), PIECE.fields),
      accessory: typed("image", ...pressed, ...pickers, ...SELECTS),
      expand: flag,
    },
    oneOf: ["text", "fields"],
  },
  video: {
    need: {
      video_url: string(PIECE.url),
      thumbnail_url: string(PIECE.url),
      alt_text: string(PIECE.alt),
      title: plain(PIECE.videoTitle - 1),
    },
    may: {
      title_url: string(PIECE.url),
      author_name: string(PIECE.videoAuthor - 1),
      provider_name: string(PIECE.id),
      provider_icon_url: string(PIECE.url),
      description: plain(PIECE.videoTitle),
    },
  },
};

/** Everything that names its type, by that type. */
export const SHAPES: ReadonlyMap<string, Shape> = new Map(
  Object.entries({ ...ELEMENTS, ...RICH_TEXT, ...CHARTS, ...RICH_BLOCKS, ...BLOCKS }),
);

/** What a context block holds: images and texts. */
export const CONTEXT_TEXT: Rule = text(PIECE.contextText);

const ONLY_IN_MESSAGES =
  "carousel card context_actions data_table data_visualization file markdown plan table task_card";
const ANYWHERE = "actions container context divider header image input rich_text section video";

/** The blocks that each surface takes. */
export const TAKEN: Record<"message" | "modal" | "home", ReadonlySet<string>> = {
  message: new Set(`${ONLY_IN_MESSAGES} ${ANYWHERE}`.split(" ")),
  modal: new Set(`alert ${ANYWHERE}`.split(" ")),
  home: new Set(ANYWHERE.split(" ")),
};
