import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { WorkspaceMessage } from "../../local/workspace/protocol.ts";
import { buttonOf, startJourney, wordsOf } from "../support/journey.ts";

// Tomás is not in the private channel; Mara is, and has something of her own in her
// direct messages.
const secret = /takeover|herring|C0REGULATE/i;
const tomas = "U0TOMASOK1";

let journey: Awaited<ReturnType<typeof startJourney>>;
beforeAll(async () => {
  journey = await startJourney();
  const { workspace, newsroom, channelNamed } = journey;
  const deals = channelNamed("regulators-private");
  for (const query of ["Open 1", "Open 2", "Open 3", "Open 4"]) {
    await typed(tomas, newsroom, `/digests add search "${query}" daily at 9`, /Digest \d+ is set/);
    await typed(tomas, newsroom, `/alerts add all hourly include "${query}"`, /Alert \d+ is set/);
  }
  await typed(workspace.me, deals, '/digests add search "Falcon takeover" daily at 9', /Digest 5 is set/);
  await typed(workspace.me, deals, '/alerts add all hourly include "Falcon takeover"', /Alert 5 is set/);
  await typed(workspace.me, deals, '/digests add search "Red herring" daily at 9 --in me', /Digest 6 is set/);
  await typed(workspace.me, deals, '/alerts add all hourly include "Herring" --in me', /Alert 6 is set/);
});
afterAll(() => journey.stop());

const says = (expected: RegExp) => (message: WorkspaceMessage) => expected.test(wordsOf(message));

/** What the bot answers to what somebody says or types. */
async function typed(user: string, channel: string, text: string, expected: RegExp, thread?: string) {
  const { workspace, ofBot } = journey;
  const before = new Set(workspace.messages(channel).map(({ ts }) => ts));
  await workspace.say({ user, channel, text, ...(thread && { thread_ts: thread }) });
  return workspace.until(() => ofBot(channel).find((message) => !before.has(message.ts) && says(expected)(message)));
}

/** Somebody presses a button whose result takes the place of its message; resolves with that. */
async function turn(user: string, message: WorkspaceMessage, label: string, expected: RegExp) {
  const { workspace, ofBot } = journey;
  await workspace.act({ user, ...buttonOf(message, label) });
  return workspace.until(() => ofBot(message.channel).find((each) => each.ts === message.ts && says(expected)(each)));
}

/** All that somebody reads of the bot in the newsroom, in windows and on its page. */
function readBy(user: string): string {
  const { messages, modals, home } = journey.workspace.state(user);
  const said = (messages[journey.newsroom] ?? []).filter((each) => each.user === journey.bot);
  const views = [...modals, ...(home ? [home] : [])].map(({ blocks }) => ({ text: "", blocks }));
  return [...said.map(({ text }) => text), ...[...said, ...views].map(wordsOf)].join("\n");
}

describe.each(["digest", "alert"])("a list of %ss that stands in a channel for all", (noun) => {
  let standing = "";
  beforeAll(async () => {
    const { mention, newsroom } = journey;
    standing = (await typed(tomas, newsroom, `${mention} ${noun}s list`, /page 1 of 2/)).ts;
  });
  /** The list that Tomás asked for, as it stands now. */
  const list = () => journey.ofBot(journey.newsroom).find(({ ts }) => ts === standing) ?? expect.fail("no list");

  it("shows what comes there, whoever asks and whoever turns it over", async () => {
    const { workspace } = journey;
    expect(list().onlyFor).toBeUndefined();
    const second = await turn(workspace.me, list(), "Next", /page 2 of 2/);
    expect(second.onlyFor).toBeUndefined();
    expect(wordsOf(second)).toMatch(/Open 4/);
    expect(wordsOf(second)).toContain(`4 ${noun}s`);
    expect(readBy(tomas)).not.toMatch(secret);
  });

  it("names people, and calls nobody", () => {
    const words = wordsOf(list());
    expect(words).toContain("asked for by tomas");
    expect(words).not.toMatch(/<@|by you/);
  });

  it("has a button by which each gets their own, alone", async () => {
    const { workspace, newsroom } = journey;
    const before = new Set(workspace.messages(newsroom).map(({ ts }) => ts));
    await workspace.act({ user: workspace.me, ...buttonOf(list(), `My ${noun}s`) });
    const own = await workspace.until(() =>
      journey.ofBot(newsroom).find((each) => !before.has(each.ts) && each.onlyFor && says(/6 \w+s · page 1/)(each)),
    );
    expect(own.onlyFor).toBe(workspace.me);
    const second = await turn(workspace.me, own, "Next", /page 2 of 2/);
    expect([second.onlyFor, wordsOf(second)]).toEqual([workspace.me, expect.stringMatching(secret)]);
    expect(() => buttonOf(second, "Share in channel")).toThrow("no button");
    expect(readBy(tomas)).not.toMatch(secret);
  });

  it("is the same in the thread of a message, and below what somebody changes in it", async () => {
    const { workspace, mention, newsroom } = journey;
    const { ts: thread } = await workspace.say({ channel: newsroom, text: "What do we follow?", user: tomas });
    const shown = await typed(workspace.me, newsroom, `${mention} ${noun}s list`, /page 1 of 2/, thread);
    expect([shown.thread_ts, shown.onlyFor]).toEqual([thread, undefined]);
    const paused = await turn(workspace.me, shown, "Pause", /Paused by mara/);
    await turn(workspace.me, paused, "Resume", /^(?![^]*Paused by)[^]*page 1 of 2/);
    expect(readBy(tomas)).not.toMatch(secret);
  });

  it("says nothing of what whoever asks can see elsewhere, not even by its number", async () => {
    const { workspace, mention, newsroom } = journey;
    const said = async (line: string) =>
      wordsOf(await typed(workspace.me, newsroom, `${mention} ${noun}s ${line}`, / comes to this channel/));
    expect(await said("test 5")).toBe((await said("test 99")).replace("99", "5"));
    expect(readBy(tomas)).not.toMatch(secret);
  });
});

describe.each(["digest", "alert"])("what somebody may see of %ss", (noun) => {
  const inPrivate = (user: string, line: string, expected: RegExp) =>
    typed(user, journey.newsroom, `/${noun}s ${line}`, expected);

  it("is theirs and what comes where they are, in a command of their own", async () => {
    const { workspace } = journey;
    const own = await inPrivate(workspace.me, "list 2", /page 2 of 2/);
    expect([own.onlyFor, wordsOf(own)]).toEqual([workspace.me, expect.stringMatching(secret)]);
    expect(wordsOf(own)).toMatch(/asked for by you/);
    expect(wordsOf(await inPrivate(tomas, "list", /4 \w+s · page 1/))).not.toMatch(secret);
  });

  it("is listed in a group message for all who are in it, and in the direct message for one", async () => {
    const { workspace, bot, mention } = journey;
    const group = workspace.openGroup({ users: [tomas, bot] });
    const there = await typed(workspace.me, group, `${mention} ${noun}s list`, /no \w+s here yet|page/);
    expect([there.onlyFor, wordsOf(there)]).toEqual([undefined, expect.not.stringMatching(secret)]);
    const own = workspace.state().conversations.find(({ kind }) => kind === "im")?.id ?? "";
    const first = await typed(workspace.me, own, `${noun}s list`, /2 \w+s/);
    expect(wordsOf(first)).toMatch(secret);
    expect(() => buttonOf(first, `My ${noun}s`)).toThrow("no button");
  });
});
