import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { WorkspaceBlock, WorkspaceMessage } from "../../local/workspace/protocol.ts";
import { buttonOf, startJourney, wordsOf } from "../support/journey.ts";

let journey: Awaited<ReturnType<typeof startJourney>>;
beforeAll(async () => {
  journey = await startJourney();
});
afterAll(() => journey.stop());

type Element = WorkspaceBlock & { action_id: string; options?: { value: string }[] };

/** Chooses the entry of a menu whose line begins like this. */
function choose({ channel, ts, blocks = [] }: WorkspaceMessage, line: string) {
  for (const block of blocks) {
    for (const { type, action_id, options = [] } of (block["elements"] ?? []) as Element[]) {
      const option = options.find(({ value }) => value.startsWith(line));
      if (!option) continue;
      const place = { container: { channel, ts }, block_id: String(block["block_id"]), action_id };
      return journey.workspace.act({ ...place, action: { type, selected_option: option } });
    }
  }
  throw new Error(`no menu with ${line}`);
}

/** The blocks of these types that a message has. */
function figuresOf({ blocks = [] }: WorkspaceMessage): string[] {
  return blocks.map(({ type }) => type).filter((type) => ["data_visualization", "table"].includes(type));
}

describe("a ranking", () => {
  it("is turned, filtered and looked into where it stands", async () => {
    const { ask, newsroom, ofBot, workspace } = journey;
    const { answer } = await ask(newsroom, "/trending", (message) => /Trending now/.test(wordsOf(message)));
    expect(answer.onlyFor).toBe(workspace.me);
    expect(figuresOf(answer)).toEqual(["data_visualization"]);
    const shows = (words: RegExp) =>
      workspace.until(() =>
        ofBot(newsroom).find(({ ts, ...message }) => ts === answer.ts && words.test(wordsOf(message))),
      );
    await workspace.act(buttonOf(answer, "Next"));
    const second = await shows(/\*6\. [^]*6–10 of/);
    await workspace.act(buttonOf(second, "Previous"));
    await choose(await shows(/\*1\. /), "trending Company");
    const companies = await shows(/Trending: Company/);
    expect(companies.onlyFor).toBe(workspace.me);
    await choose(companies, "entity ");
    const entity = await workspace.until(() => ofBot(newsroom).find((message) => /ID \d+/.test(wordsOf(message))));
    const name = /^1\. (.+?), \d/m.exec(companies.text)?.[1] ?? "nobody";
    expect(wordsOf(entity)).toContain(name);
  });

  it("has a table where Slack refuses the picture, and is plain where it refuses that too", async () => {
    const { ask, newsroom, mention, workspace } = journey;
    workspace.fail({ method: "chat.postMessage", outcome: "invalid_blocks" });
    const table = await ask(newsroom, `${mention} trending`, (message) => message.text.length > 0);
    expect(figuresOf(table.answer)).toEqual(["table"]);
    expect(wordsOf(table.answer)).toMatch(/Mentions of\nNow[^]*\n1\. /);
    workspace.fail({ method: "chat.postMessage", outcome: "invalid_blocks", times: 2 });
    const plain = await ask(newsroom, `${mention} trending person`, (message) => message.text.length > 0);
    expect(plain.answer.blocks ?? []).toEqual([]);
    expect(plain.answer.text).toMatch(/^Trending: Person.*\n1\. .*, \d+ mentions?, /);
  });

  it("comes from the gateway where the news service is out of order", async () => {
    const { ask, newsroom, sandbox } = journey;
    sandbox.fail({ fault: "html", path: "/analytics/trending", times: 9 });
    const { answer } = await ask(newsroom, "/trending topic", (message) => /Trending: /.test(wordsOf(message)));
    sandbox.clearFaults();
    expect(wordsOf(answer)).toMatch(/because the news service cannot answer now · Test key: no credits used/);
  });
});

describe("a summary", () => {
  const finished = (message: WorkspaceMessage) => /Ask about these/.test(wordsOf(message)) && !message.onlyFor;

  it("leads on to its articles, and to a question about them", async () => {
    const { ask, newsroom, ofBot, workspace } = journey;
    const { answer } = await ask(newsroom, "/summary data breach", finished);
    expect(wordsOf(answer)).toMatch(/Sources[^]*Test key: no credits used/);
    await workspace.act(buttonOf(answer, "Ask about these"));
    const window = await workspace.until(() => workspace.state().modals.at(-1));
    expect(wordsOf({ ...window, text: "" })).toContain("*Summary: data breach*");
    await workspace.close({ view: window.id });
    await workspace.act(buttonOf(answer, "Search the articles"));
    await workspace.until(() => ofBot(newsroom).find((message) => /News: data breach/.test(wordsOf(message))));
  });

  it("is written of the articles of a list, from its button", async () => {
    const { ask, newsroom, ofBot, sandbox, workspace } = journey;
    const { answer } = await ask(newsroom, "/news gold", (message) => /News: gold/.test(wordsOf(message)));
    const before = sandbox.requests.length;
    await workspace.act(buttonOf(answer, "Summarise these"));
    const summed = await workspace.until(() =>
      ofBot(newsroom).find((message) => /Summary: gold/.test(wordsOf(message)) && finished(message)),
    );
    expect(wordsOf(summed)).toMatch(/Sources/);
    const asked = sandbox.requests.slice(before).map(({ path }) => path);
    expect(asked).toContain("/intelligence/generative/generate");
    expect(asked.filter((path) => path.includes("/api/v1/"))).toEqual([]);
  });
});
