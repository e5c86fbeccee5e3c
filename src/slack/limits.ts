/** Slack's limits in characters or items. Source: Block Kit reference and method pages of docs.slack.dev. */
export const limits = {
  /** `chat.update` refuses a longer `text`, though `chat.postMessage` takes it; two reports count bytes, so we do too. */
  textBytes: 3_800,
  /** Slack allows 12,000 in all Markdown blocks of a message and about 13,000 in a message; the rest is ours for context. */
  markdown: 9_000,
  section: 3_000,
  header: 150,
  contextElements: 10,
  buttonLabel: 75,
  buttonValue: 2_000,
  blocks: 50,
} as const;

/** Calls a minute that Slack documents for one app in one workspace. */
export const rates = {
  updatesPerMinute: 50,
  /** One post a second and channel; short bursts are tolerated, and this many have always been. */
  postBurst: 5,
  postIntervalMs: 1_000,
} as const;
