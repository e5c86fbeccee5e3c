import { describe, expect, it } from "vitest";

import { saveHandled, takeByReaction } from "../../../src/features/alerts/acknowledge.ts";
import { handledForm } from "../../../src/features/alerts/handled.ts";
import { alerts } from "../../../src/features/alerts/commands.ts";
import type { Incident } from "../../../src/features/alerts/detect/incident.ts";
import { shortId } from "../../../src/features/alerts/messages/buttons.ts";
import { createOvernight } from "../../../src/features/alerts/overnight.ts";
import type { Ask } from "../../../src/features/feature.ts";
import { answerOf, buttonsOf, hintOf, moreOf, wordsOf } from "../../support/answers.ts";
import { asking, now } from "../../support/builders.ts";
import { settled } from "../../support/clock.ts";
import { desk, watching } from "./desk.ts";
import { hour, incident, minute, trend, report } from "./setting.ts";
import { slackRefuses } from "../slack-limits.ts";

const high = trend("BASF", { score: 4, mentions: 30 });
const higher = trend("BASF", { score: 40, mentions: 300 });
const people: Record<string, string> = { U1: "Ada", U2: "Grace <!channel>" };

/** A desk whose alert has just reported BASF, and ways to take it there. */
async function reporting(names = ["BASF"]) {
  const here = await watching();
  await here.later(names.map((name) => ({ ...high, name })));
  const named = () => ({
    ...here.services,
    people: { ...here.services.people, name: async (_: string, user: string) => people[user] ?? user },
  });
  const press = async (line: string, about: Partial<Ask> = {}) => {
    const ask = asking(line.replace(/^alerts /, ""), { surface: "button", ...about });
    const answer = await answerOf(alerts, ask, named());
    await settled();
    return answer;
  };
  const message = () => {
    const post = here.posts.find(({ thread }) => thread === undefined);
    if (!post) throw new Error("nothing was posted");
    return here.shown(post);
  };
  return { ...here, named, press, message, words: () => wordsOf(message()) };
}

const button = (message: Parameters<typeof buttonsOf>[0], label: string) => buttonsOf(message)[label] ?? "";

describe("an alert's message", () => {
  it("is taken with one press, names the person without a ping, and can be handed back by them", async () => {
    const { press, message, words } = await reporting();
    const answer = await press(button(message(), "Take it"), { user: "U2" });
    expect(answer.text).toBe("You’re on BASF.");
    expect(answer.inPlace).toBe("edited");
    expect(words()).toMatch(/\n👤 Grace &lt;!channel&gt; is on it · <!date\^\d+\^{ago}\|just now>/);
    expect(slackRefuses(message())).toEqual([]);
    expect(buttonsOf(message())).not.toHaveProperty("Take it");
    const back = await press(button(message(), "Hand back"), { user: "U2" });
    expect(back.text).toBe("Handed back: BASF. Nobody is on it now.");
    expect(words()).not.toContain("👤");
    expect(buttonsOf(message())).toHaveProperty("Take it");
  });

  it("is taken by the first who puts 👀 on it, and by no other emoji", async () => {
    const { services, read } = await reporting();
    const react = async (user: string, emoji: string) => {
      const on = { team: "T1", user, channel: "C1", ts: "1.0", emoji };
      await takeByReaction(on, { ...services, people: { ...services.people, name: async () => people[user] ?? user } });
    };
    await react("U1", "tada");
    expect((await read()).incidents[0]?.acknowledgedBy).toBeUndefined();
    await react("U2", "eyes");
    await react("U1", "eyes");
    expect((await read()).incidents[0]?.acknowledgedBy).toMatchObject({ by: "U2" });
  });

  it("isn’t taken from somebody by mistake, but can be taken over, and says so", async () => {
    const { press, message, words, read } = await reporting();
    const take = button(message(), "Take it");
    await press(take, { user: "U1" });
    // The message of whoever presses may be a moment old.
    const late = await press(take, { user: "U2" });
    expect(late.text).toBe("Ada is on BASF · just now.");
    expect(late.inPlace).toBeUndefined();
    expect((await press(button(message(), "Hand back"), { user: "U2" })).text).toMatch(
      /^Ada is on BASF.*only they can/,
    );
    expect((await read()).incidents[0]?.acknowledgedBy).toMatchObject({ by: "U1" });
    expect(button(late, "Take over")).toBe(moreOf(message())["Take over"]);
    expect((await press(button(late, "Take over"), { user: "U2" })).text).toBe("You’re on BASF. Ada had it.");
    expect(words()).toMatch(/\n👤 Grace &lt;!channel&gt; is on it · .* · took over from Ada/);
    expect((await press(take, { user: "U2" })).text).toBe("You’re already on BASF.");
  });

  it("still says who is on it as its story goes on, also after a restart, and in the end how long it was open", async () => {
    const { press, message, words, later, restart, titles } = await reporting();
    await press(button(message(), "Take it"));
    restart();
    await later([higher], 90 * minute);
    expect(words()).toMatch(/^🔺 [^]*\n👤 Ada is on it · <!date[^>]*\|1 h ago>/);
    for (let check = 0; check < 3; check++) await later([], 10 * minute);
    expect(words()).toMatch(/^✅ .*\n?Spiked for 2 h, from [^]*\n👤 Ada took it at <!date/m);
    expect(buttonsOf(message())).not.toHaveProperty("Hand back");
    expect(titles().at(-1)).toMatch(/^BASF: back to normal/);
  });

  it("after quiet hours can be taken, and is edited from then on", async () => {
    const here = desk();
    const quietHours = { from: "08:00", to: "10:00" };
    await here.add({ options: { sensitivity: "eager", quietHours } });
    await here.later([high, { ...high, name: "Shell" }]);
    await here.later([high, { ...high, name: "Shell" }], hour);
    const [brief] = here.posts;
    if (!brief) throw new Error("nothing was posted");
    const words = () => wordsOf(here.shown(brief));
    await here.later([high], hour);
    expect(here.rewrites(0)).toEqual([]);
    const take = asking(button(brief.message, "Take it").replace("alerts ", ""), { surface: "button" });
    await answerOf(alerts, take, here.services);
    await settled();
    expect(words()).toMatch(/^🔺 2 spikes during quiet hours .*\n👤 Ada is on it · /);
    here.restart();
    for (let check = 0; check < 4; check++) await here.later([], 10 * minute);
    expect(words()).toMatch(/^✅ 2 spikes during quiet hours .* all back to normal.*\n👤 Ada took it at /);
  });

  it("in direct messages can’t be taken", async () => {
    const here = desk();
    await here.add({ channel: "U1" });
    await here.later([high]);
    const [post] = here.posts;
    expect(post && buttonsOf(post.message)).not.toHaveProperty("Take it");
  });
});

describe("a spike that is handled", () => {
  /** Fills in the window that a message's ⋯ menu opens. */
  const close = async (
    { named, press, message }: Awaited<ReturnType<typeof reporting>>,
    words: string,
    user = "U1",
  ) => {
    const opened = await press(moreOf(message())["Handled"] ?? "", { user });
    const { form } = opened.window ?? {};
    const fields: Record<string, string> = words ? { words } : {};
    expect(form?.name).toBe(handledForm.name);
    const request = asking("", { user, surface: "form" });
    const answer = await saveHandled({ fields, state: form?.state ?? "" }, request, named());
    await settled();
    return answer;
  };

  it("says in its message who closed it, with what words, as one line that pings nobody, and is open nowhere", async () => {
    const here = await reporting();
    await here.press(button(here.message(), "Take it"));
    const answer = await close(here, "ran 14:10 <!here>\nand: more", "U2");
    expect(here.words()).toMatch(
      /\n✅ Handled by Grace &lt;!channel&gt;: ran 14:10 &lt;!here&gt; and: more · \d+ min after the alert\n/,
    );
    expect(here.words()).not.toContain("👤");
    expect(slackRefuses(here.message())).toEqual([]);
    expect(buttonsOf(here.message())).not.toHaveProperty("Take it");
    expect((await here.press("alerts open")).text).toMatch(/^No spikes are open/);
    const record = await here.read();
    expect(record.changed[0]).toMatchObject({ by: "U2", type: "handled", name: "BASF" });
    expect(await createOvernight(here.services, () => here.state.now)(record, 0)).toEqual([
      expect.stringContaining("Handled by Grace"),
    ]);
    await here.press(button(answer, "Undo"), { user: "U1" });
    expect(here.words()).toMatch(/\n👤 Ada is on it/);
    expect(here.words()).not.toContain("Handled by");
    expect((await here.read()).incidents[0]?.acknowledgedBy).toEqual(
      expect.not.objectContaining({ handled: expect.anything() as unknown }),
    );
  });

  it("stays as the first person closed it, also without words, and can be opened again from its message", async () => {
    const here = await reporting();
    await Promise.all([close(here, ""), close(here, "too late", "U2")]);
    const late = await here.press("alerts handled BASF: later still", { user: "U2", surface: "slash" });
    expect(late.text).toMatch(/Handled by Ada ·/);
    expect(here.words()).toMatch(/\n✅ Handled by Ada ·/);
    expect((await here.read()).changed.filter(({ type }) => type === "handled")).toHaveLength(1);
    await here.press(moreOf(here.message())["Not handled"] ?? "");
    expect(buttonsOf(here.message())).toHaveProperty("Take it");
    expect((await here.read()).changed[0]).toMatchObject({ type: "reopened" });
    expect((await here.press("alerts handled BASF --undo")).text).toMatch(/isn’t marked as handled/);
  });

  it("isn’t reported again by the same rise, also after a fall, but is open again at twice its peak", async () => {
    const here = await reporting();
    await here.press("alerts handled BASF: ran it");
    const posted = here.posts.length;
    await here.later([trend("BASF", { score: 7.5, mentions: 50 })]);
    for (let check = 0; check < 3; check++) await here.later([]);
    const over = here.posts.length;
    for (let check = 0; check < 3; check++) await here.later([trend("BASF", { score: 7.5, mentions: 50 })]);
    expect(here.posts).toHaveLength(over);
    expect(here.words()).toContain("✅ Handled by Ada: ran it");
    expect(over - posted).toBeLessThanOrEqual(1);
    await here.later([higher]);
    expect(here.posts).toHaveLength(over + 1);
    expect(here.words()).not.toContain("✅ Handled");
    expect(buttonsOf(here.message())).toHaveProperty("Take it");
  });

  it("of several in one message is closed alone or with all of them", async () => {
    const here = await reporting(["BASF", "Shell"]);
    await here.press((moreOf(here.message())["Handled: Shell"] ?? "").replace("done", "handled"));
    expect(here.words()).toMatch(/\n✅ Shell handled by Ada · /);
    expect(buttonsOf(here.message())).toHaveProperty("Take it");
    const both = await here.press("handled --all BASF: both");
    expect((await here.read()).incidents.map(({ acknowledgedBy: by }) => by?.handled?.words)).toEqual(["both", ""]);
    expect(buttonsOf(here.message())).not.toHaveProperty("Take it");
    expect(slackRefuses(here.message())).toEqual([]);
    await here.press(button(both, "Undo"));
    expect((await here.read()).incidents.some(({ acknowledgedBy }) => acknowledgedBy)).toBe(false);
  });

  it("needs a name, few words, and the right to take it", async () => {
    const { services } = await reporting();
    const hint = (line: string) => hintOf(alerts, asking(line), services);
    expect(await hint("handled")).toMatch(/^Which name\?/);
    expect(await hint("handled : ran")).toMatch(/^Which name\?/);
    expect(await hint(`handled BASF: ${"x".repeat(121)}`)).toMatch(/120 characters/);
    const outside = { ...services, slackChannels: { ...services.slackChannels, isIn: async () => false } };
    const far = asking(`handled ${shortId("company|basf")} --alert 1`, { user: "U3", channel: "D3" });
    expect(await hintOf(alerts, far, outside)).toContain("no alert 1 here");
  });
});

describe("alerts take", () => {
  it("takes an open spike by its name or the beginning of it, and says what to do if there is none", async () => {
    const { press, services } = await reporting(["BASF", "Novalith Semiconductor", "Novalith Foundry"]);
    expect((await press("take bas", { surface: "slash" })).text).toMatch(/^You’re on /);
    expect((await press('hand-back "BASF"', { surface: "slash" })).text).toMatch(/^Handed back/);
    await expect(press("take novalith")).rejects.toThrow("Which “novalith”?");
    expect(await hintOf(alerts, asking("take Shell"), services)).toMatch(/^“Shell” isn’t open here[^]*\/alerts open/);
    expect(await hintOf(alerts, asking("take #74kfamfi --alert 1"), services)).toMatch(/^That spike isn’t open/);
    expect(await hintOf(alerts, asking("take"), services)).toMatch(/^Which name\?/);
  });
});

/** Incidents of an alert, each with a message of its own unless a test says otherwise. */
const incidents = (names: string[], about: Partial<Incident> = {}) =>
  names.map((name, index) =>
    incident({
      entity: `company|${name.toLowerCase()}`,
      name,
      since: now - (index + 1) * hour,
      post: `${name.charCodeAt(0)}${index}.0`,
      ...about,
    }),
  );

describe("alerts open", () => {
  const acknowledgedBy = { by: "U9", name: "Joan", at: now - 5 * minute };
  const open = async (all: { incidents: Incident[]; channel?: string; owner?: string }[], about: Partial<Ask> = {}) => {
    const here = desk();
    for (const each of all) {
      const posts = each.incidents.flatMap(({ post, entity }) => (post === undefined ? [] : [report(post, entity)]));
      const options = { include: [each.incidents[0]?.name ?? ""] };
      await here.add({ channel: "C1", owner: "U2", posts, ...each, options });
    }
    const say = (line: string, more: Partial<Ask> = {}) =>
      answerOf(alerts, asking(line, { ...about, ...more }), here.services);
    return { ...here, say, message: await say("open") };
  };
  const steps = ({ blocks = [] }: Parameters<typeof buttonsOf>[0]) =>
    blocks.flatMap((block) =>
      block.type === "section" && block.accessory?.type === "button"
        ? [[block.accessory.text.text, block.accessory.value ?? ""]]
        : [],
    );

  it("lists what nobody has taken, the newest first, five a page, then what somebody is on", async () => {
    const waiting = incidents(["A", "B", "C", "D", "E", "F"]);
    const { message, say } = await open([
      { incidents: [...incidents(["X"], { acknowledgedBy, since: now }), ...waiting] },
    ]);
    expect(message.text).toMatch(/^Open spikes\n6 not taken · 1 taken · page 1 of 2\n/);
    expect(wordsOf(message).match(/\*([A-Z])\*/g)).toEqual(["*A*", "*B*", "*C*", "*D*", "*E*"]);
    expect(wordsOf(message)).toMatch(
      /🔺 \*A\* · coverage 4.4× normal\nsince <!date[^>]*> · in <#C1> · <https:\/\/[^|]*\|Show message>/,
    );
    const second = await say("open 2");
    expect(wordsOf(second)).toMatch(/\*F\*[^]*\*X\*.*\n.*\n👤 Joan is on it · <!date/);
    expect(steps(second).map(([label]) => label)).toEqual(["Take it", "Take over"]);
    expect([slackRefuses(message), slackRefuses(second)]).toEqual([[], []]);
  });

  it("has one entry for a message about several, and its button takes them and shows the list again", async () => {
    const { message, say, read } = await open([{ incidents: incidents(["A", "B"], { post: "1.0" }) }]);
    expect(wordsOf(message)).toContain("*2 spikes: A, B*");
    const [[label, line = ""] = []] = steps(message);
    expect(label).toBe("Take it");
    const after = await say(line.replace("alerts ", ""), { surface: "button" });
    expect(after.text).toMatch(/^You’re on 2 spikes: A, B\.\nOpen spikes\nAll taken\n/);
    expect(steps(after).map(([each]) => each)).toEqual(["Hand back"]);
    expect((await read()).incidents.every(({ acknowledgedBy: by }) => by?.by === "U1")).toBe(true);
  });

  it("leaves out what is over, muted, not reported, or in somebody else’s direct messages", async () => {
    const quiet = [
      ...incidents(["Over"], { state: "resolved" }),
      ...incidents(["Early"], { state: "pending" }),
      ...incidents(["There"], { predatesAlert: true, post: undefined }),
    ];
    const { message } = await open([{ incidents: quiet }, { incidents: incidents(["Own"]), channel: "U2" }]);
    expect(message.text).toBe("No spikes are open in the channels that I can show here.");
  });

  it("lists spikes in the reader’s direct messages last, without a button", async () => {
    const own = { incidents: incidents(["Own"], { since: now }), channel: "U1", owner: "U1" };
    const { message, services } = await open([own, { incidents: incidents(["A"]) }]);
    expect(message.text).toMatch(/^Open spikes\n1 not taken · 1 for you alone\n/);
    expect(wordsOf(message)).toMatch(/\*A\*[^]*\*Own\*/);
    expect(steps(message).map(([label]) => label)).toEqual(["Take it"]);
    const mention = asking("open", { surface: "mention" });
    expect(wordsOf(await answerOf(alerts, mention, services))).not.toContain("Own");
  });

  it("names twelve spikes of one message", async () => {
    const names = Array.from({ length: 14 }, (_, index) => `N${index}`);
    const { message } = await open([{ incidents: incidents(names, { post: "1.0" }) }]);
    expect(wordsOf(message)).toContain("N11 and 2 more*");
  });

  it("shows readers the spikes of their channels, and a channel its own alone", async () => {
    const all = [
      { incidents: incidents(["Here"]) },
      { incidents: incidents(["There"]), channel: "C2" },
      { incidents: incidents(["Secret"]), channel: "C3" },
    ];
    const { services, message } = await open(all, { channel: "C2" });
    expect(wordsOf(message).match(/Here|There|Secret/g)).toEqual(["Here", "There"]);
    const asked = asking("open", { channel: "C2", surface: "mention" });
    expect(wordsOf(await answerOf(alerts, asked, services)).match(/Here|There|Secret/g)).toEqual(["There"]);
    const silent = { ...services, slackChannels: { ...services.slackChannels, joined: async () => undefined } };
    const direct = asking("open", { channel: "D1" });
    expect((await answerOf(alerts, direct, silent)).text).toMatch(/^No spikes are open/);
  });
});
