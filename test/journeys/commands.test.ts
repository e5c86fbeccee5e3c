import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { buttonOf, startJourney, wordsOf } from "../support/journey.ts";

let journey: Awaited<ReturnType<typeof startJourney>>;
beforeAll(async () => {
  journey = await startJourney();
});
afterAll(() => journey.stop());

describe("look-ups by slash command", () => {
  it("answer only to the person who asked, with a button that shares the result once", async () => {
    const { ask, newsroom, ofBot, workspace } = journey;
    const { answer } = await ask(newsroom, "/news oil", (message) => /News: oil/.test(wordsOf(message)));
    expect(answer.onlyFor).toBe(workspace.me);
    const share = buttonOf(answer, "Share in channel");
    await Promise.all([workspace.act(share), workspace.act(share)]);
    const shared = () => ofBot(newsroom).filter((message) => !message.onlyFor && /News: oil/.test(wordsOf(message)));
    await workspace.until(
      () => shared().length > 0 && !workspace.messages(newsroom).some(({ ts }) => ts === answer.ts),
    );
    expect(shared()).toHaveLength(1);
    expect(wordsOf(shared()[0] ?? answer)).toContain(`Shared by <@${workspace.me}>`);
  });

  it("that are slow leave nothing that is not true", async () => {
    const { ask, newsroom, ofBot, sandbox } = journey;
    const before = ofBot(newsroom).length;
    sandbox.fail({ fault: "slow:900", path: "/search", times: 1 });
    await ask(newsroom, "/news oil", (message) => /News: oil/.test(wordsOf(message)));
    const [working, ...rest] = ofBot(newsroom).slice(before).map(wordsOf);
    expect(working).toBe("Searching the news… The result follows below.");
    expect(rest).toEqual([expect.stringContaining("News: oil")]);
  });

  it("work where the bot is no member", async () => {
    const { ask, channelNamed, workspace } = journey;
    const { answer } = await ask(channelNamed("deal-room"), "/news bank", (message) =>
      /News: bank/.test(wordsOf(message)),
    );
    expect(answer.onlyFor).toBe(workspace.me);
  });

  it("find an entity by name, symbol and ID, and suggest when the name is misspelt", async () => {
    const { ask, newsroom, sandbox } = journey;
    expect(sandbox.url).toBeTruthy();
    const { answer } = await ask(newsroom, "/trending company", (message) => /Trending/.test(wordsOf(message)));
    const name = /^1\. (.+?), /m.exec(answer.text)?.[1] ?? "";
    const byName = await ask(newsroom, `/entity ${name}`, (message) => /ID \d+/.test(wordsOf(message)));
    const id = /ID (\d+)/.exec(wordsOf(byName.answer))?.[1] ?? "";
    const byId = await ask(newsroom, `/entity ${id}`, (message) => /ID \d+/.test(wordsOf(message)));
    expect(wordsOf(byId.answer)).toContain(name);
    const typo = await ask(
      newsroom,
      `/entity ${name.slice(0, 3)}x${name.slice(3)}`,
      (message) => message.text.length > 0,
    );
    expect(wordsOf(typo.answer)).toContain(name);
  });
});

describe("a summary", () => {
  it("is written in public, with sources and what it cost", async () => {
    const { ask, newsroom } = journey;
    const { answer } = await ask(newsroom, "/summary data breach", (message) => /credits/i.test(wordsOf(message)));
    expect(answer.onlyFor).toBeUndefined();
    expect(wordsOf(answer)).toMatch(/Sources/);
    expect(wordsOf(answer)).toContain("Test key: no credits used");
  });
});

describe("one grammar", () => {
  it.each([
    ["after /bellwether", (mention: string) => [`/bellwether news gold`, mention] as const],
    ["after a mention", (mention: string) => [`${mention} news gold`, mention] as const],
  ])("takes the same words %s", async (_, lineOf) => {
    const { ask, newsroom, mention } = journey;
    const [line] = lineOf(mention);
    const { answer } = await ask(newsroom, line, (message) => /gold/i.test(wordsOf(message)));
    expect(wordsOf(answer)).toMatch(/News: gold|No articles match “gold”/);
  });

  it("takes them in a direct message that names the bot", async () => {
    const { ask, workspace, mention } = journey;
    const direct = workspace.state().conversations.find(({ kind }) => kind === "im")?.id ?? "";
    const { answer } = await ask(direct, `${mention}: trending`, (message) => message.text.length > 0);
    expect(wordsOf(answer)).toContain("Trending now");
  });

  it("takes them in a direct message, answered in its thread", async () => {
    const { ask, workspace } = journey;
    const direct = workspace.state().conversations.find(({ kind }) => kind === "im")?.id ?? "";
    const { ts, answer } = await ask(direct, "news gold", (message) => /gold/i.test(wordsOf(message)));
    expect(answer.thread_ts).toBe(ts);
  });
});

describe("bad input", () => {
  it.each([
    ["nothing after the command", "/news", /What are you looking for\?.*\/news QUERY/],
    ["an empty question", "/ask", /What would you like to know\?/],
    ["10,000 characters", `/news ${"a".repeat(10_000)}`, /10,000 characters long, and 500 fit/],
    ["a question of 10,000 characters", `/ask ${"why ".repeat(2_500)}`, /characters long, and 3,000 fit/],
    ["control characters", "/news \u0000\u0007\u001b[31m", /No articles match|What are you looking for/],
    ["an unknown flag", "/news oil --bogus", /--bogus.*isn’t an option/],
    ["an unknown verb", "/bellwether nwes oil", /Did you mean `\/news oil`/],
    ["an unknown entity", "/entity zzzzqqqq", /I know no entity called “zzzzqqqq”/],
    ["an unknown entity ID", "/entity 999999999", /I know no entity/],
    ["an unknown saved channel", "/news channel zzzz", /No saved channel is called “zzzz”/],
    ["an unknown type", "/trending zzzz", /Nothing of the type “zzzz”/],
  ])("%s gets one clear message that says what to do next", async (_, line, expected) => {
    const { ask, newsroom, ofBot, workspace } = journey;
    const before = ofBot(newsroom).length;
    const { answer } = await ask(newsroom, line, (message) => !message.text.endsWith("…"));
    expect(answer.onlyFor).toBe(workspace.me);
    expect(wordsOf(answer)).toMatch(expected);
    expect(ofBot(newsroom)).toHaveLength(before + 1);
  });

  it("cannot ping a channel, whichever command repeats it", async () => {
    const { ask, newsroom, mention, workspace } = journey;
    const hostile = "<!channel> &lt;!here&gt; <@U0OTHER> zzqq";
    const before = workspace.pings.length;
    for (const line of [
      `/news ${hostile}`,
      `/entity ${hostile}`,
      `/ask ${hostile}`,
      `${mention} ${hostile}`,
      `/bellwether ${hostile}`,
    ]) {
      await ask(newsroom, line, (message) => message.text.length > 0);
    }
    const strangers = workspace.pings.slice(before).filter(({ what }) => what !== `<@${workspace.me}>`);
    expect(strangers).toEqual([]);
  });
});

describe("help and status", () => {
  it("list every command, and say what each service answered", async () => {
    const { ask, newsroom } = journey;
    const help = await ask(newsroom, "/bellwether", (message) => /What I can do/.test(wordsOf(message)));
    expect(wordsOf(help.answer)).toContain("/summary QUERY");
    const status = await ask(newsroom, "/bellwether status", (message) => /Status/.test(wordsOf(message)));
    expect(wordsOf(status.answer).match(/answers in \d+ ms/g)).toHaveLength(3);
  });
});
