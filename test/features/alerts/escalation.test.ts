import { describe, expect, it } from "vitest";

import { alerts } from "../../../src/features/alerts/commands.ts";
import { alertForm } from "../../../src/features/alerts/form.ts";
import { readAlertLine } from "../../../src/features/alerts/options.ts";
import { SlackRefused } from "../../../src/slack/delivery/refusal.ts";
import { answerOf, buttonsOf, hintOf, wordsOf } from "../../support/answers.ts";
import { asking } from "../../support/builders.ts";
import { settled } from "../../support/clock.ts";
import { problemsOf } from "../slack-limits.ts";
import { desk as postingDesk } from "./desk.ts";
import { hour, minute, trend } from "./setting.ts";
import { desk, deskWith, fill, saved, say } from "./talk.ts";

describe("the target of escalations", () => {
  it.each([
    ["--escalate-to C0DESK123", "C0DESK123"],
    ["--escalate-to U0ADA12345", "U0ADA12345"],
    ["escalate to S0DESK123@desk", "S0DESK123@desk"],
    ["--escalate-to off", undefined],
  ])("%s is saved", async (typed, expected) => {
    const to = await deskWith(`company hourly ${typed}`);
    expect((await saved(to)).options.escalateTo).toBe(expected);
  });

  it("is needed to escalate what nobody takes", async () => {
    const hint = async (line: string) => hintOf(alerts, asking(line), desk());
    expect(await hint("add company hourly --escalate-after 15m")).toMatch(
      /^Who should it escalate to\? Add `--escalate-to`/,
    );
    expect(await hint("add company hourly --escalate-to me --escalate-after 2d")).toMatch(/up to `1d`/);
    const to = await deskWith("company hourly --escalate-to C0DESK123 --escalate-after 90m");
    expect((await saved(to)).options).toMatchObject({ escalateAfter: 90, escalateTo: "C0DESK123" });
    expect(await hintOf(alerts, asking("edit 1 --escalate-to off"), to)).toMatch(/^Who should it escalate to/);
  });

  it("ends a list of names", () => {
    const { options } = readAlertLine("include BASF, Bayer escalate to #desk ratio=3 hourly");
    expect(options).toEqual({ include: ["BASF", "Bayer"], escalateTo: "#desk", ratio: 3 });
  });

  it("is on the card by a name that pings nobody", async () => {
    const card = async (to: string) => wordsOf(await say(`add company hourly --escalate-to ${to}`, desk()));
    expect(await card("C0DESK123")).toContain("escalations also go to <#C0DESK123>");
    expect(await card("U0ADA12345")).toContain("escalations mention Ana");
    expect(await card("me")).toContain("escalations mention you");
    expect(await card("S0DESK123@desk")).toContain("escalations mention desk");
  });

  it("is refused if the asker may not choose it, or nobody would see the message", async () => {
    const hint = (line: string, to = desk(), about = {}) => hintOf(alerts, asking(line, about), to);
    const stranger = desk(undefined, { slackChannels: { isIn: async () => false } });
    expect(await hint("add company hourly --escalate-to C0DESK123", stranger)).toMatch(/^Only members of <#C0DESK123>/);
    const closed = desk(undefined, { slackChannels: { stateOf: async () => "closed" } });
    expect(await hint("add company hourly --in me --escalate-to C0DESK123", closed)).toMatch(
      /^I’m not in <#C0DESK123>/,
    );
    const elsewhere = desk(undefined, { slackChannels: { isIn: async ({ user }) => user !== "U0ADA12345" } });
    expect(await hint("add company hourly --escalate-to U0ADA12345", elsewhere)).toMatch(/^They’re not in <#C1>/);
    expect(await hint("add company hourly --in C0A --escalate-to C0A")).toMatch(/^Escalations already appear/);
    for (const whom of ["S0DESK123@desk", "U0ADA12345"]) {
      expect(await hint(`add company hourly --in me --escalate-to ${whom}`)).toMatch(/posts in a direct message/);
    }
    expect(await hint("add company hourly --escalate-to @ada")).toMatch(/choose the person or the user group/);
    expect(await hint("add company hourly --escalate-to @channel")).toMatch(/choose the person or the user group/);
    const strict = { ...(await deskWith("company hourly")), subscribing: "admins" as const };
    expect(await hint("edit 1 --escalate-to U0ADA12345", strict, { user: "U2" })).toMatch(
      /^In this workspace, only admins/,
    );
  });

  it("can be made a group by the alert’s owner alone, and others may keep it or end it", async () => {
    const to = await deskWith("company hourly --escalate-to S0DESK123@desk");
    const other = { user: "U2" };
    expect(await hintOf(alerts, asking("edit 1 --escalate-to S0OTHER12", other), to)).toMatch(
      /^Only the alert’s owner/,
    );
    await say("edit 1 eager --escalate-to S0DESK123@desk", to, other);
    await say("edit 1 --escalate-to off", to, other);
    expect((await saved(to)).options).toEqual({ type: "Company", sensitivity: "eager" });
  });

  it("is in the alert's history without an ID", async () => {
    const to = await deskWith("company hourly");
    for (const whom of ["C0DESK123", "U0ADA12345"]) await say(`edit 1 --escalate-to ${whom}`, to);
    await say("edit 1 escalate to S0DESK123@desk", to);
    const { text } = await say("history 1", to);
    expect(text.match(/escalations to .*/g)).toEqual([
      "escalations to desk",
      "escalations to a person",
      "escalations to <#C0DESK123>",
    ]);
  });

  it("in a window is a channel or a person, and a group stays unless one of them is chosen instead", async () => {
    const to = await deskWith("company hourly --escalate-to S0ADA12345@desk");
    const state = (await say("edit 1", to)).window?.form?.state ?? "";
    const fields = { type: "all", sensitivity: "balanced", when: "hourly", place: "C1" };
    const afterwards = async (more: Record<string, string>) => {
      await fill({ ...fields, ...more }, to, state);
      return (await saved(to)).options.escalateTo;
    };
    expect(await afterwards({})).toBe("S0ADA12345@desk");
    expect(await afterwards({ escalateTo: "C0DESK123" })).toBe("C0DESK123");
    expect(await afterwards({ escalatePerson: "U0ADA12345" })).toBe("U0ADA12345");
    expect(await afterwards({})).toBeUndefined();
    const both = { ...fields, escalatePerson: "U0ADA12345", escalateTo: "C0DESK123" };
    expect(alertForm.read({ fields: both, state })).toMatchObject({
      errors: { escalatePerson: expect.stringMatching(/not both/) },
    });
    const asker = { team: "T1", user: "U1", channel: "C1", surface: "form" as const };
    const errors = await alertForm.check?.({ fields: { ...fields, escalateTo: "C1" }, state }, asker, to);
    expect(errors).toEqual({ escalateTo: expect.stringMatching(/^Escalations already appear/) });
  });
});

const risen = trend("BASF", { score: 2 });
const high = trend("BASF", { score: 4, mentions: 30 });
const higher = trend("BASF", { score: 9, mentions: 90 });

/** A desk whose alert has reported BASF and passes escalations on. */
async function escalating(escalateTo: string, about: Parameters<ReturnType<typeof postingDesk>["add"]>[0] = {}) {
  const here = postingDesk();
  await here.add({ options: { sensitivity: "eager", escalateTo }, ...about });
  await here.later([risen]);
  const passedOn = () => here.posts.filter(({ key }) => key !== undefined).slice(1);
  const elsewhere = () => here.posts.filter(({ channel }) => channel !== "C1");
  return { ...here, passedOn, elsewhere };
}

describe("a spike that escalates", () => {
  it("is posted once in the second channel, with a link to its first message, and can be taken there", async () => {
    const { later, elsewhere, services, shown, tick, read } = await escalating("C2");
    expect(elsewhere()).toEqual([]);
    await later([high]);
    await tick();
    const [post, ...others] = elsewhere();
    if (!post) throw new Error("nothing was passed on");
    expect(others).toEqual([]);
    expect(post).toMatchObject({ channel: "C2", thread: undefined });
    expect(wordsOf(post.message)).toMatch(/^🔺 \*BASF\*: coverage 7.5× normal and growing\n30 articles, normally 4/);
    expect(wordsOf(post.message)).toMatch(
      /\nAlert 1 in <#C1>, created by Ada · <https:[^|]*\/archives\/C1\/p10\|Show message>/,
    );
    expect(problemsOf(post.message).filter((problem) => !problem.endsWith("<#C1>"))).toEqual([]);
    const take = asking((buttonsOf(post.message)["Take it"] ?? "").replace("alerts ", ""), {
      surface: "button",
      channel: "C2",
      user: "U7",
    });
    const outside = { ...services, slackChannels: { ...services.slackChannels, isIn: async () => false } };
    expect((await answerOf(alerts, take, outside)).text).toBe("You’re on BASF.");
    await settled();
    expect((await read()).incidents[0]?.acknowledgedBy).toMatchObject({ by: "U7" });
    expect(wordsOf(shown(post))).toMatch(/\n👤 Ada is on it · [^]*Hand back/);
    await later([higher]);
    expect(wordsOf(elsewhere()[1]?.message ?? { text: "" })).toMatch(/\n👤 Ada is on it/);
  });

  it("shows its end in the second channel, too, also after a restart", async () => {
    const { later, elsewhere, shown, restart } = await escalating("C2");
    await later([high]);
    restart();
    for (let check = 0; check < 4; check++) await later([], 10 * minute);
    const [post, ...others] = elsewhere();
    expect(others).toEqual([]);
    expect(post && wordsOf(shown(post))).toMatch(/^✅ \*BASF\*: back to normal [^]*\nSpiked for 31 min, from /);
    expect(post && buttonsOf(shown(post))).not.toHaveProperty("Take it");
  });

  it.each([
    ["the group that the owner named", "S0DESK123@desk", "<!subteam^S0DESK123>"],
    ["a person", "U0SEVEN77", "<@U0SEVEN77>"],
  ])("mentions %s once, in the thread of its message and in the channel", async (_, whom, mention) => {
    const { later, posts, shown } = await escalating(whom);
    await later([high]);
    const [called, ...others] = posts.slice(1);
    expect(others).toEqual([]);
    expect(called).toMatchObject({ channel: "C1", thread: "1.0", broadcast: true });
    const words = wordsOf(called?.message ?? { text: "" });
    expect(words.startsWith(`${mention} 🔺 *BASF*: coverage 7.5× normal and growing`)).toBe(true);
    expect(words).toContain("Mentioned by alert 1, created by Ada");
    expect(JSON.stringify(posts.map(({ message }) => message.blocks)).split(mention)).toHaveLength(2);
    for (let check = 0; check < 4; check++) await later([], 10 * minute);
    expect(called && wordsOf(shown(called))).toMatch(/✅ \*BASF\*: back to normal/);
  });

  it("mentions somebody in the thread of a message that is posted at the same time", async () => {
    const here = postingDesk();
    const quietHours = { from: "09:00", to: "10:00" };
    await here.add({ options: { sensitivity: "eager", escalateTo: "U0SEVEN77", quietHours } });
    await here.later([risen]);
    await here.later([high]);
    await here.later([high], hour);
    expect(here.posts.map(({ thread, broadcast }) => [thread, broadcast])).toEqual([
      [undefined, undefined],
      ["1.0", true],
    ]);
  });

  it("mentions somebody in the channel if the thread is gone, and once if Slack’s answer was lost", async () => {
    const { later, posts, fail, restart } = await escalating("U0SEVEN77");
    fail.post = ({ thread }) => (thread ? new SlackRefused("chat.postMessage", "thread_not_found") : undefined);
    await later([high]);
    fail.after = () => new SlackRefused("chat.postMessage", "internal_error");
    await later([high], hour);
    expect(posts.slice(1)).toMatchObject([{ channel: "C1", thread: undefined }]);
    delete fail.after;
    restart();
    await later([high], hour);
    expect(posts).toHaveLength(2);
  });

  it("that can’t be posted elsewhere pauses nothing, holds up nothing, and is a problem on the alert’s card", async () => {
    const { later, elsewhere, posts, fail, read, waiting } = await escalating("C2");
    fail.post = ({ channel }) => (channel === "C2" ? new SlackRefused("chat.postMessage", "is_archived") : undefined);
    await later([high]);
    expect(elsewhere()).toEqual([]);
    expect(await read()).toMatchObject({
      state: "active",
      problem: "An escalation wasn’t passed on. The channel is archived.",
    });
    fail.post = ({ channel }) => (channel === "C2" ? new SlackRefused("chat.postMessage", "ratelimited") : undefined);
    await later([higher]);
    expect(await waiting()).toEqual(["escalation"]);
    await later([higher, trend("Shell", { score: 9 })]);
    expect(posts.at(-1)?.message.text).toMatch(/^Shell/);
    delete fail.post;
    await later([higher], 10 * minute);
    expect(elsewhere()).toHaveLength(1);
    expect(await waiting()).toEqual([]);
  });

  it("comes once for a spike that nobody takes in the time given, and says so until somebody does", async () => {
    const waits = { sensitivity: "eager" as const, escalateTo: "C2", escalateAfter: 15 };
    const { later, tick, elsewhere, shown, restart, services } = await escalating("C2", { options: waits });
    await later([risen], 14 * minute);
    expect(elsewhere()).toEqual([]);
    await later([risen]);
    restart();
    await later([risen], hour);
    const [post, ...others] = elsewhere();
    if (!post) throw new Error("nothing was passed on");
    expect(others).toEqual([]);
    expect(wordsOf(post.message)).toMatch(/^🔺 \*BASF\*: [^]*\nNobody took it within 15\smin\./);
    const take = asking((buttonsOf(post.message)["Take it"] ?? "").replace("alerts ", ""), {
      channel: "C2",
      user: "U7",
    });
    await answerOf(alerts, take, services);
    await tick();
    expect(wordsOf(shown(post))).toMatch(/\n👤 Ada is on it/);
    expect(wordsOf(shown(post))).not.toContain("Nobody took it");
  });

  it("doesn’t come for a spike that somebody has taken in time, or that is muted or over", async () => {
    const waits = { sensitivity: "eager" as const, escalateTo: "C2", escalateAfter: 15 };
    for (const line of ["take BASF", "mute BASF 1d", "handled BASF: knew it"]) {
      const { later, elsewhere, services } = await escalating("C2", { options: waits });
      await answerOf(alerts, asking(line), services);
      await later([risen], hour);
      expect(elsewhere()).toEqual([]);
    }
    const { later, elsewhere } = await escalating("C2", { options: waits });
    for (let check = 0; check < 4; check++) await later([], 4 * minute);
    await later([], hour);
    expect(elsewhere()).toEqual([]);
  });

  it("doesn’t come if the alert has moved to the channel that it escalates to", async () => {
    const waits = { sensitivity: "eager" as const, escalateTo: "C1", escalateAfter: 15 };
    const { later, posts } = await escalating("C1", { options: waits });
    const before = posts.length;
    await later([risen], hour);
    expect(posts).toHaveLength(before);
  });

  it("goes elsewhere after quiet hours, and not at all once somebody has ended escalations", async () => {
    const quiet = { sensitivity: "eager" as const, escalateTo: "C2", quietHours: { from: "09:02", to: "10:00" } };
    const { later, elsewhere } = await escalating("C2", { options: quiet });
    await later([high]);
    expect(elsewhere()).toEqual([]);
    await later([high], hour);
    expect(elsewhere()).toHaveLength(1);
    const ended = await escalating("C2");
    ended.fail.post = ({ channel }) =>
      channel === "C2" ? new SlackRefused("chat.postMessage", "ratelimited") : undefined;
    await ended.later([high]);
    delete ended.fail.post;
    await ended.services.alerts.update(await ended.read(), (current) => ({
      ...current,
      options: { sensitivity: "eager" },
    }));
    await ended.later([high], hour);
    expect(ended.elsewhere()).toEqual([]);
    expect(await ended.waiting()).toEqual([]);
  });
});
