/** What a message may hold, in characters unless said otherwise. */
export const MESSAGE = {
  /** chat.postMessage cuts here. */
  text: 40_000,
  /** chat.update refuses above this. */
  updateText: 4000,
  /** markdown_text, and all markdown blocks of a message together. */
  markdown: 12_000,
  /** Everything a reader sees in the blocks; observed, not documented. */
  allBlocks: 13_000,
  blocks: 50,
};

/** What a view may hold. */
export const VIEW = { bytes: 250_000, blocks: 100, title: 24, metadata: 3000, id: 255 };
