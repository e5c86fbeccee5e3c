import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { WorkspaceMessage } from "../../local/workspace/protocol.ts";
import { startJourney, wordsOf } from "../support/journey.ts";

let journey: Awaited<ReturnType<typeof startJourney>>;
beforeAll(async () => {
  journey = await startJourney();
});
afterAll(() => journey.stop());

const says = (expected: RegExp) => (message: WorkspaceMessage) => expected.test(wordsOf(message));
const isAnswer = says(/Sources/);

function colleagues() {
  const { workspace } = journey;
  return workspace.state().users.filter(({ id, role, isBot }) => id !== workspace.me && role === "member" && !isBot);
}

/** A group of two people and the bot, a new one for each number. */
function group(number: number): string {
  const user = colleagues()[number]?.id ?? "";
  return journey.workspace.openGroup({ users: [user, journey.bot] });
}

describe("a group direct message", () => {
  it("is answered when it mentions the bot, once, in a thread that goes on without a mention", async () => {
    const { ask, mention, ofBot } = journey;
    const channel = group(0);
    const { ts, answer } = await ask(channel, `${mention} Why is copper in the news?`, isAnswer);
    expect(answer.thread_ts).toBe(ts);
    const { answer: next } = await ask(channel, "And who gains from that?", isAnswer, ts);
    expect(next.thread_ts).toBe(ts);
    expect(ofBot(channel)).toHaveLength(2);
  });

  it("is left to its people where they talk to each other", async () => {
    const { ask, mention, ofBot, workspace } = journey;
    const channel = group(1);
    const { ts = "" } = await workspace.say({ channel, text: "Copper rose today" });
    await workspace.say({ channel, text: "Yes, by a lot", thread_ts: ts });
    await ask(channel, `${mention} models`, says(/Language models/));
    expect(ofBot(channel)).toHaveLength(1);
  });

  it("takes the same commands, after a mention and as slash commands, and answers them alone", async () => {
    const { ask, mention, workspace } = journey;
    const channel = group(1);
    const slash = await ask(channel, "/news oil", says(/News: oil/));
    expect([slash.answer.onlyFor, slash.answer.channel]).toEqual([workspace.me, channel]);
    await ask(channel, `${mention} news oil`, says(/News: oil/));
    await ask(channel, `${mention} threads off`, says(/only when I.* mentioned/));
  });

  it("gets digests and alerts like a channel, which whoever is in it can change from elsewhere", async () => {
    const { ask } = journey;
    const channel = group(2);
    const { answer } = await ask(channel, "/digests add channel 501 weekdays at 9:00", says(/Digest \d+ is set/));
    expect(wordsOf(answer)).not.toMatch(/invite|direct message to you/i);
    await ask(channel, "/alerts add company every 10 minutes", says(/Alert \d+ is set/));
    await ask(channel, "/digests list", says(/1 digest/));
    const { number } = /Digest (?<number>\d+) is set/.exec(wordsOf(answer))?.groups ?? {};
    const [own] = journey.workspace.state().conversations.filter(({ kind }) => kind === "im");
    await ask(own?.id ?? "", `/digests pause ${number}`, says(/is paused/));
    await ask(own?.id ?? "", `/digests resume ${number}`, says(/is resumed/));
    await ask(channel, `/digests remove ${number}`, says(/is removed/));
  });

  it("can be chosen in a window, which offers it where it is opened there", async () => {
    const { workspace, ofBot } = journey;
    const channel = group(2);
    await workspace.say({ channel, text: "/digests add" });
    const view = await workspace.until(() => workspace.state().modals.find(({ title }) => title === "New digest"));
    const [picker] = view.blocks.flatMap(({ element }) => {
      const fields =
        typeof element === "object" && element !== null ? { filter: undefined, type: "", ...element } : undefined;
      return fields?.type === "conversations_select" ? [fields] : [];
    });
    expect(picker?.filter).toMatchObject({ include: expect.arrayContaining(["public", "private", "mpim", "im"]) });
    const values = {
      what: { what: { type: "plain_text_input", value: "oil" } },
      words: { words: { type: "plain_text_input", value: "weekdays at 9:00" } },
      place: { place: { type: "conversations_select", selected_conversation: channel } },
    };
    await workspace.submit({ view: view.id, values });
    const card = await workspace.until(() => ofBot(channel).find(says(/Digest \d+ is set/)));
    expect(wordsOf(card)).toMatch(/weekdays at 09:00/i);
    expect(ofBot(channel).some(says(/went wrong/))).toBe(false);
  });

  it("without the bot has its slash commands all the same", async () => {
    const { ask, workspace } = journey;
    const channel = workspace.openGroup({
      users: colleagues()
        .slice(0, 2)
        .map(({ id }) => id),
    });
    const { answer } = await ask(channel, "/news oil", says(/News: oil/));
    expect(answer.onlyFor).toBe(workspace.me);
  });
});
