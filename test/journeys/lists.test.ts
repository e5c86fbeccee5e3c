import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { WorkspaceBlock, WorkspaceMessage } from "../../local/workspace/protocol.ts";
import { buttonOf, startJourney, wordsOf } from "../support/journey.ts";

let journey: Awaited<ReturnType<typeof startJourney>>;
beforeAll(async () => {
  journey = await startJourney();
});
afterAll(() => journey.stop());

const linksIn = (message: WorkspaceMessage): string[] => wordsOf(message).match(/<https:[^|]+/g) ?? [];

/** The message in the same place once its words match. */
const turned = ({ channel, ts }: WorkspaceMessage, expected: RegExp) =>
  journey.workspace.until(() =>
    journey.ofBot(channel).find((message) => message.ts === ts && expected.test(wordsOf(message))),
  );

const lookUps = () => journey.sandbox.requests.filter(({ path }) => path.includes("/entity/ids/")).length;

describe("a list of articles", () => {
  it("is turned in place, there and back, for the credit of one search", async () => {
    const { ask, newsroom, sandbox, workspace } = journey;
    const { answer } = await ask(newsroom, "/news oil", (message) => /News: oil/.test(wordsOf(message)));
    const searches = () => sandbox.requests.filter(({ path }) => path.includes("/search")).length;
    const before = { searches: searches(), messages: workspace.messages(newsroom).length };
    await workspace.act(buttonOf(answer, "Older"));
    const second = await turned(answer, /^4–6 of/m);
    expect(linksIn(second)).toHaveLength(3);
    expect(linksIn(second).filter((address) => linksIn(answer).includes(address))).toEqual([]);
    expect(second.onlyFor).toBe(workspace.me);
    expect(() => buttonOf(second, "Share in channel")).not.toThrow("no button");
    await workspace.act(buttonOf(second, "Newer"));
    const first = await turned(answer, /^1–3 of/m);
    expect(linksIn(first)).toEqual(linksIn(answer));
    expect({ searches: searches(), messages: workspace.messages(newsroom).length }).toEqual(before);
  });

  it("names what a page is about with one request, and none when the page is seen again", async () => {
    const { ask, newsroom, workspace } = journey;
    const line = "/news channel Central banks";
    const before = lookUps();
    const { answer } = await ask(newsroom, line, (message) => /Central banks/.test(wordsOf(message)));
    expect(lookUps()).toBe(before + 1);
    expect(wordsOf(answer)).toMatch(/^`[^`]+`.* · also /m);
    await ask(newsroom, line, (message) => /Central banks/.test(wordsOf(message)));
    expect(lookUps()).toBe(before + 1);
    await workspace.act(buttonOf(answer, "Older"));
    const second = await turned(answer, /^4–6 of/m);
    expect(wordsOf(second)).toMatch(/^`[^`]+`/m);
    expect(lookUps()).toBeLessThanOrEqual(before + 2);
  });

  it("is turned for everybody where everybody sees it", async () => {
    const { ask, newsroom, mention, workspace } = journey;
    const { answer } = await ask(newsroom, `${mention} news oil`, (message) => /News: oil/.test(wordsOf(message)));
    await workspace.act(buttonOf(answer, "Older"));
    const second = await turned(answer, /^4–6 of/m);
    expect(second.onlyFor).toBeUndefined();
    expect(second.thread_ts).toBe(answer.thread_ts);
    expect(() => buttonOf(second, "Share in channel")).toThrow("no button");
  });
});

describe("a list that everybody sees", () => {
  it("is asked about in its own thread, which goes on about its articles without a mention", async () => {
    const { ask, newsroom, ofBot, workspace } = journey;
    const isList = (message: WorkspaceMessage) => /News: copper/.test(wordsOf(message));
    const { answer } = await ask(newsroom, "/news copper", isList);
    await workspace.act(buttonOf(answer, "Share in channel"));
    const shared = await workspace.until(() => ofBot(newsroom).find((each) => isList(each) && !each.onlyFor));
    await workspace.act(buttonOf(shared, "Ask about these"));
    const form = await workspace.until(() => workspace.state().modals.at(-1));
    const values = { question: { question: { type: "plain_text_input", value: "Who gains?" } } };
    await workspace.submit({ view: form.id, values });
    const isAnswer = ({ ts, thread_ts: thread }: WorkspaceMessage) => thread === shared.ts && ts !== shared.ts;
    const isWhole = (message: WorkspaceMessage) => isAnswer(message) && /Sources/.test(wordsOf(message));
    await workspace.until(() => ofBot(newsroom).find(isWhole));
    const next = await ask(newsroom, "And who loses?", isWhole, shared.ts);
    expect(wordsOf(next.answer)).toContain("News: copper");
    expect(ofBot(newsroom).filter(isAnswer)).toHaveLength(2);
  });
});

describe("a summary of a list that everybody sees", () => {
  it("stands in its thread", async () => {
    const { ask, newsroom, ofBot, workspace } = journey;
    const isList = (message: WorkspaceMessage) => /News: lithium/.test(wordsOf(message));
    const { answer } = await ask(newsroom, "/news lithium", isList);
    await workspace.act(buttonOf(answer, "Share in channel"));
    const shared = await workspace.until(() => ofBot(newsroom).find((each) => isList(each) && !each.onlyFor));
    await workspace.act(buttonOf(shared, "Summarise these"));
    const below = ({ thread_ts: thread, ts }: WorkspaceMessage) => thread === shared.ts && ts !== shared.ts;
    const summary = await workspace.until(() =>
      ofBot(newsroom).find((each) => below(each) && /Sources/.test(wordsOf(each))),
    );
    expect(wordsOf(summary)).toContain("lithium");
  });
});

describe("the saved channels", () => {
  it("are listed a page at a time, and read from the button beside each", async () => {
    const { ask, newsroom, workspace } = journey;
    const { answer } = await ask(newsroom, "/bellwether channels", (message) => /Saved/.test(wordsOf(message)));
    await workspace.act(buttonOf(answer, "Next"));
    const second = await turned(answer, /page 2 of 2/);
    const { accessory, block_id: block } = (second.blocks ?? []).find((each) => each["accessory"]) as WorkspaceBlock & {
      accessory: { type: string; action_id: string; value: string };
    };
    const { type, action_id: action, value } = accessory;
    const container = { channel: newsroom, ts: second.ts };
    const seen = new Set(journey.ofBot(newsroom).map(({ ts }) => ts));
    await workspace.act({ container, block_id: String(block), action_id: action, action: { type, value } });
    const read = await workspace.until(() =>
      journey.ofBot(newsroom).find((message) => !seen.has(message.ts) && /articles/.test(wordsOf(message))),
    );
    expect(linksIn(read)).toHaveLength(3);
  });

  it("and those of jurisdictions are read by their number", async () => {
    const { ask, newsroom, sandbox } = journey;
    await ask(newsroom, "/news channel 502", (message) => /Central banks/.test(wordsOf(message)));
    const unknown = await ask(newsroom, "/news channel 999999", (message) =>
      /no channel with the number 999999/.test(wordsOf(message)),
    );
    expect(wordsOf(unknown.answer)).toContain("Central banks (502)");
    expect(sandbox.requests.some(({ path, status }) => path.endsWith("/channel/id/999999") && status === 404)).toBe(
      true,
    );
  });
});
