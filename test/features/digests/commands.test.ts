import { beforeEach, describe, expect, it } from "vitest";

import { UsageError, notSetUp } from "../../../src/apis/errors.ts";
import { follow, saveFilled } from "../../../src/features/digests/commands.ts";
import { goneOrPrivate, watchlistSourceOf } from "../../../src/features/sources/watchlist.ts";
import { type Digest, isDigestDue, isSameDigest } from "../../../src/features/digests/digest.ts";
import { digestForm } from "../../../src/features/digests/form.ts";
import type { Ask, Configured, Message } from "../../../src/features/feature.ts";
import { createSubscriptions } from "../../../src/features/subscriptions/store.ts";
import { answerOf, buttonsOf, moreOf, hintOf, wordsOf } from "../../support/answers.ts";
import { article, asking, memory, newsChannel, now } from "../../support/builders.ts";
import { day, digestDesk } from "./setting.ts";
import { slackRefuses } from "../slack-limits.ts";

type Api = keyof Configured;

let desk: ReturnType<typeof digestDesk>;
beforeEach(() => {
  desk = digestDesk();
});

const say = (text: string, ask: Partial<Ask> = {}) => desk.say(text, ask);
const read = (number?: number) => desk.read(number);
const numbersOf = async (team = "T1") => (await desk.services().digests.ofTeam(team)).map(({ number }) => number);

/** The fields of a window with what stands in them. */
function fieldsOf({ blocks = [] }: Message): Record<string, string> {
  const fields = blocks.flatMap((block) => {
    if (block.type !== "input" || !block.block_id) return [];
    const { element } = block;
    if (element.type === "static_select") return [[block.block_id, element.initial_option?.value ?? ""]];
    if (element.type === "conversations_select") return [[block.block_id, element.initial_conversation ?? ""]];
    return [[block.block_id, element.type === "plain_text_input" ? (element.initial_value ?? "") : ""]];
  });
  return Object.fromEntries(fields) as Record<string, string>;
}

/** Sends a window's fields off, as they are or changed. */
function save(message: Message, changed: Record<string, string> = {}): Promise<Message> {
  const fields = { ...fieldsOf(message), ...changed };
  const filled = { fields, state: message.window?.form?.state ?? "" };
  return saveFilled(filled, asking("", { surface: "form", channel: "C0DESK" }), desk.services());
}

const undo = (card: Message) => say((buttonsOf(card)["Undo"] ?? "").replace(/^digests /, ""), { channel: "C0DESK" });

describe("digests add", () => {
  it("subscribes the channel to a source, in the time zone that is named", async () => {
    await say('add channel "gold WIRE" weekdays at 9:00 America/New_York');
    expect(await read()).toMatchObject({
      source: { kind: "channel", id: 501, name: "Gold wire" },
      schedule: { pattern: "0 9 * * 1,2,3,4,5", zone: "America/New_York" },
      channel: "C1",
      owner: "U1",
    });
  });

  it("says in two lines what it is, when and where it posts and when next, and the rest on request", async () => {
    const message = await say("add channel 501 weekdays at 9:00");
    expect(message.text).toBe(
      "Digest 1 is set. Gold wire · news channel\nWeekdays at 09:00 (Europe/London), in <#C1> · next 23 Nov, 09:00 UTC",
    );
    expect(buttonsOf(message)).toEqual({
      Undo: "digests remove 1",
      "Change…": "digests edit 1",
      Details: "digests details 1",
    });
    const details = await say("details 1");
    expect(details.text).toBe(
      [
        "Digest 1",
        "Gold wire · news channel",
        "Weekdays at 09:00 (Europe/London), in <#C1>, created by you",
        "Next: 23 Nov, 09:00 UTC, 24 Nov, 09:00 UTC, 25 Nov, 09:00 UTC",
      ].join("\n"),
    );
    expect(buttonsOf(details)).toEqual({
      "Test now": "digests test 1",
      Edit: "digests edit 1",
      Pause: "digests pause 1",
      Remove: "digests remove 1",
    });
    for (const each of [message, details]) expect(slackRefuses(each)).toEqual([]);
  });

  it("sets one for a single time, which is tomorrow’s though today’s is still to come", async () => {
    const message = await say("add channel 501 tomorrow at 23:30 UTC");
    expect(message.text).toMatch(
      /^Digest 1 is set. It posts once, then pauses\. [^]*\nOnce at 23:30[^]* · next 20 Nov, 23:30 UTC$/m,
    );
    expect((await say("add channel 501 tomorrow at 23:30 UTC")).text).toContain("already posts this");
    expect((await say("add channel 501 daily at 23:30 UTC")).text).toContain("Digest 2 is set");
  });

  it("adds nothing if the channel already gets the same at the same times, even if two people add it at once", async () => {
    const line = "add search bank of england hourly";
    await Promise.all([say('add search "Bank of  England" hourly'), say(line, { user: "U2" })]);
    const again = await say(line, { user: "U2" });
    expect(wordsOf(again)).toMatch(/^Digest 1 already posts this/);
    await say(line, { channel: "C2" });
    await say("add search bank of england daily");
    expect(await numbersOf()).toEqual([1, 2, 3]);
  });

  it("never gives a number twice, even if records are lost, and counts separately in each workspace", async () => {
    const records = memory<Digest>();
    const numbers = memory<number>();
    const stored = { records, numbers, isSame: isSameDigest, isDue: isDigestDue };
    desk = digestDesk({ digests: createSubscriptions<Digest>(stored) });
    await say("add search one daily");
    await say("add search two daily");
    await say("remove 1");
    await records.delete("T1 1");
    await numbers.delete("T1");
    desk = digestDesk({ digests: createSubscriptions<Digest>(stored) });
    await say("add search three daily");
    await say("add search three daily", { team: "T2" });
    expect([await numbersOf(), await numbersOf("T2")]).toEqual([[2, 3], [1]]);
  });

  it("takes the operator’s time zone if Slack doesn’t know the asker’s, or gives one that doesn’t exist", async () => {
    for (const zone of [undefined, "Mars/Olympus"]) {
      desk = digestDesk({ people: { timeZone: async () => zone } });
      await say("add search gold daily");
      expect((await read()).schedule.zone).toBe("UTC");
    }
  });

  it.each([
    ["add search gold evry 5 minutes hourly now 9:00", /“hourly” looks like a time, and I can’t fit it in/],
    ["nonsense", /`\/digests` takes `list`, `add`/],
    ["pause", /Which digest\?.*`\/digests pause 2`/],
    ["pause 2 3", /Which digest\?/],
    ["test 1", /There’s no digest 1 here/],
  ])("%s is answered with what to type", async (line, expected) => {
    expect(await desk.hint(line)).toMatch(expected);
  });

  it("opens a window if the source or the schedule is missing, and says what to type if Slack can’t open one", async () => {
    const empty = await say("add");
    expect(empty.window).toMatchObject({ title: "New digest", form: { name: "digest", submit: "Save", state: "" } });
    expect((await say("add channel 501")).window?.form?.state).toBe('{"wanted":{"kind":"channel","what":"501"}}');
    const mention = { surface: "mention" } as const;
    expect(await desk.hint("add", mention)).toMatch(/What should I follow, and when\?/);
    expect(await desk.hint("add channel 501", mention)).toMatch(/^When should it post\?/);
  });
});

describe("the window of a new digest", () => {
  it("saves, shows the next time and what it costs, and can be undone", async () => {
    const window = await say("add", { channel: "C0DESK" });
    const card = await save(window, {
      kind: "search",
      "source-search": "gold",
      when: "other",
      words: "Mondays 8:30",
      isCompact: "on",
      max: "5",
      empty: "warn 5",
    });
    expect(card.text.split("\n").slice(1)).toEqual([
      "Mondays at 08:30 (Europe/London), in <#C0DESK> · next 23 Nov, 08:30 UTC · one line each · at most 5 stories · warns after 5 quiet runs · costs 1 credit a run",
    ]);
    expect(await read()).toMatchObject({
      source: { kind: "search", query: "gold" },
      schedule: { words: "Mondays at 08:30", zone: "Europe/London" },
      style: { isCompact: true, max: 5, empty: 5 },
      channel: "C0DESK",
    });
    await undo(card);
    expect((await read()).state).toBe("removed");
  });

  it("says under its field that the bot can’t post in a channel, and lets an edited digest stay in its own", async () => {
    await say("add channel 501 daily", { channel: "C0DESK" });
    desk = digestDesk({ digests: desk.services().digests, slackChannels: { stateOf: async () => "closed" } });
    const ask = { team: "T1", user: "U1", channel: "C0DESK", surface: "form" } as const;
    const check = (place: string, state: string) =>
      digestForm.check?.({ fields: place ? { place } : {}, state }, ask, desk.services());
    const lost = { place: expect.stringMatching(/^[^<#]+$/) };
    expect(await check("C0DESK", "")).toEqual(lost);
    expect(await check("C0DESK", '{"number":1}')).toEqual({});
    expect(await check("C0OTHER", '{"number":1}')).toEqual(lost);
    expect(await check("", "")).toEqual({});
  });

  const apis: Api[] = ["intelligence", "gateway", "jurisdictions"];
  /** A desk where these services are set up; each of the others says that it is not. */
  function deskWith(...configured: Api[]) {
    const missing = (api: Api) => async () => Promise.reject(new UsageError(`${api} is not set up here.`));
    return digestDesk({
      configured: Object.fromEntries(apis.map((api) => [api, configured.includes(api)])),
      intelligence: { channels: missing("intelligence") },
      gateway: { collections: missing("gateway") },
      jurisdictions: { lookup: missing("jurisdictions") },
    });
  }

  it.each<[Api[], string[], RegExp]>([
    [
      ["gateway"],
      ["search", "trending", "collection", "insight", "ask"],
      /Not set up here: entities, watchlists, news channels, jurisdictions, and agencies\./,
    ],
    [
      ["intelligence"],
      ["entity", "watchlist", "trending", "channel", "ask"],
      /Not set up here: searches, jurisdictions, agencies, collections, and insight channels\./,
    ],
    [
      apis,
      [
        "entity",
        "search",
        "watchlist",
        "trending",
        "channel",
        "jurisdiction",
        "agency",
        "collection",
        "insight",
        "ask",
      ],
      /^(?![^]*Not set up)/,
    ],
  ])("offers the sources of %j, and names those that aren’t set up", async (configured, kinds, hint) => {
    const message = await deskWith(...configured).say("add");
    const [field] = message.blocks?.filter(({ block_id: name }) => name === "kind") ?? [];
    const element = field?.type === "input" && field.element.type === "static_select" ? field.element : undefined;
    expect(element?.options?.map(({ value }) => value)).toEqual(kinds);
    expect(element?.initial_option?.value).toBe(kinds[0]);
    expect(wordsOf({ ...message, blocks: field ? [field] : [] })).toMatch(hint);
  });

  it.each<[string, Api[], Api]>([
    ["", ["jurisdictions"], "intelligence"],
    ["search oil", ["intelligence", "jurisdictions"], "gateway"],
    ["collection desk daily", ["intelligence", "jurisdictions"], "gateway"],
    ["channel 501", ["gateway", "jurisdictions"], "intelligence"],
    ["jurisdiction Germany daily", ["gateway", "jurisdictions"], "intelligence"],
    ["jurisdiction Germany daily", ["gateway", "intelligence"], "jurisdictions"],
    ["trending all daily", ["jurisdictions"], "intelligence"],
  ])("`%s` with %j is answered with how to set up the %s", async (line, configured, missing) => {
    desk = deskWith(...configured);
    expect(await desk.hint(`add ${line}`)).toBe(notSetUp(missing).message);
    expect(await numbersOf()).toEqual([]);
  });
});

describe("digests add with a filter", () => {
  beforeEach(() => {
    const stages = [{ entities: [{ type: "entity", value: 7 }] }];
    const channel = async (id: number) => newsChannel({ id, name: "Gold wire", stages: id === 501 ? stages : [] });
    const channels = async () => Promise.all([501, 502].map(channel));
    desk = digestDesk({ intelligence: { channel, channels } });
  });

  it("keeps tier and outlet, shows them, and takes them back", async () => {
    const card = await say('add channel 501 weekdays at 9:00 --tier primary --source "Example Wire"', {
      channel: "C0DESK",
    });
    expect(wordsOf(card)).toMatch(/ · mainly about it · from Example Wire only$/m);
    expect((await read()).style).toEqual({ tier: "primary", outlet: "Example Wire" });
    const window = await say("edit 1", { channel: "C0DESK" });
    expect(fieldsOf(window)).toMatchObject({ tier: "primary", outlet: "Example Wire" });
    await save(window, { tier: "secondary", outlet: "" });
    expect((await read()).style).toEqual({ tier: "secondary" });
    await say("edit 1 --tier all");
    expect((await read()).style).toBeUndefined();
  });

  it("adds another digest than the one without a filter", async () => {
    await say("add channel 501 weekdays at 9:00");
    await say("add channel 501 weekdays at 9:00 --source Ledger");
    await say("add channel 501 weekdays at 9:00 --source LEDGER");
    expect(await numbersOf()).toEqual([1, 2]);
  });

  it.each([
    ["add search oil daily --tier primary", "`--tier` asks how much an article is about"],
    ["add channel 502 daily --tier primary", "`--tier` asks how much an article is about"],
    ["add trending company daily --tier primary", "`--tier` asks"],
    ["add trending company daily --source Ledger", "`--source Ledger` doesn’t go with a ranking. Leave it out."],
  ])("refuses a filter that doesn’t apply: %s", async (line, hint) => {
    desk.state.trends = [];
    expect(await desk.hint(line)).toContain(hint);
    expect(await numbersOf()).toEqual([]);
  });

  it("keeps the filter of the list that it was pressed under", async () => {
    const source = { kind: "channel", id: 501, name: "Gold wire" } as const;
    const filter = { outlet: "Ledger" };
    const key = await desk
      .services()
      .lists.keep({ title: "Gold", articles: [article()], total: 1, source, filter }, "T1");
    const window = await answerOf(follow, asking(key, { surface: "button", channel: "C0DESK" }), desk.services());
    expect(fieldsOf(window)).toMatchObject({ outlet: "Ledger", tier: "all" });
  });
});

describe("digests edit", () => {
  it("opens a filled-in window for a number alone, saves what is changed there, and can be undone", async () => {
    await say("add channel 501 weekdays at 9:00 Asia/Tokyo compact --empty warn 7", { channel: "C0DESK" });
    const window = await say("edit 1", { channel: "C0DESK" });
    expect(window.window?.form).toMatchObject({ name: "digest", submit: "Save", state: '{"number":1}' });
    expect(fieldsOf(window)).toEqual({
      place: "C0DESK",
      when: "weekdays at 09:00 Asia/Tokyo",
      isCompact: "on",
      max: "",
      isThreaded: "off",
      order: "default",
      hasLead: "off",
      empty: "warn 7",
      tier: "all",
      outlet: "",
    });
    const before = await read();
    const card = await save(window, { when: "hourly", isCompact: "off", max: "3", empty: "skip" });
    expect(card.text).toMatch(/now posts hourly[^]*at most 3 stories/);
    expect(await read()).toMatchObject({
      schedule: { words: "hourly" },
      style: { max: 3 },
      nextRun: now + 3_600_000,
    });
    await undo(card);
    const { style, schedule, nextRun, channel } = before;
    expect(await read()).toEqual(expect.objectContaining({ style, schedule, nextRun, channel }));
  });

  it("drops the limit on stories if its field is emptied", async () => {
    await say("add channel 501 weekdays at 9:00 --max 3", { channel: "C0DESK" });
    const window = await say("edit 1", { channel: "C0DESK" });
    expect(fieldsOf(window)).toHaveProperty("max", "3");
    const card = await save(window, { max: "" });
    expect((await read()).style).toBeUndefined();
    await undo(card);
    expect((await read()).style).toEqual({ max: 3 });
    await say("edit 1 --max default");
    expect((await read()).style).toBeUndefined();
  });

  it.each([
    ["compact", { isCompact: true }],
    ["--thread --lead", { isThreaded: true, hasLead: true }],
    ["--empty line", { empty: "line" }],
  ])("keeps the schedule if only %s is typed", async (words, style) => {
    await say("add channel 501 daily");
    const { schedule, nextRun } = await read();
    expect((await say(`edit 1 ${words}`)).text).toMatch(/^Digest 1 is updated\./);
    expect(await read()).toMatchObject({ style, schedule, nextRun });
    expect((await read()).changed[0]).toMatchObject({ type: "edited", options: style });
  });

  it("changes the schedule, and says what it can’t read", async () => {
    await say("add search gold daily");
    const card = await say("edit 1 Mondays 8:30 Asia/Tokyo");
    expect(card.text).toMatch(/^Digest 1 now posts Mondays at 08:30 \(Asia\/Tokyo\)\./);
    expect((await read()).nextRun).toBe(Date.UTC(2026, 10, 22, 23, 30));
    expect(await desk.hint("edit 1 sometime")).toMatch(/can’t read the schedule “sometime”/);
    expect(await desk.hint("edit 1", { surface: "mention" })).toMatch(/^What should change\?/);
  });

  it("moves a digest to another channel, where it begins anew, unless that channel gets the same already", async () => {
    await say("add channel 501 daily at 9:00", { channel: "C0A" });
    await desk.update({ last: { at: now, fresh: 3 } });
    expect((await say("edit 1 --in C0B")).text).toMatch(/^Digest 1 now posts in <#C0B>/);
    expect((await read()).last).toBeUndefined();
    expect((await say("edit 1 hourly --in C0C")).text).toMatch(/^Digest 1 now posts hourly.* in <#C0C>/);
    const { channel, changed } = await read();
    expect([channel, changed[0]]).toMatchObject([
      "C0C",
      { type: "edited", schedule: { words: "hourly" }, channel: "C0C" },
    ]);
    await say("add channel 501 hourly", { channel: "C0D" });
    expect(await desk.hint("edit 2 --in C0C")).toMatch(/^Digest 1 already posts/);
  });
});

describe("digests mute", () => {
  it("mutes for a day by default, is recorded and shown, and can be undone", async () => {
    await say("add search gold hourly");
    const card = await say("mute 1");
    expect(card.text).toMatch(/^Digest 1 is muted\.[^]* · muted until 21 Nov, 09:00 UTC/);
    expect((await read()).changed[0]).toMatchObject({ type: "muted", until: now + day });
    const list = await say("list");
    expect(list.text).toContain("muted until 21 Nov, 09:00 UTC");
    expect(buttonsOf(card)).toHaveProperty("Unmute", "digests unmute 1");
    expect(moreOf(list)).toHaveProperty("Unmute", "digests unmute 1 list 1");
    expect((await say("unmute 1 list 1")).text).not.toContain("muted until");
    await say("mute 1 for good");
    expect((await read()).state).toBe("paused");
  });

  it.each(["banana", "for 5 years", "until Pluto"])("says that it can’t read the duration “%s”", async (typed) => {
    await say("add search gold daily");
    expect(await desk.hint(`mute 1 ${typed}`)).toBe(
      `I can’t read the duration “${typed.replace("for ", "")}”. Use \`2h\`, \`3d\`, \`1w\`, \`until Monday 9:00\` or \`forever\`.`,
    );
    expect((await read()).silentUntil).toBeUndefined();
    await say("mute 1 forever");
    expect((await read()).state).toBe("paused");
  });

  it("lasts through a change of schedule, and ends if the digest is resumed", async () => {
    await say("add search gold daily");
    await say("mute 1 7d");
    await say("edit 1 hourly UTC");
    expect((await read()).nextRun).toBeGreaterThan(now + 7 * day - 1);
    await say("pause 1");
    await say("resume 1");
    expect(await read()).toMatchObject({ silentUntil: undefined, nextRun: now + 3_600_000 });
  });
});

describe("a digest that is changed", () => {
  it("is paused, resumed and removed by anybody in its channel, and remembers by whom", async () => {
    await say("add search gold daily");
    expect((await say("pause 1", { user: "U2" })).text).toMatch(/^Digest 1 is paused\./);
    await say("pause 1", { user: "U3" });
    expect((await say("resume #1")).text).toMatch(/^Digest 1 is back on schedule\./);
    const gone = await say("remove 1", { user: "U2" });
    expect(buttonsOf(gone)).toEqual({ "Bring it back": "digests resume 1" });
    expect((await read()).changed.map(({ by, type }) => `${by} ${type}`)).toEqual([
      "U2 removed",
      "U1 resumed",
      "U2 paused",
      "U1 added",
    ]);
    expect(await numbersOf()).toEqual([]);
    expect(await desk.hint("pause 1")).toMatch(/There’s no digest 1 here/);
    await say("resume 1");
    expect((await read()).state).toBe("active");
  });

  it("isn’t brought back if another one does the same by now", async () => {
    await say("add search gold hourly");
    await say("remove 1");
    await say("add search gold hourly");
    expect(await desk.hint("resume 1")).toMatch(/^Digest 2 already posts/);
  });
});

describe("digests list", () => {
  it("shows those of the channel and one's own, and nobody else's direct messages", async () => {
    desk = digestDesk({ slackChannels: { isIn: async () => false } });
    await say("add search here daily", { user: "U2" });
    await say("add search mine daily", { channel: "C2" });
    await say("add search theirs daily", { user: "U2", channel: "C2" });
    await say("add search secret daily", { user: "U2", channel: "D2" });
    const words = wordsOf(await say("list"));
    expect(words).toContain("*here*");
    expect(words).toContain("*mine*");
    expect(words).toContain("by Name of U2");
    expect(words).not.toMatch(/theirs|secret/);
    for (const line of ["test 4", "pause 4", "remove 3", "edit 3 hourly"]) {
      expect(await desk.hint(line)).toMatch(/There’s no digest \d here\./);
    }
  });

  it("turns pages and changes its entries in place", async () => {
    for (let index = 1; index <= 21; index++) await say(`add search topic-${index} daily`);
    const second = await say("list 2");
    expect(slackRefuses(second)).toEqual([]);
    expect(wordsOf(second)).toContain("21 digests · page 2 of 3");
    expect(buttonsOf(second)).toMatchObject({ Previous: "digests list 1", Next: "digests list 3" });
    expect(moreOf(second)).toEqual({
      Edit: "run:digests edit 11",
      Pause: "digests pause 11 list 2",
      History: "run:digests history 11",
      Test: "run:digests test 11",
      Remove: "digests remove 11 list 2",
    });
    expect(wordsOf(await say("pause 16 list 2"))).toMatch(/paused by you[^]*page 2 of 3/);
    const removed = await say("remove 16 list 2");
    expect(removed.text).toMatch(/^Digest 16 is removed\.\nDigests of this channel/);
    expect(buttonsOf(removed)).toMatchObject({ "Bring it back": "digests resume 16 list 2" });
    expect(slackRefuses(removed)).toEqual([]);
    expect(wordsOf(await say("resume 16 list 2"))).toContain("21 digests");
    expect(wordsOf(await say("list 99"))).toContain("page 3 of 3");
    expect(wordsOf(await say("list -1"))).toContain("page 1 of 3");
  });
});

describe("follow", () => {
  it("opens a window for the source of a list", async () => {
    const source = { kind: "search", query: '"bank of england" rates' } as const;
    const key = await desk.services().lists.keep({ title: "News", articles: [article()], total: 1, source }, "T1");
    const message = await answerOf(follow, asking(key, { surface: "button", channel: "C0DESK" }), desk.services());
    expect(message.window?.form?.state).toContain("bank of england");
    await save(message, { when: "hourly" });
    expect((await read()).source).toEqual(source);
  });

  it.each([
    ["channel 501", "*Gold wire* on your schedule."],
    ["collection c-1", "*Gold desk* on your schedule. Each run costs 1 credit."],
    ["search gold mining", "*gold mining* on your schedule. Each run costs 1 credit."],
  ])("opens a window for %s with its name and cost, or without them if the name can’t be had", async (text, name) => {
    const message = await answerOf(follow, asking(text), desk.services());
    expect(wordsOf(message)).toContain(name);
    const gone = () => Promise.reject(new Error("no connection"));
    desk = digestDesk({ intelligence: { channel: gone }, gateway: { collections: gone } });
    const unnamed = await answerOf(follow, asking(text), desk.services());
    expect(unnamed.window?.form?.state).toBe(message.window?.form?.state);
  });

  it("opens no window for somebody else’s watchlist, from its card or from a list that they shared", async () => {
    const to = desk.services();
    const draft = { team: "T1", owner: "U9", name: "Secret deal", groups: [], excluded: [], isShared: false };
    const kept = await to.watchlists.add(draft, { by: "U9", at: 0 }, async () => undefined);
    const source = watchlistSourceOf(kept);
    const key = await to.lists.keep({ title: "Secret deal", articles: [article()], total: 1, source }, "T1");
    for (const text of [`watchlist ${kept.id}`, key]) {
      expect(await hintOf(follow, asking(text, { surface: "button" }), to)).toBe(goneOrPrivate);
    }
  });

  it.each([
    ["6b1f0c52-8f1e-4a57-9a35-0c3c2f1d7e10", "slash", /Ask for it again/],
    ["nonsense", "slash", /Type `\/digests add`/],
    ["channel 501", "mention", /^When should it post\?/],
  ] as const)("answers %s, by %s, with what to do", async (text, surface, expected) => {
    expect(await hintOf(follow, asking(text, { surface }), desk.services())).toMatch(expected);
  });
});
