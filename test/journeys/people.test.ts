import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { buttonOf, says, startJourney, shownText } from "../support/journey.ts";

type Journey = Awaited<ReturnType<typeof startJourney>>;

const isAnswer = says(/Sources/);

describe("in a channel that is shared with another workspace", () => {
  let journey: Journey;
  beforeAll(async () => {
    journey = await startJourney();
  });
  afterAll(() => journey.stop());

  const partners = () => journey.channelNamed("partners");
  const question = () => ({ channel: partners(), line: `${journey.mention} Why is copper in the news?` });
  const shared = () => journey.ofBot(partners()).filter(({ onlyFor }) => !onlyFor);

  it("members are answered, and everybody in the channel can read it", async () => {
    const { workspace, personWith } = journey;
    const { ts, answer } = await journey.askAs(workspace.me, question(), isAnswer);
    expect([answer.thread_ts, answer.onlyFor]).toEqual([ts, undefined]);
    for (const user of [personWith("guest"), personWith("partner")]) {
      expect(workspace.state(user).messages[partners()]?.some((message) => message.ts === answer.ts)).toBe(true);
    }
  });

  it("guests and people of the other workspace are refused, each in a private message", async () => {
    const { askAs, personWith } = journey;
    const [guest, partner] = [personWith("guest"), personWith("partner")];
    const before = shared().length;
    for (const [user, line] of [
      [guest, question()],
      [partner, question()],
      [guest, { channel: partners(), line: "/news oil" }],
    ] as const) {
      const { answer } = await askAs(user, line, says(/I only answer members of/));
      expect(answer.onlyFor).toBe(user);
    }
    expect(shared()).toHaveLength(before);
  });

  it("what they say in a thread with the bot, without a mention, is ignored", async () => {
    const { askAs, workspace, personWith } = journey;
    const { ts: thread } = await askAs(workspace.me, question(), isAnswer);
    const before = journey.ofBot(partners()).length;
    for (const user of [personWith("guest"), personWith("partner")]) {
      await workspace.say({ channel: partners(), text: "And who loses?", user, thread_ts: thread });
    }
    await askAs(workspace.me, { channel: partners(), line: "And who gains?", thread }, isAnswer);
    expect(journey.ofBot(partners())).toHaveLength(before + 1);
  });

  it("their clicks on buttons are refused as well", async () => {
    const { askAs, workspace, personWith } = journey;
    const partner = personWith("partner");
    const line = `${journey.mention} news oil`;
    const { answer } = await askAs(workspace.me, { channel: partners(), line }, says(/Older/));
    const before = journey.ofBot(partners()).length;
    await workspace.act({ user: partner, ...buttonOf(answer, "Older") });
    const refusal = await workspace.until(() => journey.ofBot(partners())[before]);
    expect(refusal.onlyFor).toBe(partner);
    expect(journey.ofBot(partners()).find(({ ts }) => ts === answer.ts)).toEqual(answer);
  });
});

describe("a guest", () => {
  it("is refused in the direct message too", async () => {
    const journey = await startJourney();
    const guest = journey.personWith("guest");
    const channel = journey.workspace.state(guest).conversations.find(({ kind }) => kind === "im")?.id ?? "";
    const { answer } = await journey.askAs(
      guest,
      { channel, line: "Why is copper up?" },
      says(/I only answer members of/),
    );
    expect(answer.channel).toBe(channel);
    expect(journey.ofBot(channel).filter(isAnswer)).toEqual([]);
    await journey.stop();
  });

  it("gets nothing while Slack doesn’t say who they are, and a member is answered once it does", async () => {
    const { askAs, personWith, workspace, channelNamed, stop } = await startJourney();
    const line = { channel: channelNamed("partners"), line: "/news oil" };
    workspace.fail({ method: "users.info", outcome: "http_500", times: 2 });
    const { answer } = await askAs(personWith("guest"), line, says(/Try again/));
    expect(answer.onlyFor).toBe(personWith("guest"));
    workspace.fail({ method: "users.info", outcome: "ratelimited" });
    const member = await askAs(workspace.me, line, says(/News: oil/));
    expect(member.answer.onlyFor).toBe(workspace.me);
    await stop();
  });
});

describe.each([
  { settings: { GUESTS: "answer" }, answered: "guest", refused: "partner" },
  { settings: { STRANGERS: "answer" }, answered: "partner", refused: "guest" },
] as const)("with $settings", ({ settings, answered, refused }) => {
  it(`a ${answered} is answered like a member, and a ${refused} is not`, async () => {
    const { askAs, personWith, mention, channelNamed, stop } = await startJourney(settings);
    const question = { channel: channelNamed("partners"), line: `${mention} Why is copper in the news?` };
    const { ts, answer } = await askAs(personWith(answered), question, isAnswer);
    expect([answer.thread_ts, answer.onlyFor]).toEqual([ts, undefined]);
    await askAs(personWith(answered), { ...question, line: "And who gains?", thread: ts }, isAnswer);
    const other = await askAs(personWith(refused), question, says(/I only answer members of/));
    expect(other.answer.onlyFor).toBe(personWith(refused));
    await stop();
  });
});

describe("if only admins may change a channel’s subscriptions", () => {
  it("a member is told who may and what to do instead, and an admin succeeds", async () => {
    const { askAs, personWith, newsroom, workspace, stop } = await startJourney({ SUBSCRIPTIONS: "admins" });
    const [admin, member] = [personWith("admin"), workspace.me];
    const said = async (user: string, line: string, words: RegExp) =>
      (await askAs(user, { channel: newsroom, line }, says(words))).answer;
    const add = "/digests add channel 501 weekdays at 9:00";
    const refusal = await said(member, add, /admins/);
    expect([refusal.onlyFor, shownText(refusal)]).toEqual([member, expect.stringContaining("--in me")]);
    await said(admin, add, /Digest 1 is set/);
    await said(member, "/alerts add company every 10 minutes", /admins/);
    await said(admin, "/alerts add company every 10 minutes", /Alert 1 is set/);
    await said(member, "/digests list", /channel 501|1 digest/);
    for (const change of ["pause 1", "remove 1", "edit 1 daily"]) await said(member, `/digests ${change}`, /admins/);
    await said(member, `${add} --in me`, /Digest 2 is set/);
    expect((await said(admin, "/digests pause 1", /paused/)).onlyFor).toBe(admin);
    const trending = await said(member, "/trending company", /Trending/);
    const name = /^1\. (.+?) · /m.exec(trending.text)?.[1] ?? "";
    expect(shownText(await said(member, `/alerts mute ${name} 1h`, /muted/i))).toContain(name);
    await stop();
  });
});

describe("in a group direct message", () => {
  let journey: Journey;
  let group = "";
  let colleague = "";
  beforeAll(async () => {
    journey = await startJourney();
    const { workspace, bot } = journey;
    const isColleague = ({ id, role, isBot }: { id: string; role: string; isBot: boolean }) =>
      id !== workspace.me && role === "member" && !isBot;
    colleague = workspace.state().users.find(isColleague)?.id ?? "";
    group = workspace.openGroup({ users: [colleague, bot] });
  });
  afterAll(() => journey.stop());

  it("a mention is answered once, its thread goes on without mentions, and other talk is left alone", async () => {
    const { ask, mention, ofBot, workspace } = journey;
    const before = ofBot(group).length;
    const { ts, answer } = await ask(group, `${mention} Why is copper in the news?`, isAnswer);
    expect(answer.thread_ts).toBe(ts);
    await ask(group, "And who gains from that?", isAnswer, ts);
    const talk = await workspace.say({ channel: group, text: "Copper rose today" });
    await workspace.say({ channel: group, text: "Yes, by a lot", thread_ts: talk.ts ?? "" });
    await ask(group, `${mention} models`, says(/models/i));
    expect(ofBot(group)).toHaveLength(before + 3);
  });

  it("digests and alerts post as in a channel, and its members can change them from elsewhere", async () => {
    const { ask, direct } = journey;
    const { answer } = await ask(group, "/digests add channel 501 weekdays at 9:00", says(/Digest \d+ is set/));
    expect(answer.onlyFor).toBe(journey.workspace.me);
    await ask(group, "/alerts add company every 10 minutes", says(/Alert \d+ is set/));
    await ask(direct, "/digests pause 1", says(/paused/));
    await ask(direct, "/digests resume 1", says(/back on schedule/));
    await ask(group, "/digests remove 1", says(/removed/));
  });
});

describe("who sees which subscriptions", () => {
  // Tomás is not in the private channel; Mara, who uses the page, is, and has something of her own in her direct messages.
  const secret = /takeover|herring|C0REGULATE/i;
  const tomas = "U0TOMASOK1";
  let journey: Journey;

  const typed = async (user: string, channel: string, line: string, words: RegExp, thread?: string) =>
    (await journey.askAs(user, { channel, line, ...(thread && { thread }) }, says(words))).answer;

  /** All that somebody reads of the bot in the newsroom, in windows and on its page. */
  function readBy(user: string): string {
    const { messages, modals, home } = journey.workspace.state(user);
    const said = (messages[journey.newsroom] ?? []).filter((each) => each.user === journey.bot);
    const views = [...modals, ...(home ? [home] : [])].map(({ blocks }) => ({ text: "", blocks }));
    return [...said.map(({ text }) => text), ...[...said, ...views].map(shownText)].join("\n");
  }

  beforeAll(async () => {
    journey = await startJourney();
    const { workspace, newsroom, channelNamed } = journey;
    const deals = channelNamed("regulators-private");
    for (const query of ["Open 1", "Open 2", "Open 3", "Open 4", "Open 5", "Open 6"]) {
      await typed(tomas, newsroom, `/digests add search "${query}" daily at 9`, /Digest \d+ is set/);
      await typed(tomas, newsroom, `/alerts add all hourly include "${query}"`, /Alert \d+ is set/);
    }
    await typed(workspace.me, deals, '/digests add search "Falcon takeover" daily at 9', /Digest 7 is set/);
    await typed(workspace.me, deals, '/alerts add all hourly include "Falcon takeover"', /Alert 7 is set/);
    await typed(workspace.me, deals, '/digests add search "Red herring" daily at 9 --in me', /Digest 8 is set/);
    await typed(workspace.me, deals, '/alerts add all hourly include "Herring" --in me', /Alert 8 is set/);
  });
  afterAll(() => journey.stop());

  describe.each(["digest", "alert"])("a list of %ss after a mention", (noun) => {
    it("is for whoever asked alone, with their own beside those of the channel", async () => {
      const { workspace, mention, newsroom } = journey;
      const list = await typed(tomas, newsroom, `${mention} ${noun}s list`, /Open 6/);
      expect([list.onlyFor, shownText(list)]).toEqual([tomas, expect.not.stringMatching(secret)]);
      const own = await typed(workspace.me, newsroom, `${mention} ${noun}s list`, /herring/i);
      expect(own.onlyFor).toBe(workspace.me);
      expect(() => buttonOf(own, "Share in channel")).toThrow("no button");
      expect(readBy(tomas)).not.toMatch(secret);
    });

    it("reveals nothing about others by their number", async () => {
      const { workspace, mention, newsroom } = journey;
      const tested = async (number: number) =>
        shownText(await typed(workspace.me, newsroom, `${mention} ${noun}s test ${number}`, /This channel has no/));
      expect(await tested(7)).toBe((await tested(99)).replace("99", "7"));
      expect(readBy(tomas)).not.toMatch(secret);
    });
  });

  it.each(["digest", "alert"])(
    "a list by slash command shows everybody their own %ss beside those of the channel",
    async (noun) => {
      const { workspace, bot, newsroom, direct, mention } = journey;
      const own = await typed(workspace.me, newsroom, `/${noun}s list`, /herring/i);
      expect([own.onlyFor, shownText(own)]).toEqual([workspace.me, expect.stringMatching(secret)]);
      expect(shownText(await typed(tomas, newsroom, `/${noun}s list`, /Open 1/))).not.toMatch(secret);
      const group = workspace.openGroup({ users: [tomas, bot] });
      const there = await typed(
        workspace.me,
        group,
        `${mention} ${noun}s list`,
        new RegExp(`no ${noun}s|herring`, "i"),
      );
      expect(there.onlyFor).toBe(workspace.me);
      expect(shownText(await typed(workspace.me, direct, `${noun}s list`, /herring/i))).not.toMatch(/Open/);
    },
  );
});
