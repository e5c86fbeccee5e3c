/** One setting of the environment, explained to an operator. */
export interface Setting {
  name: string;
  default?: string;
  example: string;
  meaning: string;
}

/** Every setting, in the order of the README's table. */
export const settings: Setting[] = [
  { name: "SLACK_BOT_TOKEN", example: "xoxb-1234-5678-abcd", meaning: "Bot token of one workspace" },
  {
    name: "SLACK_APP_TOKEN",
    example: "xapp-1-A0123-456-abcd",
    meaning: "App-level token with `connections:write`: Socket Mode, no public address needed",
  },
  {
    name: "SLACK_SIGNING_SECRET",
    example: "8f742231b10e8888abcd99yyyzzz85a5",
    meaning: "HTTP mode instead of Socket Mode",
  },
  {
    name: "PORT",
    example: "3000",
    meaning: "Port of HTTP mode (there the default is 3000) and of `/health`; in local use, of the workspace page",
  },
  { name: "SLACK_CLIENT_ID", example: "1234.5678", meaning: "Many workspaces by OAuth, in HTTP mode" },
  { name: "SLACK_CLIENT_SECRET", example: "0123456789abcdef", meaning: "Goes with `SLACK_CLIENT_ID`" },
  {
    name: "SLACK_STATE_SECRET",
    example: "a-long-random-string",
    meaning: "Goes with `SLACK_CLIENT_ID`; signs the state of an installation",
  },
  {
    name: "SLACK_API_URL",
    default: "https://slack.com/api/",
    example: "https://slack.com/api/",
    meaning: "Where Slack's Web API is",
  },
  { name: "INTELLIGENCE_URL", example: "https://news.example.com", meaning: "Base URL of the news intelligence API" },
  {
    name: "INTELLIGENCE_CREDENTIALS",
    example: '{"username":"desk","password":"…"}',
    meaning: "Body of its login, a JSON object",
  },
  {
    name: "INTELLIGENCE_MODEL",
    default: "default",
    example: "default",
    meaning: "Sent as `model` when text is generated",
  },
  {
    name: "INTELLIGENCE_TRUNCATION",
    example: "oldest_first",
    meaning: "Sent as `truncationStrategy`; left out when not set",
  },
  {
    name: "GATEWAY_URL",
    example: "https://gateway.example.com",
    meaning: "Base URL of the developer gateway, without `/api/v1`",
  },
  { name: "GATEWAY_API_KEY", example: "svc_test_abc123", meaning: "Its key, `svc_live_…` or `svc_test_…`" },
  {
    name: "GATEWAY_MODEL",
    example: "MODEL-ID",
    meaning: "The language model of `chat` where none is named; left out when not set",
  },
  {
    name: "GATEWAY_KEY_HEADER",
    default: "authorization",
    example: "x-api-key",
    meaning: "How its key is sent: `authorization` or `x-api-key`",
  },
  {
    name: "JURISDICTIONS_URL",
    example: "https://jurisdictions.example.com",
    meaning: "Base URL of the jurisdiction database",
  },
  { name: "JURISDICTIONS_API_KEY", example: "abc123", meaning: "Its key" },
  {
    name: "STORE_URL",
    default: "sqlite:data/bellwether.sqlite",
    example: "sqlite:data/bellwether.sqlite",
    meaning: "Where state lives",
  },
  {
    name: "CREDITS_PER_DAY",
    example: "200",
    meaning: "Most credits of the gateway that a workspace may spend in a day; no limit when not set",
  },
  {
    name: "QUESTIONS_PER_MINUTE",
    default: "6",
    example: "6",
    meaning: "Questions that one person may ask in a minute",
  },
  {
    name: "ANSWERS_AT_ONCE",
    default: "20",
    example: "20",
    meaning: "Answers that may be under way in a workspace; more questions wait in line",
  },
  {
    name: "GUESTS",
    default: "refuse",
    example: "answer",
    meaning: "Whether guests of a workspace get answers: `refuse` or `answer`",
  },
  {
    name: "STRANGERS",
    default: "refuse",
    example: "answer",
    meaning: "The same for people of other workspaces, in shared channels",
  },
  {
    name: "SUBSCRIPTIONS",
    default: "members",
    example: "admins",
    meaning:
      "Who changes what comes to a channel: its `members`, or `admins` of the workspace; whoever asked for something may always end it",
  },
  {
    name: "TIMEZONE",
    default: "UTC",
    example: "Europe/London",
    meaning: "Time zone in which a day begins, and of schedules that name none",
  },
  {
    name: "STREAMING",
    default: "edits",
    example: "native",
    meaning:
      "How answers appear: `edits` of one message, or `native`, which adds Slack's own streams where it has them",
  },
  {
    name: "PACE",
    default: "strict",
    example: "bold",
    meaning:
      "How close to Slack's limits edits go: `strict` is safe, `bold` is fresher and gives way at the first refusal",
  },
  {
    name: "OPERATOR_CHANNEL",
    example: "T0123456789:C0123456789",
    meaning:
      "Slack channel that is told when a service fails and when it is well again, by its ID; with many workspaces `TEAM:CHANNEL`. The log alone when not set",
  },
  {
    name: "DELIVERY",
    default: "at-most-once",
    example: "at-least-once",
    meaning:
      "What becomes of a post that may stand in Slack where its channel's history cannot be read: `at-most-once` leaves it, `at-least-once` sends it again",
  },
  {
    name: "POSTS_PER_MINUTE",
    default: "300",
    example: "300",
    meaning: "Most posts a minute into all channels of a workspace together; Slack says “several hundred”",
  },
  { name: "LOG_LEVEL", default: "info", example: "info", meaning: "`debug`, `info`, `warn` or `error`" },
];
