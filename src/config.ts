import { z } from "zod";

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
  gateway?: { url: string; key: string };
  jurisdictions?: { url: string; key: string };
  storeUrl: string;
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
const level = z.enum(["debug", "info", "warn", "error"], "is none of debug, info, warn and error");
const credentials = z.string().transform((text, context) => {
  const parsed = z.record(z.string(), z.unknown()).safeParse(attempt(() => JSON.parse(text) as unknown));
  if (parsed.success) return parsed.data;
  context.addIssue("is not a JSON object");
  return z.NEVER;
});

/** Reads every setting once; throws a ConfigError that names all problems. */
export function parseConfig(environment: Environment): Config {
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

  const slack = readSlack({ given, together, problems, apiUrl: read("SLACK_API_URL", url) });
  const port = read("PORT", portNumber);
  const hasIntelligence = together(["INTELLIGENCE_URL", "INTELLIGENCE_CREDENTIALS"]);
  const intelligence = {
    url: read("INTELLIGENCE_URL", url),
    credentials: read("INTELLIGENCE_CREDENTIALS", credentials),
  };
  const hasGateway = together(["GATEWAY_URL", "GATEWAY_API_KEY"]);
  const gateway = { url: read("GATEWAY_URL", url), key: read("GATEWAY_API_KEY", gatewayKey) };
  const hasJurisdictions = together(["JURISDICTIONS_URL", "JURISDICTIONS_API_KEY"]);
  const jurisdictions = { url: read("JURISDICTIONS_URL", url), key: read("JURISDICTIONS_API_KEY", z.string()) };
  const storeUrl = read("STORE_URL", z.string().regex(/^sqlite:./, "is not sqlite:PATH"));
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
    ...(hasGateway && { gateway: { url: gateway.url ?? "", key: gateway.key ?? "" } }),
    ...(hasJurisdictions && { jurisdictions: { url: jurisdictions.url ?? "", key: jurisdictions.key ?? "" } }),
    storeUrl: storeUrl ?? "",
    logLevel: logLevel ?? "info",
    secrets: secretsIn(given, intelligence.credentials),
  };
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
  return [...names.map(given), ...textsWithin(login)].filter((value) => value !== undefined);
}

function textsWithin(value: unknown): string[] {
  if (typeof value === "string" || typeof value === "number") return [String(value)];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsWithin) : [];
}

function settingNamed(name: string): Setting {
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
