import { describe, expect, it } from "vitest";

import type { Stage } from "../../../src/apis/intelligence/schema.ts";
import { type Directory, openDirectory } from "../../../src/features/sources/directory.ts";
import { findSource, readSource, sourceKey, sourceSchema } from "../../../src/features/sources/index.ts";
import { watchlists } from "../../../src/features/watchlists/commands.ts";
import type { Digest } from "../../../src/features/digests/digest.ts";
import { failureView } from "../../../src/features/failure.ts";
import { answerOf, buttonsOf, hintOf, statesOf, wordsOf } from "../../support/answers.ts";
import { article, asking, entity, memory, now, subscriptionServices } from "../../support/builders.ts";

const known = [
  entity({ id: 1, name: "Novalith Semiconductor", symbol: "NVLT" }),
  entity({ id: 2, name: "Ardenne Lithography" }),
  entity({ id: 3, name: "Oil and Gas", type: "topic", typeName: "Topic" }),
  entity({ id: 4, name: "Mercury", typeName: "Company" }),
  entity({ id: 5, name: "Mercury", typeName: "Topic" }),
];

/** A bot that knows these entities, and what it asks the news service. */
async function bot(given: Parameters<typeof subscriptionServices>[0] = {}) {
  const asked: Stage[][] = [];
  const directory: Directory = await openDirectory(memory(), () => now);
  await directory.setMany(known);
  const to = subscriptionServices({
    directory,
    intelligence: {
      channels: async () => [],
      entities: async () => new Map(),
      async articles(stages) {
        asked.push(stages);
        return [article({ title: "Chips <rise>" })];
      },
    },
    ...given,
  });
  const as = (user: string) => ({
    says: (line: string) => answerOf(watchlists, asking(line, { user }), to),
    hint: (line: string) => hintOf(watchlists, asking(line, { user }), to),
    /** What a reader sees of a line that was not taken. */
    offers: async (line: string) => {
      const ask = { ...asking(line, { user }), line: `watchlists ${line}` };
      const { error } = await statesOf(watchlists.run(ask, to));
      const shown = failureView(error, { now, configured: to.configured }, undefined, ask);
      return { words: shown.text, buttons: buttonsOf(shown) };
    },
    finds: (what: string) => findSource({ kind: "watchlist", what }, to, { ...asking("", { user }) }),
  });
  return { to, asked, as, ...as("U1") };
}

const made = "new Chips: NVLT, ardenne + Oil and Gas, -Mercury (topic)";

describe("/watchlists NAME", () => {
  it("shows the one of that name, or says what can be typed", async () => {
    const { says, hint, as } = await bot();
    await says(made);
    expect(buttonsOf(await says("Chips"))).toHaveProperty("Edit");
    expect(await as("U2").hint("Chips")).toMatch(/^`\/watchlists` takes `list`, `new`, `show`/);
    expect(await hint("sharpen")).toMatch(/^Did you mean `\/watchlists share`/);
  });
});

describe("/watchlists new", () => {
  it("keeps names, symbols and types as entities, and shows what they brought in the last day", async () => {
    const { says, asked } = await bot();
    const receipt = await says(made);
    expect(wordsOf(receipt)).toMatch(/^\*Chips\* is saved\.\n.* · Only you see it · Last 24 hours: 1 article\.\n/);
    expect(Object.keys(buttonsOf(receipt))).toEqual(["Undo", "Change…", "Details"]);
    asked.length = 0;
    const card = await says((buttonsOf(receipt)["Details"] ?? "").replace("watchlists ", ""));
    const stage = (not: boolean, ...ids: number[]) => ({
      not,
      entities: ids.map((value) => ({ type: "entity", value })),
    });
    expect(asked).toEqual([[stage(false, 1, 2), stage(false, 3), stage(true, 5)]]);
    expect(wordsOf(card)).toContain(
      "*Any of*  Novalith Semiconductor · Ardenne Lithography\n*And*  Oil and Gas\n*Never*  Mercury\n",
    );
    expect(wordsOf(card)).toContain(
      "Last 24 hours: 1 article.\nNewest: <https://news.example.com/oil|Chips &lt;rise&gt;>",
    );
    expect(wordsOf(card)).toContain("Watchlist · Only you see it");
    expect(card.isPrivate).toBe(true);
  });

  it("saves nothing if a name is unknown: it can be found, or left out", async () => {
    const { offers, says } = await bot();
    expect(await offers("new Chips: NVLT, Xyz, silver, -lead --shared")).toEqual({
      words: "I couldn’t find “Xyz”, “silver” or “lead”.",
      buttons: {
        "Find 3 names (up to 3 credits)":
          'find "Xyz" "silver" "lead" watchlists new Chips: NVLT, Xyz, silver, -lead --shared',
        "Save without them": "watchlists new Chips: NVLT, , , - --shared",
      },
    });
    expect(await offers("new Chips: Nofalith")).toEqual({
      words: "I couldn’t find “Nofalith”. Did you mean this?",
      buttons: {
        "Novalith Semiconductor": 'watchlists new Chips: "Novalith Semiconductor"',
        "Find “Nofalith” (1 credit)": 'find "Nofalith" watchlists new Chips: Nofalith',
      },
    });
    expect((await says("list")).text).toContain("You have no watchlists yet");
    expect(wordsOf(await says("new Chips: NVLT, , , - --shared"))).toMatch(/Chips[^]*Novalith Semiconductor/);
  });

  it("offers each of several with one name, and saves the one that is pressed", async () => {
    const { offers, says } = await bot();
    const { buttons } = await offers("new Planets: NVLT, -Mercury");
    expect(buttons).toEqual({
      "Mercury (Company)": 'watchlists new Planets: NVLT, -"Mercury (Company)"',
      "Mercury (Topic)": 'watchlists new Planets: NVLT, -"Mercury (Topic)"',
    });
    const line = buttons["Mercury (Topic)"] ?? "";
    expect(wordsOf(await says(line.replace("watchlists ", "")))).toContain("not Mercury");
  });

  it.each([
    ["new Chips NVLT", "Put a colon after the name"],
    ["new : NVLT", "What should it be called?"],
    ["new Chips: -NVLT", "at least one"],
    ["new Chips: NVLT --shares", "Did you mean `--shared`?"],
    ["show Gold", "I couldn’t find the watchlist “Gold”"],
    ["show", "Which watchlist?"],
    ["shwo Chips", "Did you mean `/watchlists show`?"],
  ])("says what to type instead of %s", async (line, expected) => {
    expect(await (await bot()).hint(line)).toContain(expected);
  });

  it("opens a form without names, and asks for a line if no form can open", async () => {
    const { says, to } = await bot();
    expect((await says("new")).window?.form?.name).toBe("watchlist");
    expect(await hintOf(watchlists, asking("new", { surface: "mention" }), to)).toContain("What should be on it?");
  });

  it("takes each name once, and 50 lists of one person", async () => {
    const { says, hint, as } = await bot();
    for (let at = 1; at <= 50; at++) await says(`new List ${at}: NVLT`);
    expect(await hint("new LIST 7: NVLT")).toContain("You already have a watchlist “LIST 7”");
    expect(await hint("new One more: NVLT")).toContain("no more fit");
    expect(wordsOf(await as("U2").says("new List 7: NVLT"))).toContain("is saved");
    expect(buttonsOf(await says("list 2"))).toMatchObject({ Previous: "watchlists list 1", Next: "watchlists list 3" });
  });
});

describe("a watchlist", () => {
  it("is changed as a whole, and each change can be taken back", async () => {
    const { says } = await bot();
    await says("new Chips: NVLT + Mercury (company), -Oil and Gas");
    const less = await says("edit Chips: Ardenne");
    expect(wordsOf(less)).toContain("\nArdenne Lithography · Only you");
    const undo = buttonsOf(less)["Undo"] ?? "";
    expect(wordsOf(await says(undo.replace(/^watchlists /, "")))).toContain("+ Mercury, not Oil and Gas");
    expect(wordsOf(await says('edit Chips: NVLT --name "Gold & Co"'))).toContain("*Gold &amp; Co* is updated");
  });

  it("is its owner's alone until it is shared; then others read it, and admins change it", async () => {
    const { says, as, to } = await bot({ people: { isAdmin: async (_, user) => user === "U9" } });
    const id = (buttonsOf(await says(made))["Details"] ?? "").replace("watchlists show ", "");
    const other = as("U2");
    const admin = as("U9");
    for (const who of [other, admin]) {
      expect(await who.hint("show Chips")).toContain("I couldn’t find the watchlist “Chips”");
      expect(await who.hint(`show ${id}`)).toContain("isn’t shared with you");
      await expect(who.finds(id)).rejects.toThrow("isn’t shared with you");
    }
    await says("share Chips");
    const seen = await other.says("show Chips");
    expect(wordsOf(seen)).toContain("Shared by Name of U1");
    expect(buttonsOf(seen)).not.toHaveProperty("Edit");
    expect(await other.hint("remove Chips")).toContain("Only its owner and admins can change *Chips*");
    expect(await other.hint("new Chips: NVLT --shared")).toContain("Somebody already shares a watchlist “Chips”");
    expect(wordsOf(await admin.says("edit Chips: Mercury (company)"))).toContain("is updated");
    const elsewhere = asking("show Chips", { team: "T2", user: "U2" });
    expect(await hintOf(watchlists, elsewhere, to)).toContain("I couldn’t find");
  });

  it("that is removed is brought back with all that stood on it", async () => {
    const { says, hint } = await bot();
    await says(made);
    const undo = (buttonsOf(await says("remove Chips"))["Undo"] ?? "").replace(/^watchlists /, "");
    expect(await hint("show Chips")).toContain("I couldn’t find");
    expect(wordsOf(await says(undo))).toContain("*Chips* is back.");
    expect(wordsOf(await says("show Chips"))).toContain("*And*  Oil and Gas\n*Never*  Mercury");
    expect(await hint(undo)).toContain("can’t be restored");
  });

  it("that is removed is named in the list, and brought back by its name, the latest of those with that name", async () => {
    const { says, hint, as } = await bot();
    await says("new Chips: Oil and Gas");
    await says("remove Chips");
    await says(made);
    await says("remove Chips");
    expect(wordsOf(await says("list"))).toContain("Removed: Chips · Chips. `/watchlists restore NAME` restores one.");
    expect(await as("U2").hint("restore Chips")).toContain("can’t be restored");
    expect(await hint("restore Metals")).toContain("can’t be restored");
    expect(wordsOf(await says("restore chips"))).toContain("*Chips* is back.");
    expect(await hint("restore chips")).toContain("You already have a watchlist “Chips”");
  });

  it.each([
    ["+Mercury (company)", "*Any of*  Novalith Semiconductor · Ardenne Lithography · Mercury\n*And*  Oil and Gas"],
    ["-NVLT", "*About*  Ardenne Lithography\n*And*  Oil and Gas\n*Never*  Mercury"],
    [
      "+Mercury (company), -ardenne",
      "*Any of*  Novalith Semiconductor · Mercury\n*And*  Oil and Gas\n*Never*  Mercury",
    ],
    ["-Mercury (company)", "*Never*  Mercury · Mercury"],
    ["+Mercury (topic)", "Ardenne Lithography · Mercury\n*And*  Oil and Gas\n"],
    ["NVLT", "*About*  Novalith Semiconductor\n"],
  ])("with %s in an edit adds, takes away or, without signs, replaces", async (terms, shown) => {
    const { says } = await bot();
    await says(made);
    const edited = await says(`edit Chips: ${terms}`);
    expect(`${wordsOf(await says("show Chips"))}\n`).toContain(shown);
    await says((buttonsOf(edited)["Undo"] ?? "").replace("watchlists ", ""));
    expect(wordsOf(await says("show Chips"))).toContain(
      "*Any of*  Novalith Semiconductor · Ardenne Lithography\n*And*  Oil and Gas\n*Never*  Mercury",
    );
  });
});

describe("hostile names", () => {
  it("ping nobody and link to nothing, on a card, in a list and in an error", async () => {
    const { says, hint, to } = await bot();
    const name = "<!channel> & <mailto|Log in>";
    await to.directory.setMany([entity({ id: 9, name: "<@U0OTHER> *Corp*" })]);
    const shown = [
      await says(`new ${name}: 9`),
      await says("list"),
      await says("remove channel"),
      { text: await hint(`new ${name}`) },
      { text: await hint("new Gold: <!here>, zzz `x`") },
      { text: await hint("show <!here>") },
    ];
    for (const { text, blocks = [] } of shown) {
      const mrkdwn = blocks.filter(({ type }) => type !== "header" && type !== "actions");
      expect(`${text} ${wordsOf({ text, blocks: mrkdwn })}`).not.toMatch(/<!(?!date)|<@U0OTHER|<mailto/);
    }
  });
});

describe("a digest of a watchlist", () => {
  const schedule = { pattern: "0 9 * * *", zone: "UTC", words: "daily at 09:00" };

  async function followed() {
    const own = await bot();
    await own.says(`${made} --shared`);
    const follow = async (owner: string): Promise<Digest> => {
      const source = await own.as(owner).finds("Chips");
      const draft = { team: "T1", owner, source, schedule, channel: `C${owner}`, nextRun: now };
      return (await own.to.digests.add(draft, now)).subscription;
    };
    const digests = [await follow("U1"), await follow("U2")] as const;
    const sourceOf = async (of: Digest) => sourceSchema.parse((await own.to.digests.get(of))?.source ?? of.source);
    const reads = async (of: Digest) => readSource(await sourceOf(of), own.to, undefined);
    return { ...own, digests, sourceOf, reads };
  }

  it("is stored as it is, and brings what its list holds now, under the name that it has now", async () => {
    const { says, digests, sourceOf, reads, asked } = await followed();
    expect(sourceSchema.parse(digests[0].source)).toEqual(digests[0].source);
    await says("edit Chips: Mercury (company) --name Metals");
    expect(await sourceOf(digests[1])).toMatchObject({ name: "Metals", version: 2 });
    await reads(digests[1]);
    expect(asked.at(-1)).toEqual([{ not: false, entities: [{ type: "entity", value: 4 }] }]);
  });

  it("begins anew after an edit, so that old articles on a new name do not pass for news; a new name changes nothing", async () => {
    const { says, digests, sourceOf } = await followed();
    const before = sourceKey(await sourceOf(digests[0]));
    await says("rename Chips: Metals");
    expect(sourceKey(await sourceOf(digests[0]))).toBe(before);
    await says("edit Metals: Mercury (company)");
    expect(sourceKey(await sourceOf(digests[0]))).not.toBe(before);
  });

  it("has the same source as anybody else's digest of the list", async () => {
    const { digests, sourceOf } = await followed();
    expect(sourceKey(await sourceOf(digests[0]))).toBe(sourceKey(await sourceOf(digests[1])));
  });

  it("says what to do when its list is removed, and stays when that is brought back", async () => {
    const { says, digests, reads } = await followed();
    const removed = await says("remove Chips");
    expect(wordsOf(removed)).toContain("2 digests follow it");
    await expect(reads(digests[0])).rejects.toThrow(/\*Chips\* was removed/);
    await says((buttonsOf(removed)["Undo"] ?? "").replace(/^watchlists /, ""));
    expect((await reads(digests[0])).articles).toHaveLength(1);
  });

  it("of somebody else ends when the list is private again, and its owner's goes on", async () => {
    const { says, as, digests, reads, sourceOf, to } = await followed();
    expect(wordsOf(await says("unshare Chips"))).toContain("1 digest follows it in other hands");
    expect((await reads(digests[0])).articles).toHaveLength(1);
    await expect(reads(digests[1])).rejects.toThrow("no longer shared");
    await expect(as("U2").finds((await sourceOf(digests[0])).kind)).rejects.toThrow("couldn’t find");
    expect(await to.watchlists.shared("T1")).toEqual([]);
  });
});
