/** Slack's limits in characters or items. Source: Block Kit reference and method pages of docs.slack.dev. */
export const limits = {
  /** `chat.update` refuses a longer `text`, though `chat.postMessage` takes it; two reports count bytes, so we do too. */
  textBytes: 3_800,
  /** Characters of Markdown that `text` is made from: without its marks, that is about as much as fits. */
  spokenFrom: 4_500,
  /** Slack allows 12,000 in all Markdown blocks of a message and about 13,000 in a message; the rest is ours for context. */
  markdown: 9_000,
  section: 3_000,
  header: 150,
  contextElements: 10,
  buttonLabel: 75,
  buttonValue: 2_000,
  blocks: 50,
  viewBlocks: 100,
  /** Also of the labels of its buttons. */
  viewTitle: 24,
  /** The state that a form needs to know beside its fields; Slack takes 3,000, the rest is ours for the place. */
  viewState: 2_800,
  viewMetadata: 3_000,
  /** Label and value of one entry of a menu. */
  option: 75,
  options: 100,
  /** Entries of a ⋯ menu. */
  overflow: 5,
  placeholder: 150,
  /** The most that a person may type into one field. */
  fieldText: 3_000,
  fieldLabel: 2_000,
  /** Name of what a button or menu does. */
  action: 255,
  /** In one row of buttons and menus. */
  elements: 25,
  chartTitle: 50,
  chartLabel: 20,
  chartPoints: 20,
  chartSeries: 6,
} as const;

/** Calls a minute that Slack documents for one app in one workspace. */
export const rates = {
  updatesPerMinute: 50,
  removalsPerMinute: 50,
  /** Of native streams. */
  startsPerMinute: 20,
  appendsPerMinute: 100,
  stopsPerMinute: 20,
  /** Slack documents one post a second and channel, and tolerates short bursts: this many it has always taken. */
  channelPosts: { burst: 5, intervalMs: 1_000 },
  /**
   * Posts that nobody waits for, into all channels of a workspace together: fewer than 300 in any minute, also if calls
   * take unevenly long. Slack says “several hundred”.
   */
  backgroundPosts: { burst: 3, intervalMs: 204.5 },
  /**
   * Reads of threads: 50 in any minute, of which what looks for posts leaves as many as people may need at once. Reads of
   * channels, which nobody waits for: until Slack refuses.
   */
  reads: {
    "conversations.history": { burst: 10, intervalMs: 100, keptForPeople: 0 },
    "conversations.replies": { burst: 20, intervalMs: 2_000, keptForPeople: 15 },
    "conversations.open": { burst: 10, intervalMs: 2_000, keptForPeople: 0 },
  },
} as const;
