import { z } from "zod";

import { zoneNamed } from "./schedule/runs.ts";

/** One setting of the environment, explained to an operator. */
interface EnvironmentSetting {
  name: string;
  default?: string;
  example: string;
  meaning: string;
}

/** Every setting, in the order of the README's table. */
export const settings: EnvironmentSetting[] = [
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
    default: "auto",
    example: "edits",
    meaning:
      "How answers grow: `auto`, by Slack's own streams where the workspace has them and they are fresher, or by `edits` of one message alone",
  },
  {
    name: "OPERATOR_CHANNEL",
    example: "T0123456789:C0123456789",
    meaning:
      "Slack channel that is told when a service fails and when it is well again, by its ID; with many workspaces `TEAM:CHANNEL`. The log alone when not set",
  },
  { name: "LOG_LEVEL", default: "info", example: "info", meaning: "`debug`, `info`, `warn` or `error`" },
];

export interface SlackConfig {
  apiUrl: string;
  botToken?: string | undefined;
  appToken?: string | undefined;
  signingSecret?: string | undefined;
  clientId?: string | undefined;
  clientSecret?: string | undefined;
  stateSecret?: string | undefined;
}

export interface Config {
  /** Absent: the local workspace is used. */
  slack?: SlackConfig;
  port?: number | undefined;
  intelligence?: { url: string; credentials: Record<string, unknown>; model: string; truncation?: string | undefined };
  gateway?: {
    url: string;
    key: string;
    keyHeader?: "authorization" | "x-api-key" | undefined;
    model?: string | undefined;
  };
  jurisdictions?: { url: string; key: string };
  storeUrl: string;
  /** Most credits a day. */
  creditsPerDay?: number | undefined;
  /** How many questions of a person and answers in a workspace there may be. */
  limits: { questionsPerMinute: number; answersAtOnce: number };
  /** Who gets answers beside the members of a workspace. */
  allow: { guests: boolean; strangers: boolean };
  /** Who changes what comes to a channel. */
  subscribing: "members" | "admins";
  /** IANA name. */
  timeZone: string;
  streaming: { native: boolean };
  /** Where whoever runs the bot reads what is wrong; without a team, in the one workspace that there is. */
  operator?: { team?: string | undefined; channel: string } | undefined;
  logLevel: "debug" | "info" | "warn" | "error";
  /** What must never be logged. */
  secrets: string[];
}

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

const url = z.url({ protocol: /^https?$/, error: "is not an http(s) address" });
const portError = "is not a port from 0 to 65535";
const portNumber = z.coerce.number(portError).int(portError).min(0, portError).max(65_535, portError);
const gatewayKey = z.string().regex(/^svc_(live|test)_/, "does not begin with svc_live_ or svc_test_");
const whole = z
  .string()
  .regex(/^[1-9]\d{0,8}$/, "is not a whole number from 1 on")
  .transform(Number);
const zone = z.string().transform((name, context) => {
  const found = zoneNamed(name);
  if (found !== undefined) return found;
  context.addIssue("is not a time zone");
  return z.NEVER;
});
const keyHeader = z.enum(["authorization", "x-api-key"], "is neither authorization nor x-api-key");
const welcome = z.enum(["refuse", "answer"], "is neither refuse nor answer").transform((choice) => choice === "answer");
const subscribers = z.enum(["members", "admins"], "is neither members nor admins");
const streaming = z.enum(["auto", "edits"], "is neither auto nor edits");
const operator = z
  .string()
  .regex(/^(?:[TE][A-Z0-9]+:)?[CDGUW][A-Z0-9]+$/, "is no ID of a channel")
  .transform((text) => {
    const [channel = "", team] = text.split(":").toReversed();
    return { channel, ...(team && { team }) };
  });
const level = z.enum(["debug", "info", "warn", "error"], "is none of debug, info, warn and error");
const credentials = z.string().transform((text, context) => {
  const parsed = z.record(z.string(), z.unknown()).safeParse(attempt(() => JSON.parse(text) as unknown));
  if (parsed.success) return parsed.data;
  context.addIssue("is not a JSON object");
  return z.NEVER;
});

/** The environment without what concerns Slack. */
export function withoutSlack(environment: Environment): Environment {
  const own = Object.entries(environment).filter(([name]) => !/^(SLACK_|OPERATOR_CHANNEL$)/.test(name));
  return Object.fromEntries(own);
}

/** Reads every setting once; throws a ConfigError that names all problems. */
export function parseConfig(environment: Environment): Config {
  const { problems, given, read, together } = createReader(environment);
  const slack = readSlack({ given, together, problems, apiUrl: read("SLACK_API_URL", url) });
  const port = read("PORT", portNumber);
  const hasIntelligence = together(["INTELLIGENCE_URL", "INTELLIGENCE_CREDENTIALS"]);
  const intelligence = {
    url: read("INTELLIGENCE_URL", url),
    credentials: read("INTELLIGENCE_CREDENTIALS", credentials),
  };
  const hasGateway = together(["GATEWAY_URL", "GATEWAY_API_KEY"]);
  const gateway = {
    url: read("GATEWAY_URL", url),
    key: read("GATEWAY_API_KEY", gatewayKey),
    keyHeader: read("GATEWAY_KEY_HEADER", keyHeader),
  };
  const hasJurisdictions = together(["JURISDICTIONS_URL", "JURISDICTIONS_API_KEY"]);
  const jurisdictions = { url: read("JURISDICTIONS_URL", url), key: read("JURISDICTIONS_API_KEY", z.string()) };
  const storeUrl = read("STORE_URL", z.string().regex(/^sqlite:./, "is not sqlite:PATH"));
  const rules = readRules(read);
  const timeZone = read("TIMEZONE", zone);
  const isNative = read("STREAMING", streaming) !== "edits";
  const operatorPlace = read("OPERATOR_CHANNEL", operator);
  if (operatorPlace && !operatorPlace.team && given("SLACK_CLIENT_ID")) {
    problems.push(
      "OPERATOR_CHANNEL must name the workspace too. For example: OPERATOR_CHANNEL=T0123456789:C0123456789",
    );
  }
  const logLevel = read("LOG_LEVEL", level);
  if (problems.length > 0) throw new ConfigError(problems);
  return {
    ...(slack && { slack }),
    port,
    ...(hasIntelligence && {
      intelligence: {
        url: intelligence.url ?? "",
        credentials: intelligence.credentials ?? {},
        model: read("INTELLIGENCE_MODEL", z.string()) ?? "",
        truncation: given("INTELLIGENCE_TRUNCATION"),
      },
    }),
    ...(hasGateway && {
      gateway: { ...gateway, url: gateway.url ?? "", key: gateway.key ?? "", model: given("GATEWAY_MODEL") },
    }),
    ...(hasJurisdictions && { jurisdictions: { url: jurisdictions.url ?? "", key: jurisdictions.key ?? "" } }),
    storeUrl: storeUrl ?? "",
    ...rules,
    timeZone: timeZone ?? "",
    streaming: { native: isNative },
    ...(operatorPlace && { operator: operatorPlace }),
    logLevel: logLevel ?? "info",
    secrets: secretsIn(given, intelligence.credentials),
  };
}

/** What people may do, and how much. */
function readRules(
  read: ReturnType<typeof createReader>["read"],
): Pick<Config, "creditsPerDay" | "limits" | "allow" | "subscribing"> {
  return {
    creditsPerDay: read("CREDITS_PER_DAY", whole),
    limits: {
      questionsPerMinute: read("QUESTIONS_PER_MINUTE", whole) ?? 0,
      answersAtOnce: read("ANSWERS_AT_ONCE", whole) ?? 0,
    },
    allow: { guests: read("GUESTS", welcome) ?? false, strangers: read("STRANGERS", welcome) ?? false },
    subscribing: read("SUBSCRIPTIONS", subscribers) ?? "members",
  };
}

/** Reads settings one by one, and collects what is wrong with them. */
function createReader(environment: Environment) {
  const problems: string[] = [];
  const given = (name: string) => environment[name]?.trim() || undefined;

  function read<T>(name: string, schema: z.ZodType<T>): T | undefined {
    const value = given(name) ?? settingNamed(name).default;
    if (value === undefined) return undefined;
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    problems.push(`${name} ${parsed.error.issues[0]?.message ?? "cannot be read"}. ${example(name)}`);
    return undefined;
  }

  /** Settings of which one needs the others: none given is fine. */
  function together(names: string[]): boolean {
    const missing = names.filter((name) => given(name) === undefined);
    if (missing.length === names.length) return false;
    for (const name of missing) problems.push(`${name} is missing. ${example(name)}`);
    return true;
  }

  return { problems, given, read, together };
}

interface SlackReader {
  given: (name: string) => string | undefined;
  together: (names: string[]) => boolean;
  problems: string[];
  apiUrl: string | undefined;
}

function readSlack({ given, together, problems, apiUrl = "" }: SlackReader): SlackConfig | undefined {
  const names = [
    "SLACK_BOT_TOKEN",
    "SLACK_APP_TOKEN",
    "SLACK_SIGNING_SECRET",
    "SLACK_CLIENT_ID",
    "SLACK_CLIENT_SECRET",
    "SLACK_STATE_SECRET",
  ];
  if (names.every((name) => given(name) === undefined)) return undefined;
  const isMany = together(["SLACK_CLIENT_ID", "SLACK_CLIENT_SECRET", "SLACK_STATE_SECRET"]);
  const needed = isMany ? "SLACK_SIGNING_SECRET" : "SLACK_BOT_TOKEN";
  if (given(needed) === undefined) problems.push(`${needed} is missing. ${example(needed)}`);
  if (!isMany && given("SLACK_APP_TOKEN") === undefined && given("SLACK_SIGNING_SECRET") === undefined) {
    problems.push(`SLACK_APP_TOKEN is missing. ${example("SLACK_APP_TOKEN")} (or SLACK_SIGNING_SECRET for HTTP mode)`);
  }
  for (const [name, prefix] of [
    ["SLACK_BOT_TOKEN", "xoxb-"],
    ["SLACK_APP_TOKEN", "xapp-"],
  ] as const) {
    const value = given(name);
    if (value && !value.startsWith(prefix)) problems.push(`${name} does not begin with ${prefix}. ${example(name)}`);
  }
  return {
    apiUrl,
    botToken: given("SLACK_BOT_TOKEN"),
    appToken: isMany ? undefined : given("SLACK_APP_TOKEN"),
    signingSecret: given("SLACK_SIGNING_SECRET"),
    clientId: given("SLACK_CLIENT_ID"),
    clientSecret: given("SLACK_CLIENT_SECRET"),
    stateSecret: given("SLACK_STATE_SECRET"),
  };
}

function secretsIn(given: (name: string) => string | undefined, login: Record<string, unknown> | undefined): string[] {
  const names = settings.map(({ name }) => name).filter((name) => /(TOKEN|SECRET|KEY)$/.test(name));
  return [...names.map(given), ...credentialTexts(login)].filter((value) => value !== undefined);
}

function credentialTexts(value: unknown): string[] {
  if (typeof value === "string" || typeof value === "number") return [String(value)];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(credentialTexts) : [];
}

function settingNamed(name: string): EnvironmentSetting {
  const setting = settings.find((each) => each.name === name);
  if (!setting) throw new Error(`no setting ${name}`);
  return setting;
}

function example(name: string): string {
  return `For example: ${name}=${settingNamed(name).example}`;
}

function attempt(call: () => unknown): unknown {
  try {
    return call();
  } catch {
    return undefined;
  }
}
