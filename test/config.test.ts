import { describe, expect, it } from "vitest";

import { ConfigError, parseConfig, settings } from "../src/config.ts";

const oneWorkspace = { SLACK_BOT_TOKEN: "xoxb-1-2-abc", SLACK_APP_TOKEN: "xapp-1-A-2-abc" };
const manyWorkspaces = {
  SLACK_SIGNING_SECRET: "signing-secret",
  SLACK_CLIENT_ID: "1234.5678",
  SLACK_CLIENT_SECRET: "client-secret",
  SLACK_STATE_SECRET: "state-secret",
  ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64"),
};
const services = {
  INTELLIGENCE_URL: "https://news.example.com",
  INTELLIGENCE_CREDENTIALS: '{"username":"newsdesk","password":"pass-word"}',
  GATEWAY_URL: "https://gateway.example.com",
  GATEWAY_API_KEY: "svc_live_abc",
  JURISDICTIONS_URL: "https://law.example.com",
  JURISDICTIONS_API_KEY: "law-key",
};

function problemsOf(environment: Record<string, string | undefined>): string[] {
  try {
    parseConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe("parseConfig", () => {
  it("needs nothing: without any setting there is neither Slack nor a service, and the defaults hold", () => {
    expect(parseConfig({})).toEqual({
      port: undefined,
      storeUrl: "sqlite:data/bellwether.sqlite",
      creditsPerDay: undefined,
      limits: { questionsPerMinute: 6, answersAtOnce: 20 },
      allow: { guests: false, strangers: false },
      subscribing: "members",
      timeZone: "UTC",
      streaming: { native: true },
      logLevel: "info",
      logText: false,
      secrets: [],
    });
  });

  it("reads every setting", () => {
    const config = parseConfig({
      ...oneWorkspace,
      ...services,
      PORT: "8080",
      SLACK_API_URL: "https://slack.example.com/api/",
      INTELLIGENCE_MODEL: "large",
      INTELLIGENCE_TRUNCATION: "oldest_first",
      STORE_URL: "sqlite:/var/lib/bellwether.sqlite",
      CREDITS_PER_DAY: "200",
      QUESTIONS_PER_MINUTE: "3",
      ANSWERS_AT_ONCE: "40",
      GUESTS: "answer",
      SUBSCRIPTIONS: "admins",
      STRANGERS: "answer",
      TIMEZONE: "europe/london",
      LOG_LEVEL: "debug",
      LOG_TEXT: "true",
      HEALTH_TOKEN: "a-long-token",
    });
    expect(config).toMatchObject({
      slack: { apiUrl: "https://slack.example.com/api/", botToken: "xoxb-1-2-abc", appToken: "xapp-1-A-2-abc" },
      port: 8080,
      intelligence: {
        url: "https://news.example.com",
        credentials: { username: "newsdesk", password: "pass-word" },
        model: "large",
        truncation: "oldest_first",
      },
      gateway: { url: "https://gateway.example.com", key: "svc_live_abc" },
      jurisdictions: { url: "https://law.example.com", key: "law-key" },
      storeUrl: "sqlite:/var/lib/bellwether.sqlite",
      creditsPerDay: 200,
      limits: { questionsPerMinute: 3, answersAtOnce: 40 },
      allow: { guests: true, strangers: true },
      subscribing: "admins",
      timeZone: "Europe/London",
      logLevel: "debug",
      logText: true,
      healthToken: "a-long-token",
    });
  });

  it("reads the operator's channel, and needs its workspace if there are many", () => {
    const places = ["C0123", "T01:C0123", "T01:G9"].map(
      (OPERATOR_CHANNEL) => parseConfig({ OPERATOR_CHANNEL }).operator,
    );
    expect(places).toEqual([{ channel: "C0123" }, { team: "T01", channel: "C0123" }, { team: "T01", channel: "G9" }]);
    expect(() => parseConfig({ ...manyWorkspaces, OPERATOR_CHANNEL: "C0123" })).toThrow(/must name the workspace/);
    expect(parseConfig({ ...manyWorkspaces, OPERATOR_CHANNEL: "T01:C0123" }).operator?.team).toBe("T01");
  });

  it("serves many workspaces with OAuth settings, and one by HTTP with a signing secret", () => {
    expect(parseConfig(manyWorkspaces).slack).toMatchObject({
      signingSecret: "signing-secret",
      clientId: "1234.5678",
      clientSecret: "client-secret",
      stateSecret: "state-secret",
    });
    const { SLACK_BOT_TOKEN } = oneWorkspace;
    const http = parseConfig({ SLACK_BOT_TOKEN, SLACK_SIGNING_SECRET: "signing-secret" }).slack;
    expect(http).toMatchObject({ botToken: SLACK_BOT_TOKEN, signingSecret: "signing-secret" });
    expect(http?.appToken).toBeUndefined();
  });

  it.each([
    ["https://bellwether.example.com", "https://bellwether.example.com"],
    ["https://Example.com:8443/news/bot/", "https://example.com:8443/news/bot"],
    ["http://127.0.0.1:3000/", "http://127.0.0.1:3000"],
  ])("takes %s as its public address, without a slash at the end", (PUBLIC_URL, publicUrl) => {
    expect(parseConfig({ ...manyWorkspaces, PUBLIC_URL }).slack?.publicUrl).toBe(publicUrl);
  });

  it("takes empty and blank settings as not given", () => {
    const blank = Object.fromEntries(settings.map(({ name }, index) => [name, index % 2 ? "" : " \t"]));
    expect(parseConfig(blank)).toEqual(parseConfig({}));
  });
});

describe("problems with settings", () => {
  it.each([
    [{ SLACK_BOT_TOKEN: "xoxb-1" }, ["SLACK_APP_TOKEN is missing"]],
    [
      { SLACK_CLIENT_SECRET: "abc" },
      [
        "SLACK_CLIENT_ID is missing",
        "SLACK_STATE_SECRET is missing",
        "SLACK_SIGNING_SECRET is missing",
        "ENCRYPTION_KEY is missing",
      ],
    ],
    [{ ...manyWorkspaces, SLACK_CLIENT_ID: undefined }, ["SLACK_CLIENT_ID is missing"]],
    [{ ...oneWorkspace, SLACK_BOT_TOKEN: "xoxp-1" }, ["SLACK_BOT_TOKEN does not begin with xoxb-"]],
    [{ INTELLIGENCE_URL: "https://a.example" }, ["INTELLIGENCE_CREDENTIALS is missing"]],
    [{ GATEWAY_API_KEY: "svc_test_a" }, ["GATEWAY_URL is missing"]],
    [{ ...services, GATEWAY_URL: "gateway.example.com" }, ["GATEWAY_URL is not an http(s) address"]],
    [{ ...services, GATEWAY_API_KEY: "abc" }, ["GATEWAY_API_KEY does not begin with svc_live_ or svc_test_"]],
    [{ ...services, INTELLIGENCE_CREDENTIALS: "{user" }, ["INTELLIGENCE_CREDENTIALS is not a JSON object"]],
    [{ PUBLIC_URL: "http://b.example" }, ["PUBLIC_URL is not an https address, with nothing after its path"]],
    [{ PUBLIC_URL: "https://b.example/?x=1" }, ["PUBLIC_URL is not an https address, with nothing after its path"]],
    [{ PUBLIC_URL: "https://u:p@b.example" }, ["PUBLIC_URL is not an https address, with nothing after its path"]],
    [{ PORT: "http" }, ["PORT is not a port from 0 to 65535"]],
    [{ OPERATOR_CHANNEL: "#operators" }, ["OPERATOR_CHANNEL is no ID of a channel"]],
    [{ LOG_LEVEL: "loud" }, ["LOG_LEVEL is none of debug, info, warn and error"]],
    [{ CREDITS_PER_DAY: "0" }, ["CREDITS_PER_DAY is not a whole number from 1 on"]],
    [{ GUESTS: "yes" }, ["GUESTS is neither refuse nor answer"]],
    [{ TIMEZONE: "Mars/Phobos" }, ["TIMEZONE is not a time zone"]],
    [
      { ENCRYPTION_KEY: `${manyWorkspaces.ENCRYPTION_KEY},c2hvcnQ=` },
      [
        "ENCRYPTION_KEY is not 32 bytes in base64, or several such keys with commas between (make one with: openssl rand -base64 32)",
      ],
    ],
    [{ STORE_URL: "redis://localhost" }, ["STORE_URL is neither sqlite:PATH nor postgres://…"]],
  ])("are named: %j", (environment, problems) => {
    expect(problemsOf(environment).map((problem) => problem.split(". ")[0])).toEqual(problems);
  });

  it("are all named at once, each with an example that works", () => {
    const found = problemsOf({ SLACK_BOT_TOKEN: "xoxb-1", GATEWAY_URL: "nowhere", PORT: "x", LOG_LEVEL: "x" });
    const names = ["SLACK_APP_TOKEN", "PORT", "GATEWAY_API_KEY", "GATEWAY_URL", "LOG_LEVEL"];
    expect(new Set(found.map((problem) => problem.split(" ")[0]))).toEqual(new Set(names));
    for (const problem of found) expect(problem).toMatch(/For example: [A-Z_]+=\S+/);
    // Nobody is to use a key that stands in a document, so the example is none.
    const filled = (example: string) => (example === "YOUR-KEY" ? manyWorkspaces.ENCRYPTION_KEY : example);
    const examples = settings.map(({ name, example }) => [name, filled(example)]);
    expect(() => parseConfig(Object.fromEntries(examples))).not.toThrow();
  });

  it("are one message that an operator can read, without any of the secrets", () => {
    const environment = { SLACK_BOT_TOKEN: "wrong-token-7", GATEWAY_API_KEY: "wrong-key-7", STORE_URL: "x://u:pw-7@h" };
    expect(() => parseConfig(environment)).toThrow(/^Bellwether cannot start with these settings:\n(?: {2}- .+\n?)+$/);
    expect(problemsOf(environment).join("\n")).not.toMatch(/-7/);
  });
});

describe("the secrets that must never be logged", () => {
  it("are every token, secret and key", () => {
    const { secrets } = parseConfig({ ...manyWorkspaces, ...oneWorkspace, ...services });
    const { SLACK_CLIENT_ID: _, ...secretSettings } = manyWorkspaces;
    const values = [...Object.values(oneWorkspace), ...Object.values(secretSettings)];
    expect(secrets).toEqual(expect.arrayContaining([...values, "svc_live_abc", "law-key", "pass-word"]));
    expect(secrets).not.toContain("https://news.example.com");
  });

  it("include the token of the health check", () => {
    expect(parseConfig({ HEALTH_TOKEN: "a-long-token" }).secrets).toContain("a-long-token");
  });

  it("are every one of several encryption keys", () => {
    const keys = [1, 2].map((fill) => Buffer.alloc(32, fill).toString("base64"));
    const { secrets, slack } = parseConfig({ ...manyWorkspaces, ENCRYPTION_KEY: keys.join(", ") });
    expect(secrets).toEqual(expect.arrayContaining(keys));
    expect(slack?.encryptionKeys?.map((key) => key[0])).toEqual([1, 2]);
  });

  it("include every text and number within the login, however deep", () => {
    const login = { grant: { user: "newsdesk", pin: 123_456, codes: ["first-code", null] } };
    const { secrets } = parseConfig({ ...services, INTELLIGENCE_CREDENTIALS: JSON.stringify(login) });
    expect(secrets).toEqual(expect.arrayContaining(["newsdesk", "123456", "first-code"]));
  });
});
