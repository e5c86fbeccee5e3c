import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { WorkspaceMessage } from "../../local/workspace/protocol.ts";
import { buttonOf, startJourney, shownText } from "../support/journey.ts";
import { type Answerer, type Upstream, json, plain, startUpstream, stream } from "../support/upstream.ts";

const key = "svc_test_hostile0123456789";

/** One server that stands for the gateway and the news service, and answers as a test says. */
let upstream: Upstream;
let journey: Awaited<ReturnType<typeof startJourney>>;

const login = json({ token: "t".repeat(20), userId: 1, expires: Date.now() + 3_600_000 });

beforeAll(async () => {
  upstream = await startUpstream(json({}));
  journey = await startJourney({
    GATEWAY_URL: upstream.url,
    GATEWAY_API_KEY: key,
    INTELLIGENCE_URL: upstream.url,
    INTELLIGENCE_CREDENTIALS: JSON.stringify({ user: "desk" }),
    INTELLIGENCE_MODEL: "any",
  });
});
afterAll(async () => {
  await journey.stop();
  await upstream.close();
});

/** Answers the login as it should be, everything else as a test says. */
function answers(answer: Answerer): void {
  upstream.answers((exchange) => (exchange.path.endsWith("/auth/login") ? login : answer)(exchange));
}

const isDone = ({ text }: WorkspaceMessage) => !/follows below\.$|^Thinking…$/.test(text);

/** What the bot has said, without the sign of work that leads a look-up on a slow machine. */
const results = () => journey.ofBot(journey.newsroom).filter(isDone);

async function said(line: string): Promise<WorkspaceMessage> {
  const { answer } = await journey.ask(journey.newsroom, line, isDone);
  return answer;
}

const nasty =
  "<!channel> <@U0OTHER> & > | ` \" ' *b* <http://evil.example|Log in> \u202Egnp.exe\u202C\n\n```\n&lt;!here&gt; 👩‍👩‍👧‍👦 \u0007";
const deep = "[".repeat(10_000) + "]".repeat(10_000);
const lookUps = [
  "/news oil",
  "/news channel 501",
  "/trending",
  "/bellwether models",
  "/bellwether insights",
  "/bellwether collections",
  "/bellwether collections run gold",
  "/bellwether channels",
  "/bellwether channels show gold",
  "/watchlists new Gold: Novalith",
  "/bellwether chat hello",
];
const garbage: [string, Answerer][] = [
  ["a web page", plain("<html><h1>Log in</h1></html>", "text/html")],
  ["nothing", plain("", "application/json")],
  ["a number", plain("42", "application/json")],
  ["10,000 brackets", plain(`{"data":${deep}}`, "application/json")],
  ["null lists", json({ data: { articles: null, total: null }, meta: null })],
  ["the key in its refusal", json({ error: { code: "teapot", message: `<!channel> ${key}` } }, 418)],
  ["a request ID that pings", json({}, 200, { "x-request-id": "<!channel> <@U0OTHER>" })],
  ["a redirect", json({}, 301, { location: "http://127.0.0.1:1/" })],
];

describe("a service that answers nonsense", () => {
  it.each(garbage)("such as %s leads to one message that says only what to do", async (_, answer) => {
    answers(answer);
    for (const line of lookUps) {
      const before = results().length;
      const shown = await said(line);
      const words = `${shown.text} ${JSON.stringify(shown.blocks)}`;
      expect(shown.blocks).toBeDefined();
      expect(words).not.toContain(key);
      expect(words).not.toMatch(/went wrong on my side|\[object|undefined/);
      expect(results()).toHaveLength(before + 1);
    }
  });

  it("in the texts of a well-formed answer can’t ping anybody, add a link or reverse the words", async () => {
    const article = { title: nasty, summary: nasty, source: nasty, url: "https://n.example/?a=<b>|c&d" };
    answers(json({ data: { query: nasty, articles: [article, article], total: 2 } }));
    const shown = await said("/news oil");
    expect(shownText(shown)).toContain("&lt;!channel&gt;");
    expect(shownText(shown)).toContain("<https://n.example/?a=%3Cb%3E%7Cc&amp;d|");
    expect(JSON.stringify(shown)).not.toMatch(/<!|<@U0OTHER|<http:\/\/evil|[\u202a-\u202e]/);
  });

  it("without end is cut off after a few messages", async () => {
    const text = "These words do not come to an end. ".repeat(100);
    const part = JSON.stringify({ type: "ai_part", message: { role: "assistant", content: { type: "text", text } } });
    answers(stream(Array.from({ length: 40 }, () => `event: message\ndata: ${part}\n\n`)));
    const before = journey.ofBot(journey.newsroom).length;
    await journey.workspace.say({ channel: journey.newsroom, text: "/ask why?" });
    const added = () => journey.ofBot(journey.newsroom).slice(before);
    await journey.workspace.until(() => added().some((each) => /goes on and on/.test(shownText(each))));
    expect(added().length).toBeLessThanOrEqual(5);
  });
});

describe("a list", () => {
  it("whose pages are turned 200 times at once shows one page in the end", async () => {
    const articles = Array.from({ length: 23 }, (_, index) => ({
      title: `Story ${index}`,
      url: `https://n.example/${index}`,
    }));
    answers(json({ data: { query: "oil", articles, total: 23 } }));
    const { answer } = await journey.ask(journey.newsroom, `${journey.mention} news oil`, isDone);
    const press = buttonOf(answer, "Older");
    const before = journey.ofBot(journey.newsroom).length;
    await Promise.all(Array.from({ length: 200 }, () => journey.workspace.act(press).catch(() => undefined)));
    const now = () => journey.ofBot(journey.newsroom).find(({ ts }) => ts === answer.ts) ?? answer;
    await journey.workspace.until(() => /6–10 of 23/.test(shownText(now())));
    expect(journey.ofBot(journey.newsroom)).toHaveLength(before);
  });
});

describe("hostile answers and clicks", () => {
  it("ping nobody, lose nothing and put no key into the log", () => {
    const strangers = journey.workspace.pings.filter(({ what }) => what !== `<@${journey.workspace.me}>`);
    expect(strangers).toEqual([]);
    const lines = journey.lines.join("\n");
    expect(lines).toContain("route=collections");
    expect(lines).not.toMatch(/slack\.undelivered|answer\.lost|slack\.error|TypeError|RangeError/);
    expect(lines).not.toContain(key);
  });
});
