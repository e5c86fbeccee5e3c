import { describe, expect, it } from "vitest";

import { newPost } from "../../../src/slack/delivery/outbox.ts";
import { alerts } from "../../../src/features/alerts/commands.ts";
import type { AlertOptions } from "../../../src/features/alerts/options.ts";
import { answerOf, buttonsOf, hintOf, wordsOf } from "../../support/answers.ts";
import { asking, entity, now } from "../../support/builders.ts";
import { desk as postingDesk } from "./desk.ts";
import { hour, minute, sample, trend } from "./setting.ts";
import { desk, deskWith, saved, say } from "./talk.ts";
import { slackRefuses } from "../slack-limits.ts";

describe("alerts add", () => {
  it.each<[string, AlertOptions, string]>([
    ["all every 1 minute eager", { sensitivity: "eager" }, "* * * * *"],
    [
      "company every 15 minutes balanced quiet hours 22-7",
      { type: "Company", sensitivity: "balanced", quietHours: { from: "22:00", to: "07:00" } },
      "*/15 * * * *",
    ],
    ['include "BASF" hourly', { include: ["BASF"] }, "0 * * * *"],
  ])("%s is saved", async (text, options, pattern) => {
    const to = desk();
    const message = await say(`add ${text}`, to);
    expect(message.text).toMatch(/^Alert 1 is set\./);
    expect(slackRefuses(message)).toEqual([]);
    const one = await saved(to);
    expect(one).toMatchObject({ channel: "C1", owner: "U1", posts: [] });
    expect([one.options, one.schedule.pattern, one.schedule.zone]).toEqual([options, pattern, "Europe/London"]);
    expect(one.nextRun).toBeGreaterThan(now);
  });

  it("says what is saved and what spikes now, which it can post, and can be taken back", async () => {
    const to = desk();
    const message = await say("add company every 15 minutes eager", to);
    const words = wordsOf(message);
    expect(words.split("\n").slice(0, 3)).toEqual([
      expect.stringMatching(/^Alert 1 is set\. \*Trending: Company\* · eager$/),
      expect.stringMatching(/^Every 15 minutes, in <#C1> · /),
      "Northwind Energy is spiking right now, and will be reported only on growing further.",
    ]);
    expect(buttonsOf(message)).toMatchObject({ "Post it here": "alerts post 1" });
    expect((await say("post 1", to)).text).toContain("Alert 1 posts it within a minute.");
    expect((await saved(to)).posts).toMatchObject([{ content: { kind: "firing" } }]);
    expect(await hintOf(alerts, asking("post 1"), to)).toContain("Alert 1 has nothing to post");
    expect((await say("history 1", to)).text).toContain("posted what was spiking");
    expect(buttonsOf(message)).toMatchObject({ "Change…": "alerts edit 1", Undo: "alerts remove 1" });
    const details = await say((buttonsOf(message)["Details"] ?? "").replace("alerts ", ""), to);
    expect(wordsOf(details)).toMatch(/Alert 1\n[^]*created by you\n[^]*Fires at 3\+ mentions and 1\.5× normal\./);
    expect(Object.keys(buttonsOf(details))).toEqual(["Test now", "Edit", "Pause", "Remove"]);
    expect(slackRefuses(details)).toEqual([]);
  });

  it("says when what spikes now is posted, if its quiet hours or a pause keep it back", async () => {
    const night = await deskWith("company every 15 minutes eager quiet hours 0:00-23:59");
    expect((await say("post 1", night)).text).toContain("Alert 1 posts it after its quiet hours.");
    const paused = await deskWith("company every 15 minutes eager");
    await say("pause 1", paused);
    expect((await say("post 1", paused)).text).toContain("Alert 1 posts it when it is resumed.");
  });

  it("lists the types if one doesn’t exist, and takes any type if none are known", async () => {
    expect(await hintOf(alerts, asking("add companyy hourly"), desk())).toBe(
      "I couldn’t find “companyy”. The types are `company`, `person`, or `all`.",
    );
    const to = desk([]);
    await say("add company hourly", to);
    expect((await saved(to)).options.type).toBe("company");
  });

  it("adds nothing that is there already", async () => {
    const to = await deskWith("company hourly");
    const message = await say("add Companies every 5 minutes eager", to);
    expect(message.text).toContain("Alert 1 already covers this. Nothing added.");
    expect(message.text).toContain("/alerts edit 1");
    const other = await say("add company hourly", to, { user: "U2" });
    expect(other.text).toContain("Nothing added.");
    expect(await to.alerts.ofTeam("T1")).toHaveLength(1);
  });

  it("says what checks cost if they aren’t free, and doesn’t check for nothing", async () => {
    let looks = 0;
    const to = desk(undefined, {
      configured: { intelligence: false },
      samples: {
        take: () => Promise.reject(new Error(`${looks++}`)),
        since: async () => [sample(now, [trend("One")])],
      },
    });
    const words = wordsOf(await say("add company every 15 minutes", to));
    expect(words).toContain("each check costs 1 credit, about 96 a day");
    expect(looks).toBe(0);
  });

  it("doesn’t wait for a slow sample", async () => {
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

describe("alerts add with a name", () => {
  const novalith = entity({ id: 9, name: "Novalith Semiconductor" });
  const known = (...near: ReturnType<typeof entity>[]) =>
    desk(undefined, {
      directory: {
        search: () => ({ near: [] }),
        find: async () => (near.length > 0 ? { near } : { match: novalith, near: [] }),
      },
      intelligence: { articles: async () => [] },
    });

  it.each(["Novalith hourly", "company Novalith hourly", "person Novalith hourly", "entity Novalith hourly"])(
    "%s watches the company that is meant",
    async (typed) => {
      const to = known();
      await say(`add ${typed}`, to);
      const { source, options } = await saved(to);
      expect([source, options]).toEqual([
        { kind: "entity", ids: [9], name: "Novalith Semiconductor", typeName: "Company" },
        {},
      ]);
    },
  );

  it("opens its window where only the name is said", async () => {
    const { window } = await say("add Novalith", known());
    expect(window).toMatchObject({
      title: "New alert",
      form: { state: '{"wanted":{"kind":"entity","what":"Novalith"}}' },
    });
  });

  it("asks which one is meant if there are two", async () => {
    const to = known(novalith, entity({ id: 10, name: "Novalith Foundry" }));
    await expect(say("add Novalith hourly", to)).rejects.toThrow("Which “Novalith”?");
  });

  it("is still a type where the type alone is said", async () => {
    const to = known();
    await say("add company hourly", to);
    expect((await saved(to)).options).toEqual({ type: "Company" });
  });
});

describe("alerts edit", () => {
  it("changes what is said and nothing else, and Undo brings that back", async () => {
    const to = await deskWith("company weekdays at 9:00 Asia/Tokyo balanced include BASF quiet hours 22-7 --in C0A");
    const before = await saved(to);
    const message = await say("edit 1 eager exclude Alba", to);
    expect(message.text).toMatch(/^Alert 1 is updated\./);
    const after = await saved(to);
    expect(after.options).toEqual({ ...before.options, sensitivity: "eager", exclude: ["Alba"] });
    expect(after.schedule).toEqual(before.schedule);
    expect(after.changed[0]).toMatchObject({
      by: "U1",
      type: "edited",
      options: { sensitivity: "eager", exclude: ["Alba"] },
    });
    const undo = (buttonsOf(message)["Undo"] ?? "").replace(/^alerts /, "");
    // Whoever undoes it may live elsewhere.
    const inTokyo = { ...to, people: { ...to.people, timeZone: async () => "Asia/Tokyo" } };
    expect((await say(undo, inTokyo)).text).toMatch(/^Alert 1 is as it was before\./);
    const night = { from: "22:00", to: "07:00", zone: "Asia/Tokyo" };
    const { options, schedule, channel } = await saved(to);
    expect({ options, schedule, channel }).toEqual({
      options: { ...before.options, quietHours: night },
      schedule: before.schedule,
      channel: before.channel,
    });
    expect(await hintOf(alerts, asking("restore 1 5"), to)).toMatch(/^Alert 1 has been changed since\./);
  });

  it("takes thresholds of one’s own beside the sensitivity", async () => {
    const to = await deskWith("company hourly");
    expect(wordsOf(await say("edit 1 ratio=9", to))).toMatch(
      /fires at 4\+ mentions and 9× normal, on 2 checks in a row/,
    );
    expect((await saved(to)).options).toEqual({ type: "Company", ratio: 9 });
  });

  it("takes quiet hours for those of whoever types them, and leaves them so for the next editor", async () => {
    const to = await deskWith("company hourly");
    const inBerlin = { ...to, people: { ...to.people, timeZone: async () => "Europe/Berlin" } };
    const message = await say("edit 1 quiet hours 22:00-07:00", inBerlin, { user: "U2" });
    expect(wordsOf(message)).toContain("quiet hours 22:00–07:00 (Europe/Berlin)");
    const night = { from: "22:00", to: "07:00", zone: "Europe/Berlin" };
    expect((await saved(to)).options.quietHours).toEqual(night);
    const window = await say("edit 1", to);
    expect(JSON.stringify(window.blocks)).toContain("22:00-07:00 Europe/Berlin");
    await say("edit 1 eager --quiet-hours 22:00-07:00 Europe/Berlin", to);
    expect((await saved(to)).options.quietHours).toEqual(night);
  });

  it("takes present spikes by another rule as known, so that it floods nobody, and goes on watching", async () => {
    const to = await deskWith("company hourly");
    await to.alerts.update({ team: "T1", number: 1 }, (current) => ({ ...current, watchingSince: now }));
    await say("edit 1 every 5 minutes quiet hours 22-7 balanced", to);
    expect(await saved(to)).toMatchObject({ watchingSince: now, nextRun: now + 5 * minute });
    await to.alerts.update({ team: "T1", number: 1 }, (current) => ({ ...current, incidents: [] }));
    await say("edit 1 eager", to);
    expect(await saved(to)).toMatchObject({
      watchingSince: now,
      incidents: [{ name: "Northwind Energy", predatesAlert: true }],
    });
  });

  it("opens a window with the alert’s values if nothing is said", async () => {
    const to = await deskWith("company weekdays at 9:00 ratio=9 quiet hours 22-7 include BASF");
    const message = await say("edit 1", to);
    expect(message.window).toMatchObject({ title: "Edit alert 1", form: { name: "alert", state: '{"number":1}' } });
    const fields = JSON.stringify(message.blocks);
    for (const part of ["Weekdays at 09:00 Europe/London", "22:00-07:00", "BASF", `"initial_value":"9"`]) {
      expect(fields).toContain(part);
    }
  });

  it("says what can change if no window can open, and refuses to make two alerts the same", async () => {
    const to = await deskWith("company hourly");
    await say("add person hourly", to);
    expect(await hintOf(alerts, asking("edit 1", { surface: "mention" }), to)).toMatch(/What should change\?/);
    expect(await hintOf(alerts, asking("edit 4 hourly"), to)).toMatch(/no alert 4 here/);
    expect(await hintOf(alerts, asking("edit 2 company"), to)).toMatch(/Alert 1 already posts the same there/);
  });
});

describe("an alert that checks every hour and is edited between two checks", () => {
  const hourly = { pattern: "0 * * * *", zone: "UTC", words: "hourly" };
  const strong = (name: string, type = "Company") => trend(name, { type, score: 9 });

  /** What it has posted by its next check, if it is edited while some names trend and others rise within a minute. */
  async function postedAfter(
    typed: string,
    { options = {}, before = [strong("BASF")], after = [strong("Shell")] } = {},
  ) {
    const here = postingDesk();
    await here.add({ schedule: hourly, options: { sensitivity: "eager", ...options } });
    await here.later(before);
    await answerOf(alerts, asking(typed), here.services);
    await here.later([...before, ...after]);
    await here.later([...before, ...after], hour);
    return here.posts.map(({ message }) => message.text.split(":")[0]);
  }

  it.each(["edit 1 --sensitivity balanced", "edit 1 ratio=2.5", "edit 1 exclude Alba"])(
    "reports what rises after “%s”, and nothing that is open a second time",
    async (typed) => {
      expect(await postedAfter(typed)).toEqual(["BASF", "Shell"]);
    },
  );

  it("takes names that it only covers since then as they were when it was edited", async () => {
    const before = [strong("Ada", "Person"), strong("BASF")];
    const after = [strong("Ben", "Person")];
    expect(await postedAfter("edit 1 all", { options: { type: "Company" }, before, after })).toEqual(["BASF", "Ben"]);
    expect(await postedAfter("edit 1 include BASF,Shell", { options: { include: ["BASF"] } })).toEqual([
      "BASF",
      "Shell",
    ]);
  });

  it("goes on counting the checks of what had not been reported yet", async () => {
    const here = postingDesk();
    await here.add({ schedule: hourly, options: {} });
    await here.later([trend("BASF")]);
    await answerOf(alerts, asking("edit 1 mentions=5"), here.services);
    await here.later([trend("BASF")], hour);
    expect(here.titles()).toEqual([expect.stringMatching(/^BASF/)]);
  });

  it("reports what rises after it was resumed, and not what rose while it was paused", async () => {
    const here = postingDesk();
    await here.add({ schedule: hourly });
    await here.add({ channel: "C2" });
    const named = (channel: string) =>
      here.posts.filter((post) => post.channel === channel).map(({ message }) => message.text.split(":")[0]);
    await answerOf(alerts, asking("pause 1"), here.services);
    await here.later([strong("BASF")]);
    await answerOf(alerts, asking("resume 1"), here.services);
    await here.later([strong("BASF")]);
    await here.later([strong("BASF"), strong("Shell")], hour);
    expect(named("C1")).toEqual(["Shell"]);
  });

  it("reports what rises between being set and its first check", async () => {
    const here = postingDesk({ people: { timeZone: async () => "UTC" } });
    here.state.trends = [strong("BASF")];
    await answerOf(alerts, asking("add all hourly eager"), here.services);
    await here.later([strong("BASF"), strong("Shell")]);
    await here.later([strong("BASF"), strong("Shell")], hour);
    expect(here.posts.map(({ message }) => message.text.split(":")[0])).toEqual(["Shell"]);
  });
});

describe("an alert that is edited to go elsewhere", () => {
  it("can take it to another channel, which its history says", async () => {
    const to = await deskWith("company hourly", { channel: "C0A" });
    const message = await say("edit 1 --in C0B", to);
    expect(message.text).toMatch(/^Alert 1 now posts in #?\S*C0B/);
    const { channel, changed } = await saved(to);
    expect([channel, changed[0]]).toMatchObject(["C0B", { type: "edited", channel: "C0B" }]);
  });

  it("has it watch anew there, and leaves the messages elsewhere as they are", async () => {
    const here = postingDesk();
    await here.add();
    await here.later([]);
    await here.later([trend("BASF", { score: 9 })]);
    await answerOf(alerts, asking("edit 1 --in C0B"), here.services);
    await here.later([trend("BASF", { score: 90, mentions: 400 })]);
    expect(here.rewrites(0)).toEqual([]);
    await here.later([trend("BASF", { score: 900, mentions: 4_000 })]);
    const there = here.posts.filter(({ channel }) => channel === "C0B").map(({ message }) => message.text);
    expect(there[0]).toMatch(/^BASF: coverage 100 times normal/);
    expect(here.rewrites(0)).toEqual([]);
    expect(here.posts.filter(({ channel, thread }) => channel === "C1" && thread)).toEqual([]);
  });
});

describe("an alert that is resumed", () => {
  it("posts what waited and watches anew", async () => {
    const to = await deskWith("company hourly");
    const content = { kind: "firing" as const, entities: [], more: 0 };
    const post = { ...newPost({ key: "k", since: now, content }), tries: 2, retryAt: now };
    const name = { team: "T1", number: 1 };
    await to.alerts.update(name, (current) => ({ ...current, watchingSince: 1, posts: [post] }));
    await say("pause 1", to);
    expect((await say("resume 1", to)).text).toMatch(/^Alert 1 is back on schedule\./);
    expect(await saved(to)).toMatchObject({ watchingSince: undefined, posts: [{ key: "k", tries: 0 }] });
  });
});
