import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { WorkspaceBlock, WorkspaceView } from "../../local/workspace/protocol.ts";
import { startJourney, wordsOf } from "../support/journey.ts";

let journey: Awaited<ReturnType<typeof startJourney>>;
beforeAll(async () => {
  journey = await startJourney();
});
afterAll(() => journey.stop());

type Element = WorkspaceBlock & { action_id: string; value?: string; options?: { value: string }[] };

const elementsOf = ({ blocks }: WorkspaceView) =>
  blocks
    .filter(({ type }) => type === "actions")
    .flatMap((block) =>
      ((block["elements"] ?? []) as Element[]).map((element) => ({ block: String(block["block_id"]), element })),
    );

const top = () => journey.workspace.state().modals.at(-1);
const shown = (expected: RegExp) =>
  journey.workspace.until(() => {
    const view = top();
    return view && expected.test(wordsOf({ text: "", blocks: view.blocks })) ? view : undefined;
  });

/** Uses the element of a window or of the bot's own page whose line matches. */
async function use(view: WorkspaceView, line: RegExp) {
  for (const { block, element } of elementsOf(view)) {
    const option = element.options?.find(({ value }) => line.test(value));
    if (!option && !line.test(element.value ?? "")) continue;
    const { type, action_id: action, value } = element;
    const used = option ? { type, selected_option: option } : { type, value };
    return journey.workspace.act({ container: { view: view.id }, block_id: block, action_id: action, action: used });
  }
  throw new Error(`nothing runs ${line.source}`);
}

const filled = (field: string, value: string) => ({ [field]: { [field]: { type: "plain_text_input", value } } });

async function closeAll() {
  for (let view = top(); view; view = top()) await journey.workspace.close({ view: view.id });
}

describe("the jurisdictions", () => {
  it("are browsed in one window, down to the sources and back", async () => {
    const { workspace, newsroom } = journey;
    await workspace.say({ channel: newsroom, text: "/bellwether jurisdictions" });
    await use(await shown(/33 jurisdictions/), /^jurisdictions in/);
    const region = await shown(/Back/);
    await use(region, /^jurisdictions at/);
    await use(await shown(/Agencies \(/), /^jurisdictions contributors/);
    await use(await shown(/Contributors: /), /^jurisdictions sources/);
    await use(await shown(/Sources: /), /^jurisdictions contributors/);
    const back = await shown(/Contributors: /);
    expect(workspace.state().modals).toHaveLength(1);
    expect(back.id).toBe(region.id);
    await closeAll();
  });

  it("turn in place where there is no window", async () => {
    const { ask, newsroom, mention, ofBot, workspace } = journey;
    const { answer } = await ask(newsroom, `${mention} jurisdictions`, (message) => /33 juris/.test(wordsOf(message)));
    const [{ block, element } = { block: "", element: undefined }] = elementsOf({
      ...({} as WorkspaceView),
      blocks: answer.blocks ?? [],
    });
    await workspace.act({
      container: { channel: newsroom, ts: answer.ts },
      block_id: block,
      action_id: element?.action_id ?? "",
      action: { type: "static_select", selected_option: element?.options?.[0] },
    });
    const turned = await workspace.until(() =>
      ofBot(newsroom).find((message) => message.ts === answer.ts && /Back/.test(wordsOf(message))),
    );
    expect(turned.thread_ts).toBe(answer.thread_ts);
  });
});

describe("the shortcut beside a message", () => {
  it("asks for a question and answers in the message's thread", async () => {
    const { workspace, newsroom, ofBot } = journey;
    const { ts = "" } = await workspace.say({ channel: newsroom, text: "Chip makers fell today" });
    const [shortcut] = workspace.state().app.messageShortcuts;
    await workspace.shortcut({ callback_id: shortcut?.callback_id ?? "", channel: newsroom, ts });
    const view = await shown(/Chip makers fell today/);
    await workspace.submit({ view: view.id, values: filled("question", "What is behind it?") });
    const answer = await workspace.until(() =>
      ofBot(newsroom).find((message) => message.thread_ts === ts && /Sources/.test(wordsOf(message))),
    );
    expect(wordsOf(answer)).toContain(`<@${workspace.me}> asked: What is behind it?`);
    expect(top()).toBeUndefined();
  });
});

describe("the bot's own page", () => {
  const direct = () => journey.workspace.state().conversations.find(({ kind }) => kind === "im")?.id ?? "";
  async function home() {
    const { workspace } = journey;
    await workspace.open({ channel: direct(), tab: "home" });
    return workspace.until(() => workspace.state().home);
  }

  it("shows a look-up in a window", async () => {
    await use(await home(), /^trending$/);
    expect((await shown(/by trend score/i)).title).toBe("Bellwether");
    await closeAll();
  });

  it("takes a search, and shows what was found in a window", async () => {
    await use(await home(), /^prompt news$/);
    const view = await shown(/Search for/);
    await journey.workspace.submit({ view: view.id, values: filled("text", "oil") });
    expect((await shown(/News: oil/)).title).toBe("Bellwether");
    await closeAll();
  });

  it("takes a question, and says that the answer is written in the direct message", async () => {
    await use(await home(), /^prompt ask$/);
    const view = await shown(/Your question/);
    await journey.workspace.submit({ view: view.id, values: filled("text", "Why is oil up?") });
    await shown(/in our direct message/);
    const answer = await journey.workspace.until(() =>
      journey.ofBot(direct()).find((message) => /Sources/.test(wordsOf(message))),
    );
    const { answer: next } = await journey.ask(
      direct(),
      "and then?",
      (message) => /Sources/.test(wordsOf(message)),
      answer.ts,
    );
    expect(next.thread_ts).toBe(answer.ts);
    await closeAll();
  });
});

describe("a collection", () => {
  it("is made in a window, run, and says what is new", async () => {
    const { ask, newsroom, workspace } = journey;
    await workspace.say({ channel: newsroom, text: "/bellwether collections new" });
    const view = await shown(/Query/);
    await workspace.submit({ view: view.id, values: { ...filled("name", "Oil desk"), ...filled("query", "oil") } });
    await workspace.until(() =>
      journey.ofBot(newsroom).some((message) => /Created\./.test(wordsOf(message)) && message.onlyFor === workspace.me),
    );
    const run = await ask(newsroom, "/bellwether collections run oil desk", (message) =>
      /First run/.test(wordsOf(message)),
    );
    expect(wordsOf(run.answer)).toContain("Test key: no credits used");
    await ask(newsroom, "/bellwether collections run oil desk", (message) =>
      /Nothing new since/.test(wordsOf(message)),
    );
  });
});
