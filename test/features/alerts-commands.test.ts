import { describe, expect, it } from "vitest";

import { alerts } from "../../src/features/alerts/commands.ts";
import { asking, buttonsOf, hintOf, now, wordsOf } from "../support/builders.ts";
import { hour, minute, sample, trend } from "./alerts-setting.ts";
import { desk, saved, say, slackRefuses } from "./alerts-talk.ts";

describe("alerts add", () => {
  it.each([
    ["all every 1 minute eager", {}, "eager", "* * * * *"],
    ["company every 15 minutes balanced", { type: "Company" }, "balanced", "*/15 * * * *"],
    ["people hourly", { type: "Person" }, "balanced", "0 * * * *"],
    ["Companies quiet", { type: "Company" }, "quiet", "*/15 * * * *"],
    ['include "BASF" hourly', { include: ["BASF"] }, "balanced", "0 * * * *"],
  ])("%s is set up", async (text, filter, word, pattern) => {
    const to = desk();
    const message = await say(`add ${text}`, to);
    expect(message.text).toMatch(/^Alert 1 is set\. What is trending at its first look is not told/);
    expect(slackRefuses(message)).toEqual([]);
    const { filter: kept, rule, schedule, channel, maker, episodes, nextRun } = await saved(to);
    expect(kept).toEqual({ include: [], exclude: [], ...filter });
    expect([rule.word, schedule.pattern, schedule.zone]).toEqual([word, pattern, "Europe/London"]);
    expect([channel, maker, episodes]).toEqual(["C1", "U1", []]);
    expect(nextRun).toBeGreaterThan(now);
  });

  it("confirms exactly what comes: numbers, place, the next three times and how much it would have been", async () => {
    const words = wordsOf(await say("add company every 15 minutes eager quiet hours 22:00-07:00", desk()));
    expect(words).toContain("*Trending: Company* · eager");
    expect(words).toContain("Every 15 minutes, in <#C1>, asked for by you");
    expect(words.match(/Next: (<!date[^>]*>(, )?){3}/)).not.toBeNull();
    expect(words).toContain("*eager* asks for score 1.5, 3 mentions and 1.5× usual.");
    expect(words).toContain("Quiet from 22:00 to 07:00 (Europe/London)");
    expect(words).toContain("I have not watched for long enough");
  });

  it("says so where it looks in its quiet hours alone, whenever that comes to be so", async () => {
    const to = desk();
    const told = /Every look falls into these hours: what rose is told at 07:00, as it was at the last look/;
    expect(wordsOf(await say("add all daily at 6:00 quiet hours 22:00-07:00", to))).toMatch(told);
    expect(wordsOf(await say("list", to))).toMatch(told);
    expect(wordsOf(await say("edit 1 every 12 hours", to))).not.toMatch(told);
    expect(wordsOf(await say("edit 1 quiet hours 22:00-13:00", to))).toContain("is told at 13:00");
  });

  it("says what there is where a type does not exist", async () => {
    expect(await hintOf(alerts, asking("add companyy hourly"), desk())).toBe(
      "Nothing of the type “companyy” has trended lately. There is `company`, `person`, or `all`.",
    );
  });

  it("takes any type where nobody can say what there is", async () => {
    const to = desk([]);
    await say("add company hourly", to);
    expect((await saved(to)).filter.type).toBe("company");
  });

  it("adds nothing that is there already, and says how to change that", async () => {
    const to = desk();
    await say("add company hourly", to);
    const message = await say("add Companies every 5 minutes eager", to);
    expect(message.text).toContain("Alert 1 watches this for the same place already, so I added nothing.");
    expect(message.text).toContain("/alerts edit 1 Companies every 5 minutes eager");
    expect(await to.alerts.ofTeam("T1")).toHaveLength(1);
  });

  it("tells a second click on its button the same as the first", async () => {
    const to = desk();
    const [first, second] = [0, 1].map(() => say("add company hourly", to, { surface: "button" }));
    expect(await second).toEqual(await first);
    expect((await second)?.text).toMatch(/^Alert 1 is set/);
    const other = await say("add company hourly", to, { surface: "button", user: "U2" });
    expect(other.text).toContain("so I added nothing");
  });

  it("says what looking costs where it is not free, and does not look again for nothing", async () => {
    let looks = 0;
    const to = desk(undefined, {
      configured: { intelligence: false },
      samples: {
        take: () => Promise.reject(new Error(`${looks++}`)),
        since: async () => [sample(now, [trend("One")])],
      },
    });
    expect(wordsOf(await say("add company every 15 minutes", to))).toContain(
      "Each look costs 1 credit, about 96 a day",
    );
    expect(looks).toBe(0);
  });

  it("is refused in somebody else's direct messages, and comes to one's own from there", async () => {
    const to = desk();
    await say("add all hourly", to, { channel: "D1" });
    expect((await saved(to)).channel).toBe("U1");
    expect(await hintOf(alerts, asking("add all hourly --in U024BE7LR"), to)).toMatch(/only to whoever asks/);
  });

  it("opens a window where only a type is said, with the types that trend", async () => {
    for (const text of ["add", "add company"]) {
      const message = await say(text, desk());
      expect(message.window).toMatchObject({ title: "New alert", form: { name: "alert", state: "" } });
      const fields = JSON.stringify(message.blocks);
      expect(fields).toContain('"value":"Person"');
      expect(fields.includes('"initial_option":{"text":{"type":"plain_text","text":"Company"')).toBe(text !== "add");
    }
  });

  it("says in a mention, where no window opens, how to ask for one", async () => {
    expect(await hintOf(alerts, asking("add", { surface: "mention" }), desk())).toMatch(
      /What should I watch, and when\? Type `\/alerts add all every 15 minutes balanced`/,
    );
    const to = desk();
    await say("add company", to, { surface: "mention" });
    expect((await saved(to)).schedule.words).toBe("every 15 minutes");
  });

  it("does not wait for what is trending where that takes long", async () => {
    const to = desk([], {
      samples: { take: () => new Promise(() => {}), since: async () => [], history: async () => [] },
      after: (_, call) => {
        call();
        return () => {};
      },
    });
    expect((await say("add", to)).window?.title).toBe("New alert");
  });
});

describe("alerts edit", () => {
  const edited = async (text: string, before = "company every 15 minutes balanced include BASF") => {
    const to = desk();
    await say(`add ${before}`, to);
    const message = await say(`edit 1 ${text}`, to);
    return { message, to, alert: await saved(to) };
  };

  it("changes what is said, and nothing else", async () => {
    const { message, alert } = await edited("eager");
    expect(message.text).toMatch(/^Alert 1 is changed\./);
    expect(message.text).toContain("I have not watched for long enough.\nBASF · eager\n");
    expect(alert).toMatchObject({ rule: { word: "eager" }, filter: { type: "Company", include: ["BASF"] } });
    expect(alert.schedule.words).toBe("every 15 minutes");
    expect(alert.changed[0]).toMatchObject({ by: "U1", what: "edited: eager" });
  });

  it("takes numbers on top of what there is, and then goes by no word", async () => {
    const { alert } = await edited("score=9");
    expect(alert.rule).toMatchObject({ word: "custom", score: 9, mentions: 4, ratio: 2 });
  });

  it("takes names and quiet hours away again", async () => {
    const { alert } = await edited(
      "all include none exclude none quiet hours off",
      "company hourly include BASF exclude Alba quiet hours 22-7",
    );
    expect(alert.filter).toEqual({ include: [], exclude: [] });
    expect(alert.quietHours).toBeUndefined();
  });

  it("watches anew by another rule, so that what rises already floods nobody, and not for another time", async () => {
    const to = desk();
    await say("add company hourly", to);
    const baseline = { at: now, entities: ["company|alba steel"] };
    await to.alerts.update({ team: "T1", number: 1 }, (current) => ({ ...current, baseline }));
    await say("edit 1 every 5 minutes", to);
    expect(await saved(to)).toMatchObject({ baseline, nextRun: now + 5 * minute });
    await say("edit 1 eager", to);
    expect((await saved(to)).baseline).toBeUndefined();
  });

  it("opens a window that is filled with what there is, where nothing is said", async () => {
    const { message } = await edited("", "company weekdays at 9:00 score=9 quiet hours 22-7 include BASF");
    expect(message.window).toMatchObject({ title: "Change alert 1", form: { name: "alert", state: "1" } });
    const fields = JSON.stringify(message.blocks);
    for (const part of ["Custom: the numbers below", "As now: weekdays at 09:00", "22:00-07:00", "BASF", "score=9 "]) {
      expect(fields).toContain(part);
    }
  });

  it("says what can change where no window opens", async () => {
    const to = desk();
    await say("add company hourly", to);
    expect(await hintOf(alerts, asking("edit 1", { surface: "mention" }), to)).toMatch(/What should change\?/);
    expect(await hintOf(alerts, asking("edit 4 hourly"), to)).toMatch(/There is no alert 4 here/);
  });

  it("does not make two of one", async () => {
    const to = desk();
    await say("add company hourly", to);
    await say("add person hourly", to);
    expect(await hintOf(alerts, asking("edit 2 company"), to)).toMatch(/Alert 1 brings the same there already/);
  });
});

describe("alerts test", () => {
  it("shows what would be posted now, and writes nothing down", async () => {
    const to = desk();
    await say("add company hourly", to);
    const before = await saved(to);
    const message = await say("test 1", to);
    expect(wordsOf(message)).toContain(
      "_Only you see this: alert 1 would post it now, once it has held 2 times in a row",
    );
    expect(wordsOf(message)).toContain("Northwind Energy is rising");
    expect(wordsOf(message)).not.toContain("Alba Steel");
    expect(slackRefuses(message)).toEqual([]);
    expect(await saved(to)).toEqual(before);
  });

  it("says of one that is paused that it is", async () => {
    const to = desk();
    await say("add company hourly eager", to);
    await say("pause 1", to);
    const words = wordsOf(await say("test 1", to));
    expect(words).toContain("alert 1 is paused; it would post this");
    expect(words).toContain("To resume it, type `/alerts resume 1`.");
    expect(words).toContain("Northwind Energy is rising");
    expect(wordsOf(await say("test 1", { ...to, samples: desk([sample(now, [])]).samples }))).toContain(
      "Nothing that it watches is trending. It is paused. To resume it, type `/alerts resume 1`.",
    );
  });

  it("shows several as one message", async () => {
    const to = desk([sample(now, [trend("One"), trend("Two"), trend("Three")])]);
    await say("add company hourly eager", to);
    expect(wordsOf(await say("test 1", to))).toContain("3 are rising at once");
  });

  it("says that nothing would be posted, and how far the nearest is from it", async () => {
    const to = desk();
    await say("add person hourly quiet", to);
    expect((await say("test 1", to)).text).toBe(
      "Alert 1 would post nothing now. The nearest is Ada Byron: 6 mentions · 3 times the usual 2 · score 1.6; it needs score 5, 5 mentions and 3 times the usual.",
    );
    expect(await hintOf(alerts, asking("test 1"), desk([], { alerts: to.alerts }))).toMatch(
      /could not see what is trending/,
    );
  });
});

describe("everything that an alert finds rising", () => {
  it("is shown a screen at a time, each with a way to look closer", async () => {
    const to = desk();
    await say("add company hourly", to);
    expect((await say("now 1", to)).text).toBe("Alert 1 has not looked yet.");
    const figures = { at: now, mentions: 9, average: 3, score: 4 };
    const episodes = Array.from({ length: 7 }, (_, index) => ({
      entity: `company|n${index}`,
      name: `N${index}`,
      type: "Company",
      state: "new" as const,
      streak: 0,
      since: now - hour,
      changedAt: now - hour,
      peak: figures,
      last: { ...figures, score: index },
    }));
    const last = { at: now, rising: 7 };
    await to.alerts.update({ team: "T1", number: 1 }, (current) => ({ ...current, episodes, last }));
    const first = await say("now 1", to);
    expect(wordsOf(first)).toMatch(/\*N6\*[^]*\*N2\*[^]*As of <!date[^>]*> · 7 in all · page 1 of 2/);
    expect(buttonsOf(first)).toEqual({ Next: "alerts now 1 2" });
    expect(wordsOf(await say("now 1 2", to))).toMatch(/\*N0\*/);
    expect(slackRefuses(first)).toEqual([]);
    expect(wordsOf(await say("show n3 --alert 1", to))).toContain("N3 is rising");
    expect(await hintOf(alerts, asking("show nobody --alert 1"), to)).toMatch(/not trending any more/);
  });
});

describe("the command", () => {
  it("says what it can do where a word is unknown", async () => {
    expect(await hintOf(alerts, asking("frobnicate"), desk())).toMatch(
      /After `\/alerts` comes one of `list`, `add`, .*`why-not`, `mute`, `unmute`, `history`\. To begin, type/,
    );
    expect(alerts.fits?.("pause 2")).toBe(true);
    expect(alerts.fits?.("about the weather?")).toBe(false);
  });

  it("pauses, resumes and removes", async () => {
    const to = desk();
    await say("add company hourly", to);
    await to.alerts.update({ team: "T1", number: 1 }, (current) => ({ ...current, baseline: { at: 1, entities: [] } }));
    expect((await say("pause 1", to)).text).toMatch(/^Alert 1 is paused\./);
    expect((await say("resume 1", to)).text).toMatch(/^Alert 1 is resumed\./);
    expect((await saved(to)).baseline).toBeUndefined();
    expect(buttonsOf(await say("remove 1", to))).toEqual({ "Bring it back": "alerts resume 1" });
    expect((await say("list", to)).text).toMatch(/no alerts here yet/);
  });
});
