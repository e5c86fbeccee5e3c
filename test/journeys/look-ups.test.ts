import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import type { WorkspaceMessage, WorkspaceView } from "../../local/workspace/protocol.ts";
import { isSign, buttonOf, elementOf, says, showMore, startJourney, shownText } from "../support/journey.ts";

let journey: Awaited<ReturnType<typeof startJourney>>;
beforeAll(async () => {
  journey = await startJourney();
});
afterAll(() => journey.stop());
beforeEach(async () => {
  for (let view = top(); view; view = top()) await journey.workspace.close({ view: view.id });
});

const top = () => journey.workspace.state().modals.at(-1);
const linksIn = (message: WorkspaceMessage): string[] => shownText(message).match(/<https:[^|]+/g) ?? [];

/** Presses a button; resolves with the message in its place once that shows the words. */
async function turned(message: WorkspaceMessage, label: string, words: RegExp) {
  await journey.workspace.act(buttonOf(message, label));
  return inPlaceOf(message, words);
}

/** The same, where what it does is shown in a message of its own. */
async function turnedBelow(message: WorkspaceMessage, label: string, words: RegExp) {
  await journey.workspace.act(buttonOf(message, label));
  return journey.workspace.until(() =>
    journey.ofBot(message.channel).find((each) => each.ts !== message.ts && says(words)(each)),
  );
}

const inPlaceOf = ({ channel, ts }: WorkspaceMessage, words: RegExp) =>
  journey.workspace.until(() => journey.ofBot(channel).find((each) => each.ts === ts && says(words)(each)));

/** The list after somebody has shared it in the channel. */
async function shared(list: WorkspaceMessage, words: RegExp) {
  const { workspace, ofBot, newsroom } = journey;
  const share = buttonOf(list, "Share in channel");
  await Promise.all([workspace.act(share), workspace.act(share)]);
  const isShared = (each: WorkspaceMessage) => !each.onlyFor && says(words)(each);
  const found = await workspace.until(() => ofBot(newsroom).find(isShared));
  expect(ofBot(newsroom).filter(isShared)).toEqual([found]);
  return found;
}

/** The topmost window once it shows the words. */
const window = (words: RegExp) =>
  journey.workspace.until(() => {
    const view = top();
    if (!view) return undefined;
    const title = { type: "header", text: { type: "plain_text", text: view.title } };
    return says(words)({ text: "", blocks: [title, ...view.blocks] }) ? view : undefined;
  });

/** Uses a menu or button of a window, or of the bot's own page, whose line matches. */
async function use(view: WorkspaceView, line: RegExp) {
  const asMessage = { channel: "", ts: "", user: "", text: "", blocks: view.blocks };
  await journey.workspace.act({ ...elementOf(asMessage, "any", line), container: { view: view.id } });
}

const filled = (field: string, value: string) => ({ [field]: { [field]: { type: "plain_text_input", value } } });

describe("a look-up", () => {
  it("is shown to whoever asked, and once in the channel if they share it", async () => {
    const answer = await journey.said("/news oil", /News: oil/);
    expect(answer.onlyFor).toBe(journey.workspace.me);
    expect(shownText(await shared(answer, /News: oil/))).toContain(`<@${journey.workspace.me}>`);
  });

  it("that is slow shows that it is working, and its result below", async () => {
    const { workspace, newsroom, sandbox } = journey;
    const before = workspace.messages(newsroom).length;
    sandbox.fail({ fault: "slow:900", path: "/search", times: 1 });
    await journey.said("/news bank", /News: bank/);
    const shown = workspace.messages(newsroom).slice(before);
    expect(shown.map(isSign)).toEqual([true, false]);
  });

  it.each(["/bellwether news gold", "MENTION news gold"])("takes the same words as %s", async (line) => {
    await journey.said(line.replace("MENTION", journey.mention), /News: gold/);
    expect(journey.lines.join("\n")).not.toMatch(/ error /);
  });

  it("works in a direct message, with or without the bot’s name, and in channels that the bot is not in", async () => {
    const { ask, direct, mention, channelNamed, workspace } = journey;
    await ask(direct, `${mention}: trending`, says(/Trending/));
    const { ts, answer } = await ask(direct, "news gold", says(/gold/i));
    expect(answer.thread_ts).toBeUndefined();
    const below = await ask(direct, "news silver", says(/silver/i), ts);
    expect(below.answer.thread_ts).toBe(ts);
    const elsewhere = await ask(channelNamed("deal-room"), "/news bank", says(/News: bank/));
    expect(elsewhere.answer.onlyFor).toBe(workspace.me);
  });

  it("finds an entity by name, and suggests it if the name is misspelt", async () => {
    const name = /^1\. (.+?) · /m.exec((await journey.said("/trending company", /Trending/)).text)?.[1] ?? "";
    expect(shownText(await journey.said(`/company ${name}`, /Ask about it/))).toContain(name);
    await journey.said(`/company ${name.slice(0, 3)}x${name.slice(3)}`, new RegExp(name));
  });

  it("reads the news of several entities together, and those that are mainly about them", async () => {
    const several = await journey.said(
      "/company NVLT, SKGW",
      /Novalith Semiconductor[^]*Skagerrak Wind[^]*Ask about them/,
    );
    const all = await turnedBelow(several, "All news", /Novalith Semiconductor, Skagerrak Wind[^]*Get a digest/);
    const countIn = (list: WorkspaceMessage) => Number(/(?:of|stories,) (\d+) artic/.exec(shownText(list))?.[1]);
    const main = await journey.said("/news entity NVLT, SKGW --tier primary", /Mainly about it · \d+ articles read/);
    expect(countIn(main)).toBeLessThan(countIn(all));
    await journey.workspace.act(buttonOf(main, "Get a digest"));
    const view = await window(/New digest/);
    await showMore(journey.workspace, "tier");
    await window(/How much about it[^]*Only this outlet/);
    await journey.workspace.close({ view: view.id });
  });

  it.each([
    ["nothing after the command", "/news"],
    ["10,000 characters", `/news ${"a".repeat(10_000)}`],
    ["an unknown flag", "/news oil --bogus"],
    ["an unknown verb", "/bellwether nwes oil"],
    ["an unknown entity", "/company zzzzqqqq"],
    ["an unknown saved channel", "/news channel zzzz"],
  ])("with %s gets one private message", async (_, line) => {
    const before = journey.ofBot(journey.newsroom).length;
    const { answer } = await journey.ask(journey.newsroom, line, ({ text }) => !text.endsWith("…"));
    expect(answer.onlyFor).toBe(journey.workspace.me);
    expect(shownText(answer)).not.toMatch(/went wrong|undefined/);
    expect(journey.ofBot(journey.newsroom)).toHaveLength(before + 1);
  });

  it("cannot ping a channel, whichever command repeats it", async () => {
    const { mention, workspace } = journey;
    const hostile = "<!channel> &lt;!here&gt; <@U0OTHER> zzqq";
    for (const command of ["/news", "/company", "/ask", mention, "/bellwether"]) {
      await journey.said(`${command} ${hostile}`, /./);
    }
    expect(workspace.pings.filter(({ what }) => what !== `<@${workspace.me}>`)).toEqual([]);
  });

  it("help lists every command, and the status says how each service answered", async () => {
    expect(shownText(await journey.said("/bellwether", /\/ask/))).toContain("/summary");
    expect(shownText(await journey.said("/bellwether status", /\d+ ms/)).match(/\d+ ms/g)).toHaveLength(3);
  });
});

describe("a list of articles", () => {
  it("is paged in place, forth and back, for the price of one search", async () => {
    const { sandbox, workspace, newsroom } = journey;
    const first = await journey.said("/news copper", /News: copper/);
    const searches = () => sandbox.requests.filter(({ path }) => path.includes("/search")).length;
    const before = { searches: searches(), messages: workspace.messages(newsroom).length };
    const second = await turned(first, "Older", /^6–10 of/m);
    expect(linksIn(second).filter((address) => !linksIn(first).includes(address)).length).toBeGreaterThanOrEqual(5);
    expect([second.onlyFor, buttonOf(second, "Share in channel").action.type]).toEqual([workspace.me, "button"]);
    expect(linksIn(await turned(second, "Newer", /^1–5 of/m))).toEqual(linksIn(first));
    expect({ searches: searches(), messages: workspace.messages(newsroom).length }).toEqual(before);
  });

  it("that everybody sees is paged for everybody, and asked about and summed up in its thread", async () => {
    const { ask, newsroom, ofBot, workspace } = journey;
    const list = await shared(await journey.said("/news lithium", /News: lithium/), /News: lithium/);
    const below = () => ofBot(newsroom).filter((each) => each.thread_ts === list.ts && each.ts !== list.ts);
    await workspace.act(buttonOf(list, "Ask about these"));
    await workspace.submit({ view: (await window(/./)).id, values: filled("question", "Who gains?") });
    await workspace.until(() => below().find(says(/Sources/)));
    const next = await ask(newsroom, "And who loses?", says(/Sources/), list.ts);
    expect(shownText(next.answer)).toContain("lithium");
    await workspace.act(buttonOf(list, "Summarise these"));
    await workspace.until(() => below().length === 3 && below().every(says(/Sources/)));
    const mine = await journey.said(`${journey.mention} news oil`, /News: oil/);
    const second = await turned(mine, "Older", /^6–10 of/m);
    expect([second.onlyFor, second.thread_ts]).toEqual([undefined, mine.thread_ts]);
    expect(() => buttonOf(second, "Share in channel")).toThrow("no button");
  });
});

describe("a ranking", () => {
  const figuresOf = ({ blocks = [] }: WorkspaceMessage) =>
    blocks.map(({ type }) => type).filter((type) => ["data_visualization", "table"].includes(type));

  it("is paged, filtered and opened in place", async () => {
    const { workspace } = journey;
    const list = await journey.said("/trending", /Trending/);
    expect([list.onlyFor, figuresOf(list)]).toEqual([workspace.me, ["data_visualization"]]);
    const second = await turned(list, "Next", /\*6\. /);
    await workspace.act(elementOf(await turned(second, "Previous", /\*1\. /), "static_select", /^trending Company/));
    const companies = await inPlaceOf(list, /Trending: Company/);
    const name = /^1\. (.+?) · \d/m.exec(companies.text)?.[1] ?? "nobody";
    await workspace.act(elementOf(companies, "static_select", /^company /));
    const isEntity = says(new RegExp(`${name}[^]*Ask about it`));
    expect(await workspace.until(() => journey.ofBot(journey.newsroom).find(isEntity))).toBeDefined();
  });

  it("leaves out its chart if Slack refuses it, and is plain text if Slack refuses the rest too", async () => {
    const { mention, workspace } = journey;
    workspace.fail({ method: "chat.postMessage", outcome: "invalid_blocks" });
    const bare = await journey.said(`${mention} trending topic`, /Trending: Topic/);
    expect([figuresOf(bare), bare.blocks?.length === 0]).toEqual([[], false]);
    workspace.fail({ method: "chat.postMessage", outcome: "invalid_blocks", times: 2 });
    const plain = await journey.said(`${mention} trending person`, /Trending: Person/);
    expect(plain.blocks ?? []).toEqual([]);
    expect(plain.text).toMatch(/\n1\. .* · \d+ articles? · /);
  });
});

describe("a summary", () => {
  it("is posted with its sources and its cost, and offers its articles and questions about them", async () => {
    const answer = await journey.said("/summary data breach", /Sources[^]*Ask about these/);
    expect(answer.onlyFor).toBeUndefined();
    await journey.workspace.act(buttonOf(answer, "Ask about these"));
    await window(/data breach/);
    await journey.workspace.act(buttonOf(answer, "Search the articles"));
    await journey.workspace.until(() => journey.ofBot(journey.newsroom).find(says(/News: data breach/)));
  });

  it("of the articles of a list is written by the news service, for no credits", async () => {
    const { sandbox, workspace, ofBot, newsroom } = journey;
    const list = await journey.said("/news gold", /News: gold/);
    const before = sandbox.requests.length;
    await workspace.act(buttonOf(list, "Summarise these"));
    await workspace.until(() => ofBot(newsroom).find(says(/Summary: gold[^]*Sources/)));
    const asked = sandbox.requests.slice(before).map(({ path }) => path);
    expect(asked).toContain("/intelligence/generative/generate");
    expect(asked.filter((path) => path.includes("/api/v1/"))).toEqual([]);
  });
});

describe("the jurisdictions", () => {
  it("are browsed in one window, down to the sources and back", async () => {
    const { workspace, newsroom } = journey;
    await workspace.say({ channel: newsroom, text: "/bellwether jurisdictions" });
    await use(await window(/33 jurisdictions/), /^jurisdictions in/);
    const region = await window(/Back/);
    await use(region, /^jurisdictions at/);
    await use(await window(/Agencies \(/), /^jurisdictions contributors/);
    await use(await window(/Contributors: /), /^jurisdictions sources/);
    await use(await window(/Sources: /), /^jurisdictions contributors/);
    expect((await window(/Contributors: /)).id).toBe(region.id);
    expect(workspace.state().modals).toHaveLength(1);
  });

  it("turn in place where there is no window", async () => {
    const answer = await journey.said(`${journey.mention} jurisdictions`, /33 juris/);
    await journey.workspace.act(elementOf(answer, "static_select", /./));
    expect((await inPlaceOf(answer, /Back/)).thread_ts).toBe(answer.thread_ts);
  });
});

describe("a regulator", () => {
  const press = async (message: WorkspaceMessage, label: string, words: RegExp) => {
    const { workspace, ofBot, newsroom } = journey;
    const before = new Set(ofBot(newsroom).map(({ ts }) => ts));
    await workspace.act(buttonOf(message, label));
    return workspace.until(() => ofBot(newsroom).find((each) => !before.has(each.ts) && says(words)(each)));
  };

  it("is found by its initials, and its news is read and followed", async () => {
    const card = await journey.said("/bellwether jurisdictions FCA", /Agency · United Kingdom · Europe/);
    const list = await press(card, "Read agency news", /Financial Conduct Authority[^]*Summarise these/);
    expect(shownText(list)).toMatch(/FCA|Financial Conduct Authority (?:bans|opens)/);
    await journey.workspace.act(buttonOf(list, "Get a digest"));
    expect((await window(/New digest/)).blocks[0]).toMatchObject({
      text: { text: expect.stringContaining("Financial Conduct Authority") },
    });
  });

  it("of which several jurisdictions have one is chosen from a list", async () => {
    const which = await journey.said("/bellwether jurisdictions AMF", /Which one do you mean/);
    const card = await turned(which, "Autorité des marchés financiers (France)", /Agency · France · Europe/);
    expect(buttonOf(card, "Its sources").action.value).toMatch(/^jurisdictions sources /);
  });
});

describe("in a message’s menu and on the bot’s Home tab", () => {
  async function home() {
    await journey.workspace.open({ channel: journey.direct, tab: "home" });
    return journey.workspace.until(() => journey.workspace.state().home);
  }

  it("the shortcut of a message asks for a question and answers in the message's thread", async () => {
    const { workspace, newsroom, ofBot } = journey;
    const { ts = "" } = await workspace.say({ channel: newsroom, text: "Chip makers fell today" });
    const [shortcut] = workspace.state().app.messageShortcuts;
    await workspace.shortcut({ callback_id: shortcut?.callback_id ?? "", channel: newsroom, ts });
    const view = await window(/Chip makers fell today/);
    await workspace.submit({ view: view.id, values: filled("question", "What is behind it?") });
    const isAnswer = (each: WorkspaceMessage) => each.thread_ts === ts && says(/What is behind it\?[^]*Sources/)(each);
    await workspace.until(() => ofBot(newsroom).find(isAnswer));
    expect(top()).toBeUndefined();
  });

  it("the page opens the window of a new digest", async () => {
    await use(await home(), /^digests add$/);
    expect(await window(/New digest/)).toBeDefined();
    await journey.workspace.close({ view: top()?.id ?? "" });
  });

  it("the page takes a question, which is answered in the direct message and goes on there", async () => {
    const { workspace, ofBot, direct, ask } = journey;
    await use(await home(), /^prompt ask$/);
    const view = await window(/question/);
    await workspace.submit({ view: view.id, values: filled("text", "Why is oil up?") });
    const answer = await workspace.until(() => ofBot(direct).find(says(/Sources/)));
    const next = await ask(direct, "and then?", says(/Sources/));
    expect(next.answer.thread_ts).toBe(next.ts);
    const below = await ask(direct, "and then?", says(/Sources/), answer.ts);
    expect(below.answer.thread_ts).toBe(answer.ts);
  });

  it("a collection is made in a window, run, and says what is new", async () => {
    const { newsroom, workspace, ofBot } = journey;
    await workspace.say({ channel: newsroom, text: "/bellwether collections new" });
    const values = { ...filled("name", "Oil desk"), ...filled("query", "oil") };
    await workspace.submit({ view: (await window(/Query/)).id, values });
    const made = await workspace.until(() => ofBot(newsroom).findLast(says(/Oil desk/)));
    expect(made.onlyFor).toBe(workspace.me);
    expect(linksIn(await journey.said("/bellwether collections run oil desk", /First run/)).length).toBeGreaterThan(0);
    await journey.said("/bellwether collections run oil desk", /Nothing new/);
  });
});
