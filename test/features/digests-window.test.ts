import { describe, expect, it } from "vitest";

import { digests, follow } from "../../src/features/digests/commands.ts";
import type { Digest } from "../../src/features/digests/digest.ts";
import { digestForm } from "../../src/features/digests/options.ts";
import type { Ask, Message, Services } from "../../src/features/feature.ts";
import { answerOf, asking, buttonsOf, hintOf, newsChannel, now, services } from "../support/builders.ts";

const lookup = {
  regions: [
    {
      id: "r-1",
      name: "Europe",
      jurisdictions: [
        { id: "j-1", name: "Germany", jurisdictionChannel: 7103, agencyChannel: 7104 },
        { id: "j-2", name: "Québec", agencyChannel: 7105 },
        { id: "j-3", name: "Nowhere" },
      ].map((each) => ({ ...each, agencyCount: 1, contributorCount: 0, sourceCount: 0 })),
    },
  ],
  totals: { jurisdictions: 3, agencies: 3, contributors: 0, sources: 0 },
};

function desk(about: Parameters<typeof services>[0] = {}): Services {
  return services({
    people: { timeZone: async () => "Europe/London" },
    intelligence: { channel: async (id) => newsChannel({ id, name: "Gold wire" }) },
    jurisdictions: { lookup: async () => lookup },
    ...about,
  });
}

const say = (text: string, to: Services, about: Partial<Ask> = {}) =>
  answerOf(digests, asking(text, { channel: "C0DESK", ...about }), to);
const saved = async (to: Services, number = 1) => (await to.digests.get({ team: "T1", number })) as Digest;

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

/** Sends a window's fields off, and gives what follows `digests`. */
function sent(message: Message, changed: Record<string, string> = {}): string {
  const filled = digestForm.read({
    fields: { ...fieldsOf(message), ...changed },
    state: message.window?.form?.state ?? "",
  });
  if (!("line" in filled)) throw new Error(JSON.stringify(filled));
  return filled.line.replace(/^digests /, "");
}

describe("the window of a new digest", () => {
  it("saves, shows the next three times and what it costs, and can be undone", async () => {
    const to = desk();
    const window = await say("add", to);
    const filled = { what: "gold", words: "Mondays 8:30", isCompact: "on", max: "5", empty: "warn 5" };
    const card = await say(sent(window, filled), to, { surface: "form" });
    expect(card.text.split("\n").slice(1)).toEqual([
      "gold · search",
      "Mondays at 08:30 (Europe/London), in <#C0DESK>, asked for by you",
      "One line each, at most 5 stories, warns after 5 quiet runs",
      "Next: 2026-11-23 08:30 UTC, 2026-11-30 08:30 UTC, 2026-12-07 08:30 UTC",
      "Each run costs 1 credit.",
    ]);
    expect(await saved(to)).toMatchObject({
      source: { kind: "search", query: "gold" },
      schedule: { words: "Mondays at 08:30", zone: "Europe/London" },
      look: { isCompact: true, max: 5, empty: 5 },
      channel: "C0DESK",
    });
    await say((buttonsOf(card)["Undo"] ?? "").replace(/^digests /, ""), to);
    expect((await saved(to)).state).toBe("removed");
  });

  it("says beside a field what is wrong with it", async () => {
    const window = await say("add", desk());
    const fields = { ...fieldsOf(window), what: "gold", max: "many" };
    expect(digestForm.read({ fields, state: "" })).toMatchObject({
      errors: { max: expect.stringContaining("takes a whole number from 1 to 20") },
    });
  });

  it("tells a second click on Save the same as the first", async () => {
    const to = desk();
    const [first, second] = [0, 1].map(() => say("add search gold hourly", to, { surface: "button" }));
    expect(await second).toEqual(await first);
    expect((await second)?.text).toMatch(/^Digest 1 is set/);
  });
});

describe("digests edit", () => {
  it("with a number alone opens a window with how it is, saves what is changed there, and can be undone", async () => {
    const to = desk();
    await say("add channel 501 weekdays at 9:00 Asia/Tokyo compact --empty warn 7", to);
    const window = await say("edit 1", to);
    expect(window.window?.form).toEqual({ name: "digest", submit: "Save", state: "edit 1" });
    expect(fieldsOf(window)).toEqual({
      place: "C0DESK",
      when: "weekdays at 09:00 Asia/Tokyo",
      words: "",
      isCompact: "on",
      max: "",
      isThreaded: "off",
      hasLead: "off",
      empty: "warn 7",
    });
    const before = await saved(to);
    const changes = { words: "hourly", isCompact: "off", max: "3", empty: "skip" };
    const card = await say(sent(window, changes), to, { surface: "form" });
    expect(card.text).toContain("Next: 2026-11-20 10:00 UTC, 2026-11-20 11:00 UTC, 2026-11-20 12:00 UTC");
    expect(await saved(to)).toMatchObject({
      schedule: { words: "hourly" },
      look: { max: 3 },
      nextRun: now + 3_600_000,
    });
    await say((buttonsOf(card)["Undo"] ?? "").replace(/^digests /, ""), to);
    const { look, schedule, nextRun, channel } = before;
    expect(await saved(to)).toMatchObject({ look: { ...look, max: 16 }, schedule, nextRun, channel });
  });

  it.each([
    ["compact", { isCompact: true }],
    ["--thread --lead", { isThreaded: true, hasLead: true }],
    ["--empty line", { empty: "line" }],
  ])("with %s leaves its times as they are", async (words, look) => {
    const to = desk();
    await say("add channel 501 daily", to);
    const { schedule, nextRun } = await saved(to);
    expect((await say(`edit 1 ${words}`, to)).text).toMatch(/^Digest 1 is changed\./);
    expect(await saved(to)).toMatchObject({ look, schedule, nextRun });
    expect((await saved(to)).changed[0]?.what).toMatch(/^edited: --/);
  });

  it("says what can be changed where no window opens", async () => {
    const to = desk();
    await say("add channel 501 daily", to);
    expect(await hintOf(digests, asking("edit 1", { channel: "C0DESK", surface: "mention" }), to)).toMatch(
      /^What should change\?/,
    );
  });
});

describe("a digest for somebody alone", () => {
  it("goes with them where they named no time zone", async () => {
    const to = desk();
    const message = await say("add channel 501 daily at 7:00", to, { channel: "D1" });
    expect(message.text).toContain("Daily at 07:00 (Europe/London), in a direct message");
    expect(await saved(to)).toMatchObject({ channel: "U1" });
  });
});

describe("the news of a jurisdiction", () => {
  it.each([
    ['"Germany"', { kind: "jurisdiction", id: 7103, name: "Germany" }],
    ["quebec", { kind: "jurisdiction", id: 7105, name: "Québec" }],
  ])("%s comes from its channel", async (name, source) => {
    const to = desk();
    await say(`add jurisdiction ${name} daily`, to);
    expect((await saved(to)).source).toEqual(source);
  });

  it("is the same as its channel under its number", async () => {
    const to = desk();
    await say("add channel 7103 daily", to);
    expect((await say("add jurisdiction Germany daily", to)).text).toContain("Digest 1 brings this there already");
  });

  it("that is unknown is answered with what there is", async () => {
    expect(await hintOf(digests, asking("add jurisdiction Nowhere daily"), desk())).toBe(
      "There is no jurisdiction with news “Nowhere”. There is:\n• Germany (7103)\n• Québec (7105)",
    );
  });

  it("can be followed from a list of its articles", async () => {
    const to = desk();
    const source = { kind: "jurisdiction", id: 7103, name: "Germany" } as const;
    const key = await to.lists.keep({ title: "Germany", articles: [], total: 0, source });
    const window = await answerOf(follow, asking(key, { surface: "button" }), to);
    expect(window.window?.form?.state).toBe('jurisdiction "Germany"');
  });
});
