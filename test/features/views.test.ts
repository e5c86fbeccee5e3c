import { describe, expect, it } from "vitest";

import { UnexpectedAnswer, UsageError } from "../../src/apis/errors.ts";
import { commands } from "../../src/features.ts";
import { status } from "../../src/features/account/commands.ts";
import { ask } from "../../src/features/ask/commands.ts";
import { company as lookUp } from "../../src/features/entities/commands.ts";
import { openDirectory } from "../../src/features/sources/directory.ts";
import { failureView } from "../../src/features/failure.ts";
import type { Message } from "../../src/features/feature.ts";
import { helpView } from "../../src/features/help.ts";
import { news } from "../../src/features/news/commands.ts";
import { summary } from "../../src/features/summaries/commands.ts";
import { createLatestRanking } from "../../src/features/trending/ranking.ts";
import { trending } from "../../src/features/trending/commands.ts";
import { onlyReplica } from "../../src/replicas/replicas.ts";
import type { Block } from "../../src/slack/text/message.ts";
import { statesOf } from "../support/answers.ts";
import {
  type GivenAsking,
  article,
  askServices,
  asking,
  credits,
  entity,
  memory,
  newsChannel,
  now,
  streamOf,
  trendingEntity,
} from "../support/builders.ts";
import { routesOn } from "../support/features.ts";
import { heightOf, problemsOf } from "./slack-limits.ts";

const at = { now, configured: { intelligence: true, gateway: true, jurisdictions: true } };

/** Numbers that fit nowhere. */
const wild = { used: 1e21, total: 1e15, mentions: 1e300, average: 1e-300, score: -1e300 };
const usual = { used: 5, total: 1_200, mentions: 1_234, average: 400, score: 3.14 };

/** What commands that only read use. */
const viewServices = (given: GivenAsking) => ({
  ...askServices(given),
  latestRanking: createLatestRanking(() => now),
  health: { wrong: async () => [] },
  replicas: onlyReplica,
});

/** Services that answer with this text in every field. */
async function servicesThatSay(text: string, { used, total, mentions, average, score }: typeof wild) {
  const bill = credits({ used, remaining: used });
  const ids = [1, 2, 3, 4, 5, 6];
  const entities = ids.map((id) => entity({ id, name: text, typeName: text, symbol: text, exchange: text }));
  const about = { primary: ids, secondary: ids, tertiary: ids };
  const url = `https://a.example/?q=${text}`;
  const articles = ids.map((id) => article({ id, title: text, summary: text, source: text, url, entities: about }));
  const calls = [{ id: "c", name: text, args: { query: text }, type: "tool_call" as const }];
  const message = { role: "assistant" as const, content: { type: "text" as const, text } };
  return viewServices({
    directory: await openDirectory(memory(entities.map((each) => [String(each.id), each])), () => now),
    gateway: {
      search: async (query) => ({ query, articles, total, credits: bill }),
      me: async () => ({ credits: bill }),
      streamSummary: () =>
        streamOf(
          { type: "text", text: `${text}\n[${text}](${url})` },
          { type: "sources", articles },
          { type: "credits", credits: bill },
        ),
    },
    intelligence: {
      channels: async () => [newsChannel({ id: 1, name: text }), newsChannel({ id: 2, name: text })],
      articles: async () => articles,
      entities: async () => new Map(entities.map((each) => [each.id, each])),
      trending: async () => ids.map(() => trendingEntity({ name: text, type: text, mentions, average, score })),
      generate: () =>
        streamOf(
          { type: "tool_start", calls, message },
          { type: "tool_finish", callId: "c", articleIds: ids, message },
          { type: "text", text: `${text} [${text}](${url})` },
        ),
    },
    jurisdictions: {
      lookup: () => Promise.reject(new UnexpectedAnswer({ api: "jurisdictions", operation: "lookup", detail: text })),
    },
  });
}

/** Every state of every reply that the bot can give with this text in all that comes from outside. */
async function everythingSaid(text: string, numbers = wild): Promise<[string, Message][]> {
  const to = await servicesThatSay(text, numbers);
  const nothing = viewServices({
    gateway: { search: async (query) => ({ query, articles: [], total: 0, credits: credits() }) },
    intelligence: { trending: async () => [], channels: async () => [] },
    directory: { search: () => ({ near: [] }), learn: async () => undefined },
  });
  const asked = [
    ...[text, "channel 1", `channel ${text}`, "channel"].map((line) => [news, line, to] as const),
    ...["", text].map((line) => [trending, line, to] as const),
    ...["1", text].map((line) => [lookUp, line, to] as const),
    ...[text, "oil"].flatMap((line) => [[summary, line, to] as const, [ask, line, to] as const]),
    [status, "", to] as const,
    [status, "", viewServices({ configured: { intelligence: false, gateway: false, jurisdictions: false } })] as const,
    ...[news, trending, lookUp].map((command) => [command, text, nothing] as const),
    [news, "channel", nothing] as const,
    [trending, "", nothing] as const,
  ];
  const said: [string, Message][] = [];
  for (const [command, line, services_] of asked) {
    const { states, error } = await statesOf((async () => command.run(asking(line), services_))());
    const failed = error === undefined ? [] : [failureView(error, at), failureView(error, at, states.at(-1))];
    for (const message of [...states, ...failed]) said.push([`${command.verb} ${line.slice(0, 20)}`, message]);
  }
  const routes = routesOn();
  for (const line of [`/bellwether ${text}`, `/bellwether nwes ${text}`]) {
    try {
      routes.find(line, "slash");
    } catch (error) {
      said.push([line.slice(0, 20), routes.explain(error)]);
    }
  }
  return said;
}

const hostile = [
  "plain words",
  "<!channel> <!here> <!subteam^S1>",
  "<@U1> <#C1>",
  "<https://evil.example|https://bank.example>",
  "*x* _y_ ~z~ `w`",
  "```code``` `code` and ` <!channel>",
  "a|b||c",
  "&lt;!channel&gt; &amp; & &nbsp; <",
  "> quoted\n> again\r\n\r\n\tindented\u2028end",
  "\u202Eright to left\u202C \u2066x\u2069 \u200B",
  "\u0000\u0007\u001B[31m\u009B\u007F",
  "👩‍👩‍👧‍👦🏴󠁧󠁢󠁥󠁮󠁧󠁿 ".repeat(40),
  "\uD83D lonely \uDE00",
  '"quoted" “curly” --flag —dash',
  ":warning: :smile: {time} ^",
  "x".repeat(10_000),
  "word & <b> ".repeat(1_000),
  "`".repeat(501),
  "[label](https://a.example) ![i](https://a.example/i.png) # h\n| a | b |",
  "channel 1",
  "0",
];

describe("whatever comes from outside", () => {
  it.each(hostile)("is shown harmlessly, within Slack's limits and on two phone screens: %.40j", async (text) => {
    const said = await everythingSaid(text);
    expect(said.length).toBeGreaterThan(20);
    const problems = said.flatMap(([what, message]) => problemsOf(message).map((problem) => `${what}: ${problem}`));
    expect([...new Set(problems)]).toEqual([]);
    const tall = said.filter(([, message]) => heightOf(message) > 80);
    expect(tall.map(([what, message]) => `${what}: ${heightOf(message)} lines`)).toEqual([]);
  });

  it("is found by this check: what Slack refuses is named", () => {
    const blocks: Block[] = [
      { type: "header", text: { type: "plain_text", text: "x".repeat(151) } },
      { type: "section", text: { type: "mrkdwn", text: "a > b" } },
    ];
    expect(problemsOf({ text: "<!channel> <https://a.example|b|c> & \u202E", blocks })).toEqual([
      "text with <!channel>",
      "text with <https://a.example|b|c>",
      "text with a bare ampersand",
      "text with U+202e",
      expect.stringContaining("/blocks/0/text/text"),
      "section with a >",
      "section with a lone bracket",
    ]);
    expect(problemsOf({ text: "ok", blocks: [{ type: "markdown", text: "hey <@U1>, `<@U2>`" }] })).toEqual([
      "a ping in Markdown",
    ]);
    expect(problemsOf({ text: "  " })).toEqual(["text is empty"]);
  });
});

describe("an ordinary answer", () => {
  it("fits on about one phone screen", async () => {
    const said = await everythingSaid("Oil rises as supply tightens in the north", usual);
    const views: [string, Message][] = [...said, ["help", helpView(commands, at.configured)]];
    const tall = views.filter(([, message]) => heightOf(message) > 45);
    expect(tall.map(([what, message]) => `${what}: ${heightOf(message)} lines`)).toEqual([]);
  });

  it("says in words what its blocks say", async () => {
    const said = await everythingSaid("Oil rises");
    const strange = said.filter(([, { text, blocks }]) => {
      return text.length < 6 || /undefined|null|NaN|\[object/.test(text + JSON.stringify(blocks));
    });
    expect(strange).toEqual([]);
  });

  it("of help and of every error is within the limits as well", () => {
    const views = [
      helpView(commands, at.configured),
      ...commands.map(({ verb }) => helpView(commands, at.configured, verb)),
      failureView(new UsageError("No."), at),
      failureView(new Error("x"), at, { text: "Half" }),
    ];
    expect(views.flatMap(problemsOf)).toEqual([]);
  });
});
