import { z } from "zod";

import { zoneNamed } from "./schedule/runs.ts";

/** One setting of the environment, explained to an operator. */
interface EnvironmentSetting {
  default?: string;
  example: string;
  meaning: string;
  /** Its error message completes a sentence that begins with the setting's name; without one, any text will do. */
  schema?: z.ZodType;
}

const address = z.url({ protocol: /^https?$/, error: "is not an http(s) address" });
/** The address of the bot, without a slash at the end; people reach it through whatever ends TLS before it. */
export const publicUrlSchema = z.string().transform((text, context) => {
  const url = URL.parse(text);
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname));
  if (url && isSafe && !url.username && !url.password && !/[?#]/.test(text)) return url.href.replace(/\/+$/, "");
  context.addIssue("is not an https address, with nothing after its path");
  return z.NEVER;
});
const portError = "is not a port from 0 to 65535";
const port = z.coerce.number(portError).int(portError).min(0, portError).max(65_535, portError);
const gatewayKey = z.string().regex(/^svc_(live|test)_/, "does not begin with svc_live_ or svc_test_");
const makeKey = "make one with: openssl rand -base64 32";
const encryptionKeys = z.string().transform((text, context) => {
  const keys = text.split(",").map((key) => Buffer.from(key.trim(), "base64"));
  if (keys.every(({ length }) => length === 32)) return keys;
  context.addIssue(`is not 32 bytes in base64, or several such keys with commas between (${makeKey})`);
  return z.NEVER;
});
const storeUrl = z.string().regex(/^(?:sqlite:.|postgres(?:ql)?:\/\/.)/, "is neither sqlite:PATH nor postgres://…");
const wholeNumber = z
  .string()
  .regex(/^[1-9]\d{0,8}$/, "is not a whole number from 1 on")
  .transform(Number);
const timeZone = z.string().transform((name, context) => {
  const found = zoneNamed(name);
  if (found !== undefined) return found;
  context.addIssue("is not a time zone");
  return z.NEVER;
});
const operatorChannel = z
  .string()
  .regex(/^(?:[TE][A-Z0-9]+:)?[CDGUW][A-Z0-9]+$/, "is no ID of a channel")
  .transform((text) => {
    const [channel = "", team] = text.split(":").toReversed();
    return { channel, ...(team && { team }) };
  });
const jsonObject = z.string().transform((text, context): Record<string, unknown> => {
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(text));
  } catch {
    context.addIssue("is not a JSON object");
    return z.NEVER;
  }
});

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127(?:\.\d+){3}$/.test(host);
}

function beginningWith(prefix: string) {
  return z.string().startsWith(prefix, `does not begin with ${prefix}`);
}

function oneOf<const Word extends string>(...words: Word[]) {
  const last = words.at(-1);
  const others = words.slice(0, -1).join(", ");
  return z.enum(words, words.length === 2 ? `is neither ${others} nor ${last}` : `is none of ${others} and ${last}`);
}

/** Every setting once, in the order of the README's table. */
const settingTable = {
  SLACK_BOT_TOKEN: {
    example: "xoxb-1234-5678-abcd",
    meaning: "Bot token of the workspace",
    schema: beginningWith("xoxb-"),
  },
  SLACK_APP_TOKEN: {
    example: "xapp-1-A0123-456-abcd",
    meaning: "App-level token with `connections:write`, for Socket Mode: no public address needed",
    schema: beginningWith("xapp-"),
  },
  SLACK_SIGNING_SECRET: {
    example: "8f742231b10e8888abcd99yyyzzz85a5",
    meaning: "For HTTP mode, instead of Socket Mode",
  },
  PORT: {
    example: "3000",
    meaning:
      "Port of HTTP mode and of `/health`, `/livez`, `/readyz` and `/metrics`; of the page, when the local workspace runs. HTTP mode and the page use 3000 if it isn’t set, and Socket Mode then has none of these",
    schema: port,
  },
  HEALTH_TOKEN: {
    example: "YOUR-TOKEN",
    meaning:
      "Bearer token that shows the details of `/health` and `/metrics`. In HTTP mode, without one, `/health` only says whether the bot is up and there’s no `/metrics`",
    schema: z.string().min(8, "is shorter than 8 characters"),
  },
  SLACK_CLIENT_ID: {
    example: "1234.5678",
    meaning: "For many workspaces (OAuth), in HTTP mode",
  },
  SLACK_CLIENT_SECRET: {
    example: "0123456789abcdef",
    meaning: "Goes with `SLACK_CLIENT_ID`",
  },
  SLACK_STATE_SECRET: {
    example: "a-long-random-string",
    meaning: "Goes with `SLACK_CLIENT_ID`: a random text of yours that signs installations under way",
  },
  PUBLIC_URL: {
    example: "https://bellwether.example.com",
    meaning:
      "With many workspaces: where Slack and browsers reach the bot. Slack is asked to send whoever installs it back to `/slack/oauth_redirect` there",
    schema: publicUrlSchema,
  },
  SLACK_API_URL: {
    default: "https://slack.com/api/",
    example: "https://slack.com/api/",
    meaning: "Address of Slack’s Web API",
    schema: address,
  },
  INTELLIGENCE_URL: {
    example: "https://news.example.com",
    meaning: "Base URL of the news intelligence API",
    schema: address,
  },
  INTELLIGENCE_CREDENTIALS: {
    example: '{"username":"desk","password":"…"}',
    meaning: "What to log in with: the body of its login request, a JSON object",
    schema: jsonObject,
  },
  INTELLIGENCE_MODEL: {
    default: "default",
    example: "default",
    meaning: "Sent as `model` with each question",
  },
  INTELLIGENCE_TRUNCATION: {
    // The values of GenerativeTruncationStrategy are not shown: this one is assumed.
    default: "oldest_first",
    example: "oldest_first",
    meaning: "Sent as `truncationStrategy` with each question, for threads that are too long for the model",
  },
  GATEWAY_URL: {
    example: "https://gateway.example.com",
    meaning: "Base URL of the developer gateway, without `/api/v1`",
    schema: address,
  },
  GATEWAY_API_KEY: {
    example: "svc_test_abc123",
    meaning: "Its key, `svc_live_…` or `svc_test_…`",
    schema: gatewayKey,
  },
  GATEWAY_MODEL: {
    example: "MODEL-ID",
    meaning: "Language model of `chat` if a message names none; the gateway chooses if not set",
  },
  GATEWAY_KEY_HEADER: {
    default: "authorization",
    example: "x-api-key",
    meaning: "Header that its key is sent in: `authorization` or `x-api-key`",
    schema: oneOf("authorization", "x-api-key"),
  },
  JURISDICTIONS_URL: {
    example: "https://jurisdictions.example.com",
    meaning: "Base URL of the jurisdiction database",
    schema: address,
  },
  JURISDICTIONS_API_KEY: {
    example: "abc123",
    meaning: "Its key",
  },
  STORE_URL: {
    default: "sqlite:data/bellwether.sqlite",
    example: "sqlite:data/bellwether.sqlite",
    meaning: "Where state is kept: `sqlite:PATH`, or `postgres://USER:PASSWORD@HOST/DATABASE`",
    schema: storeUrl,
  },
  REPLICA_URL: {
    example: "http://10.0.0.5:3000",
    meaning:
      "How the other replicas reach this one, where several share a PostgreSQL in HTTP mode; by default the machine’s first address and `PORT`",
    schema: address,
  },
  ENCRYPTION_KEY: {
    example: "YOUR-KEY",
    meaning:
      "Encrypts the tokens of workspaces in the store, so many workspaces need it: 32 bytes in base64, as `openssl rand -base64 32` prints them. To change it, put the new key before the old one with a comma between, and take the old one away after a start",
    schema: encryptionKeys,
  },
  CREDITS_PER_DAY: {
    example: "200",
    meaning: "Most credits that a workspace may spend in a day; no limit if not set",
    schema: wholeNumber,
  },
  QUESTIONS_PER_MINUTE: {
    default: "6",
    example: "6",
    meaning: "Questions that one person may ask in a minute",
    schema: wholeNumber,
  },
  ANSWERS_AT_ONCE: {
    default: "20",
    example: "20",
    meaning: "Answers that may be written at once in a workspace; more questions wait in line",
    schema: wholeNumber,
  },
  GUESTS: {
    default: "refuse",
    example: "answer",
    meaning: "Whether guests get answers: `refuse` or `answer`",
    schema: oneOf("refuse", "answer"),
  },
  STRANGERS: {
    default: "refuse",
    example: "answer",
    meaning: "The same for people from other workspaces, in shared channels",
    schema: oneOf("refuse", "answer"),
  },
  SUBSCRIPTIONS: {
    default: "members",
    example: "admins",
    meaning:
      "Who may change a channel’s alerts and digests: its `members`, or only `admins` of the workspace. Whoever created one can always stop it",
    schema: oneOf("members", "admins"),
  },
  TIMEZONE: {
    default: "UTC",
    example: "Europe/London",
    meaning: "Time zone of days and schedules for people whose own zone Slack doesn’t know",
    schema: timeZone,
  },
  STREAMING: {
    default: "auto",
    example: "edits",
    meaning:
      "How answers grow: `auto` uses Slack’s own streaming when that’s faster, `edits` only ever edits one message",
    schema: oneOf("auto", "edits"),
  },
  OPERATOR_CHANNEL: {
    example: "T0123456789:C0123456789",
    meaning:
      "ID of a Slack channel that hears when a service fails and recovers; `TEAM:CHANNEL` with many workspaces. Only the log hears of it if not set",
    schema: operatorChannel,
  },
  LOG_LEVEL: {
    default: "info",
    example: "info",
    meaning: "`debug`, `info`, `warn` or `error`",
    schema: oneOf("debug", "info", "warn", "error"),
  },
  LOG_TEXT: {
    default: "false",
    example: "true",
    meaning: "Whether the log holds what people ask: `true` or `false`. It never does otherwise",
    schema: oneOf("true", "false"),
  },
} satisfies Record<string, EnvironmentSetting>;

type SettingTable = typeof settingTable;
type SettingName = keyof SettingTable;

/** The settings that are given, and defaults of those that have one. */
type SettingValues = {
  [Name in SettingName]:
    | (SettingTable[Name] extends { schema: infer Schema extends z.ZodType } ? z.output<Schema> : string)
    | (SettingTable[Name] extends { default: string } ? never : undefined);
};

export const settings = Object.entries<EnvironmentSetting>(settingTable).map(([name, setting]) => ({
  name,
  ...setting,
}));

/** With a signing secret HTTP mode, with a client ID any number of workspaces. */
export type SlackConfig = Partial<ReturnType<typeof slackConfig>> & { apiUrl: string };

/** The settings as the bot uses them. Without `slack`, the local workspace is used. */
export type Config = ReturnType<typeof parseConfig>;

/** The settings cannot be used; the message names all problems, each with an example. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly problems: string[];

  constructor(problems: string[]) {
    super(["Bellwether cannot start with these settings:", ...problems.map((problem) => `  - ${problem}`)].join("\n"));
    this.problems = problems;
  }
}

type Environment = Record<string, string | undefined>;

/** The environment without what concerns Slack. */
export function withoutSlack(environment: Environment): Environment {
  const own = Object.entries(environment).filter(([name]) => !/^(SLACK_|OPERATOR_CHANNEL$)/.test(name));
  return Object.fromEntries(own);
}

/** Reads every setting once; throws a ConfigError that names all problems. */
export function parseConfig(environment: Environment) {
  const given = (name: SettingName) => environment[name]?.trim() || undefined;
  const { values, problems } = readSettings(given);
  problems.push(
    ...missingOf(given, ["INTELLIGENCE_URL", "INTELLIGENCE_CREDENTIALS"]),
    ...missingOf(given, ["GATEWAY_URL", "GATEWAY_API_KEY"]),
    ...missingOf(given, ["JURISDICTIONS_URL", "JURISDICTIONS_API_KEY"]),
    ...missingOfSlack(given),
  );
  if (given("SLACK_CLIENT_ID") && values.OPERATOR_CHANNEL && !values.OPERATOR_CHANNEL.team) {
    problems.push(`OPERATOR_CHANNEL must name the workspace too. ${exampleOf("OPERATOR_CHANNEL")}`);
  }
  if (problems.length > 0) throw new ConfigError(problems);
  const { INTELLIGENCE_CREDENTIALS: credentials } = values;
  const slack: SlackConfig = slackConfig(values);
  return {
    ...(slackNames.some(given) && { slack }),
    port: values.PORT,
    ...(values.INTELLIGENCE_URL &&
      credentials && {
        intelligence: {
          url: values.INTELLIGENCE_URL,
          credentials,
          model: values.INTELLIGENCE_MODEL,
          truncation: values.INTELLIGENCE_TRUNCATION,
        },
      }),
    ...(values.GATEWAY_URL &&
      values.GATEWAY_API_KEY && {
        gateway: {
          url: values.GATEWAY_URL,
          key: values.GATEWAY_API_KEY,
          keyHeader: values.GATEWAY_KEY_HEADER,
          model: values.GATEWAY_MODEL,
        },
      }),
    ...(values.JURISDICTIONS_URL &&
      values.JURISDICTIONS_API_KEY && {
        jurisdictions: { url: values.JURISDICTIONS_URL, key: values.JURISDICTIONS_API_KEY },
      }),
    storeUrl: values.STORE_URL,
    /** The address at which other replicas reach this one. */
    replicaUrl: values.REPLICA_URL,
    creditsPerDay: values.CREDITS_PER_DAY,
    limits: { questionsPerMinute: values.QUESTIONS_PER_MINUTE, answersAtOnce: values.ANSWERS_AT_ONCE },
    /** People who get answers beside the members of a workspace. */
    allow: { guests: values.GUESTS === "answer", strangers: values.STRANGERS === "answer" },
    subscribing: values.SUBSCRIPTIONS,
    timeZone: values.TIMEZONE,
    streaming: { native: values.STREAMING === "auto" },
    ...(values.OPERATOR_CHANNEL && { operator: values.OPERATOR_CHANNEL }),
    logLevel: values.LOG_LEVEL,
    logText: values.LOG_TEXT === "true",
    healthToken: values.HEALTH_TOKEN,
    /** Texts that must never be logged. */
    secrets: [
      ...secretNames.flatMap((name) => given(name)?.split(/\s*,\s*/) ?? []),
      ...textsOfCredentials(credentials),
    ],
  };
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- these are the names of the table
const settingNames = Object.keys(settingTable) as SettingName[];
const secretNames = settingNames.filter((name) => /(TOKEN|SECRET|KEY)$/.test(name));
const slackNames = settingNames.filter((name) => name.startsWith("SLACK_") && name !== "SLACK_API_URL");

type GivenSettings = (name: SettingName) => string | undefined;

/** The values of the settings, and what is wrong with those that cannot be read. */
function readSettings(given: GivenSettings): { values: SettingValues; problems: string[] } {
  const problems: string[] = [];
  const values: Partial<Record<SettingName, unknown>> = {};
  for (const name of settingNames) {
    const { schema = z.string(), default: standard }: EnvironmentSetting = settingTable[name];
    const text = given(name) ?? standard;
    if (text === undefined) continue;
    const parsed = schema.safeParse(text);
    if (parsed.success) values[name] = parsed.data;
    else problems.push(`${name} ${parsed.error.issues[0]?.message ?? "cannot be read"}. ${exampleOf(name)}`);
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each value was read by the schema under its name
  return { values: values as SettingValues, problems };
}

/** The missing ones of settings that need each other; none if none of them is given. */
function missingOf(given: GivenSettings, names: SettingName[]): string[] {
  const missing = names.filter((name) => given(name) === undefined);
  return missing.length === names.length ? [] : missing.map(missingSetting);
}

/** One workspace needs a token, and a way to hear Slack; many workspaces need all of OAuth. */
function missingOfSlack(given: GivenSettings): string[] {
  if (!slackNames.some(given)) return [];
  const oauth: SettingName[] = ["SLACK_CLIENT_ID", "SLACK_CLIENT_SECRET", "SLACK_STATE_SECRET"];
  const isMany = oauth.some(given);
  const needed = isMany ? "SLACK_SIGNING_SECRET" : "SLACK_BOT_TOKEN";
  const isDeaf = !isMany && !given("SLACK_APP_TOKEN") && !given("SLACK_SIGNING_SECRET");
  return [
    ...missingOf(given, oauth),
    ...(given(needed) ? [] : [missingSetting(needed)]),
    ...(isMany && !given("ENCRYPTION_KEY") ? [`${missingSetting("ENCRYPTION_KEY")} (${makeKey})`] : []),
    ...(isDeaf ? [`${missingSetting("SLACK_APP_TOKEN")} (or SLACK_SIGNING_SECRET for HTTP mode)`] : []),
  ];
}

function missingSetting(name: SettingName): string {
  return `${name} is missing. ${exampleOf(name)}`;
}

function exampleOf(name: SettingName): string {
  return `For example: ${name}=${settingTable[name].example}`;
}

function slackConfig(values: SettingValues) {
  return {
    apiUrl: values.SLACK_API_URL,
    botToken: values.SLACK_BOT_TOKEN,
    // Many workspaces are served by HTTP.
    appToken: values.SLACK_CLIENT_ID ? undefined : values.SLACK_APP_TOKEN,
    signingSecret: values.SLACK_SIGNING_SECRET,
    clientId: values.SLACK_CLIENT_ID,
    clientSecret: values.SLACK_CLIENT_SECRET,
    stateSecret: values.SLACK_STATE_SECRET,
    publicUrl: values.PUBLIC_URL,
    encryptionKeys: values.ENCRYPTION_KEY,
  };
}

function textsOfCredentials(value: unknown): string[] {
  if (typeof value === "string" || typeof value === "number") return [String(value)];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsOfCredentials) : [];
}
