/** What a message may hold, in characters unless said otherwise. */
export const MESSAGE = {
  /** chat.postMessage cuts here. */
  text: 40_000,
  /** chat.update refuses above this. */
  updateText: 4000,
  /** markdown_text, and all markdown blocks of a message together. */
  markdown: 12_000,
  /** All cells of a table together. */
  table: 10_000,
  /** Everything a reader sees in the blocks; observed, not documented. */
  allBlocks: 13_000,
  blocks: 50,
  /** Blocks of a type in one message. */
  most: { table: 1, data_visualization: 2 },
};

/** What a view may hold. */
export const VIEW = { bytes: 250_000, blocks: 100, title: 24, metadata: 3000, id: 255 };

/** What a piece of a block may hold. */
export const PIECE = {
  id: 255,
  url: 3000,
  section: 3000,
  field: 2000,
  fields: 10,
  header: 150,
  alt: 2000,
  imageTitle: 2000,
  label: 2000,
  actions: 25,
  context: 10,
  contextText: 3000,
  contextActions: 5,
  buttonLabel: 75,
  buttonValue: 2000,
  option: 75,
  optionValue: 75,
  options: 100,
  checks: 10,
  overflow: 5,
  placeholder: 150,
  confirmTitle: 100,
  confirmText: 300,
  confirmButton: 30,
  input: 3000,
  tableRows: 100,
  tableCells: 20,
  dataRows: 101,
  cardTitle: 150,
  cardBody: 200,
  cards: 10,
  children: 10,
  alert: 200,
  videoTitle: 200,
  videoAuthor: 50,
  chartTitle: 50,
  chartLabel: 20,
  chartSeries: 6,
  chartPoints: 20,
};
