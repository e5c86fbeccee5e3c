import { describe, expect, it } from "vitest";

import type { Article } from "../../../src/apis/article.ts";
import { alerts } from "../../../src/features/alerts/commands.ts";
import { shortId } from "../../../src/features/alerts/messages/buttons.ts";
import { Unavailable } from "../../../src/apis/errors.ts";
import { answerOf, buttonsOf, menuOf, wordsOf } from "../../support/answers.ts";
import { article, asking } from "../../support/builders.ts";
import { settled } from "../../support/clock.ts";
import { desk } from "./desk.ts";
import { minute, trend } from "./setting.ts";

const eager = { sensitivity: "eager" as const };
const quarterly = { pattern: "*/15 * * * *", zone: "UTC", words: "every 15 minutes" };
const basf = trend("BASF", { score: 2 });
const ludwig = trend("Ludwig", { type: "Person", score: 5 });
const chemistry = trend("Chemistry", { type: "Topic", score: 9 });
const shell = trend("Shell", { score: 3 });

type Desk = ReturnType<typeof desk>;

/** Reports on an event, each of which names these. */
function reports(here: Desk, event: string, count: number, names: string[] = []): Article[] {
  return Array.from({ length: count }, (_, at) =>
    article({
      id: undefined,
      title: `${event} report number ${at + 1}`,
      url: `https://news.example.com/${event.replaceAll(" ", "-")}/${at + 1}`,
      source: `Outlet ${at + 1}`,
      published: here.state.now - (at + 1) * 1_000,
      entities: { primary: names.map(here.idOf), secondary: [], tertiary: [] },
    }),
  );
}

/** Three alerts of one channel, each on one name of a blast, of which each has its own reports beside two that all have. */
async function blast(add: Partial<Parameters<Desk["add"]>[0]> = {}) {
  const here = desk();
  for (const name of ["BASF", "Ludwig", "Chemistry"]) {
    await here.add({ options: { ...eager, include: [name] }, ...add });
    const shared = reports(here, "Plant blast", 2);
    here.state.articlesOf[name] = [...reports(here, `Blast at ${name}`, 2), ...shared];
  }
  return here;
}

const channelPosts = ({ posts }: Desk) => posts.filter(({ thread }) => thread === undefined);
const shownWords = (here: Desk, at = 0) => {
  const post = channelPosts(here)[at];
  return post ? wordsOf(here.shown(post)) : "";
};

/** The articles of the list that *Ask why* gives a question. */
async function askedAbout(here: Desk, at = 0): Promise<string[]> {
  const post = channelPosts(here)[at];
  const [, key = ""] = /about ([\w-]{36})/.exec(JSON.stringify(post && here.shown(post).blocks)) ?? [];
  return ((await here.services.lists.get(key, "T1"))?.articles ?? []).map(({ title }) => title);
}

describe("spikes of one event", () => {
  it("in three alerts of a channel are one message that names all of them, with the articles of all in its list", async () => {
    const here = await blast();
    await here.later([chemistry, ludwig, basf]);
    expect(channelPosts(here)).toHaveLength(1);
    const words = shownWords(here);
    expect(words).toMatch(/🔺 BASF: coverage 3× normal/);
    expect(words).toMatch(/\nalso: (Ludwig|Chemistry) \(3× normal\), (Ludwig|Chemistry) \(3× normal\)/);
    const all = Object.values(here.state.articlesOf).flat();
    expect((await askedAbout(here)).toSorted()).toEqual([...new Set(all.map(({ title }) => title))].toSorted());
    await here.later([chemistry, ludwig, basf]);
    expect(channelPosts(here)).toHaveLength(1);
  });

  it("in one alert are one message, and unrelated ones are another", async () => {
    const here = desk();
    await here.add();
    here.state.articlesOf["BASF"] = reports(here, "Plant blast", 4, ["BASF", "Chemistry"]);
    here.state.articlesOf["Chemistry"] = reports(here, "Chemical safety", 4, ["Chemistry"]);
    here.state.articlesOf["Shell"] = reports(here, "Tanker stopped", 3, ["Shell"]);
    await here.later([basf, chemistry, shell]);
    expect(channelPosts(here)).toHaveLength(2);
    const at = shownWords(here).includes("BASF") ? 0 : 1;
    expect(shownWords(here, at)).toContain("also: Chemistry");
    expect(shownWords(here, 1 - at)).not.toContain("also:");
  });

  it("in two alerts that have nothing in common are two messages", async () => {
    const here = desk();
    for (const name of ["BASF", "Shell"]) {
      await here.add({ options: { ...eager, include: [name] } });
      here.state.articlesOf[name] = reports(here, `News of ${name}`, 3, [name]);
    }
    await here.later([basf, shell]);
    expect(channelPosts(here)).toHaveLength(2);
  });

  it("that come later join the message while it's open, and are reported anew once it's over", async () => {
    const here = await blast();
    await here.later([basf]);
    await here.later([basf, ludwig]);
    expect(channelPosts(here)).toHaveLength(1);
    expect(shownWords(here)).toContain("also: Ludwig");
    // The articles of the name in the title lead.
    expect(shownWords(here)).not.toContain("Blast at Ludwig");
    expect(await askedAbout(here)).toContain("Blast at Ludwig report number 1");
    for (let checks = 0; checks < 3; checks++) await here.later([]);
    expect(here.titles()[0]).toMatch(/^BASF: back to normal/);
    await here.later([chemistry]);
    expect(channelPosts(here)).toHaveLength(2);
  });

  it("that grow or end get a reply in their message’s thread, shown in the channel only for the alert that posted it", async () => {
    const here = await blast();
    await here.later([chemistry, ludwig, basf]);
    const more = (each: typeof basf) => ({ ...each, mentions: 90, score: 30 });
    await here.later([chemistry, ludwig, basf].map(more));
    const replies = here.posts.filter(({ thread }) => thread !== undefined);
    expect(replies.map(({ thread }) => thread)).toEqual(["1.0", "1.0", "1.0"]);
    expect(replies.filter(({ broadcast }) => broadcast)).toHaveLength(1);
    expect(channelPosts(here)).toHaveLength(1);
  });

  it("are taken as a whole, or one by one, by their names", async () => {
    const here = await blast();
    await here.later([chemistry, ludwig, basf]);
    const say = async (line: string) => {
      const answer = await answerOf(alerts, asking(line, { surface: "button" }), here.services);
      await settled();
      return answer;
    };
    await say("take Ludwig --all");
    expect(shownWords(here)).toMatch(/👤 Ada is on it/);
    expect(wordsOf(await say("open")).match(/Show message/g)).toHaveLength(1);
    expect(wordsOf(await say("open"))).toMatch(/All taken/);
    await say("hand-back Chemistry");
    expect(shownWords(here)).toMatch(/👤 Ada is on (BASF, Ludwig|Ludwig, BASF) · /);
    await say("hand-back BASF --all");
    expect(shownWords(here)).not.toMatch(/👤/);
    expect(wordsOf(await say("open"))).toMatch(/1 not taken/);
  });

  it("say who has what of them, from the menu of their message", async () => {
    const here = await blast();
    await here.later([chemistry, ludwig, basf]);
    const press = async (label: string, user: string) => {
      const [post] = channelPosts(here);
      const message = post ? here.shown(post) : { text: "" };
      const line = { ...menuOf(message), ...menuOf(message, "More"), ...buttonsOf(message) }[label] ?? "";
      const people = { ...here.services.people, name: async () => (user === "U1" ? "Ada" : "Grace") };
      const ask = asking(line.replace(/^alerts /, ""), { surface: "button", user });
      const answer = await answerOf(alerts, ask, { ...here.services, people });
      await settled();
      return answer.text;
    };
    expect(await press("Take Ludwig", "U1")).toBe("You’re on Ludwig.");
    expect(shownWords(here)).toMatch(/\n👤 Ada is on Ludwig · <!date/);
    expect(await press("Take it", "U2")).toBe("You’re on 2 spikes: BASF, Chemistry.");
    expect(shownWords(here)).toMatch(/\n👤 Grace is on BASF, Chemistry · .*\n👤 Ada is on Ludwig · /);
    expect(await press("Hand back Ludwig", "U2")).toMatch(/^Ada is on Ludwig · just now, so only they can/);
    expect(await press("Take over", "U1")).toBe("You’re on 2 spikes: BASF, Chemistry. Grace had it.");
    expect(shownWords(here)).toMatch(/\n👤 Ada is on it · .* · took over from Grace/);
  });

  it("are muted as a whole, or one by one, from their message", async () => {
    const here = await blast();
    await here.later([chemistry, ludwig, basf]);
    const press = async (label: string) => {
      const [post] = channelPosts(here);
      const line = post && menuOf(here.shown(post))[label];
      await answerOf(alerts, asking((line ?? "").replace(/^alerts /, ""), { surface: "button" }), here.services);
      await settled();
    };
    const muted = async () => {
      const all = await Promise.all([1, 2, 3].map(here.read));
      return all.map(({ mutes }) => mutes.map(({ name }) => name));
    };
    await press("For a day: Ludwig");
    expect(await muted()).toEqual([[], ["Ludwig"], []]);
    expect(shownWords(here)).toMatch(/Ludwig \(3× normal, muted until/);
    await press("All of it, for a week");
    expect(await muted()).toEqual([["BASF"], ["Ludwig"], ["Chemistry"]]);
  });

  it("are one message, whichever write the process ends at", async () => {
    const course = async (cut: number) => {
      const here = await blast();
      const set = here.records.set.bind(here.records);
      let writes = 0;
      let isOver = false;
      here.records.set = async (...about) => {
        if (++writes === cut) isOver = true;
        if (isOver) throw new Error("the process has ended");
        await set(...about);
      };
      for (let looks = 0; looks < 3; looks++) {
        await here.later([chemistry, ludwig, basf], minute / 2 + 1);
        if (!isOver) continue;
        isOver = false;
        here.restart();
      }
      await here.later([chemistry, ludwig, basf]);
      return { here, writes };
    };
    const { writes } = await course(Number.POSITIVE_INFINITY);
    for (let cut = 1; cut <= writes; cut++) {
      const { here } = await course(cut);
      const names = ["BASF", "Ludwig", "Chemistry"].filter((name) => shownWords(here).includes(name));
      expect([cut, channelPosts(here).length, names.length]).toEqual([cut, 1, 3]);
      expect(await here.waiting()).toEqual([]);
    }
  });

  it("are one name if several alerts watch it, and taken and muted as one", async () => {
    const here = desk();
    for (const type of ["Company", "Topic"]) await here.add({ options: { ...eager, type } });
    const topic = { ...basf, type: "Topic" };
    here.state.articlesOf["BASF"] = reports(here, "Plant blast", 3);
    await here.later([basf, topic]);
    await here.later([basf, topic, ludwig]);
    expect(channelPosts(here)).toHaveLength(1);
    expect(shownWords(here)).not.toContain("also:");
    const say = async (line: string) => {
      await answerOf(alerts, asking(line, { surface: "button" }), here.services);
      await settled();
      return (await Promise.all([1, 2].map(here.read))).map(({ incidents: [each], mutes }) => [
        each?.acknowledgedBy?.name,
        mutes.map(({ name }) => name),
      ]);
    };
    const [first] = (await here.read()).incidents;
    const ref = shortId(first?.entity ?? "");
    expect(await say(`take ${ref} --alert 1`)).toEqual([
      ["Ada", []],
      ["Ada", []],
    ]);
    expect(await say(`mute ${ref} 1d`)).toEqual([
      ["Ada", ["BASF"]],
      ["Ada", ["BASF"]],
    ]);
  });

  it.each(["paused", "removed"] as const)("go on in their message if its alert is %s", async (state) => {
    const here = await blast();
    await here.later([basf]);
    await here.later([basf, ludwig]);
    await here.services.alerts.update({ team: "T1", number: 1 }, (current) => ({ ...current, state }));
    await here.later([basf, ludwig]);
    expect(shownWords(here)).toMatch(/^🔺 Ludwig: coverage 3× normal/);
    expect(shownWords(here)).not.toMatch(/also:/);
    for (let checks = 0; checks < 3; checks++) await here.later([basf]);
    expect(shownWords(here)).toMatch(/^✅ Ludwig: back to normal/);
    expect(channelPosts(here)).toHaveLength(1);
  });

  it("that come later join a message whose alert is paused, while another alert’s name in it is open", async () => {
    const here = await blast();
    await here.later([basf]);
    await here.later([basf, ludwig]);
    await here.services.alerts.update({ team: "T1", number: 1 }, (current) => ({ ...current, state: "paused" }));
    await here.later([ludwig, chemistry]);
    expect(shownWords(here)).toMatch(/^🔺 Ludwig[^]*\nalso: Chemistry/);
    expect(channelPosts(here)).toHaveLength(1);
  });

  it("show what became of a name whose alert checks when the alert of the message doesn't", async () => {
    const here = desk();
    await here.add({ options: { ...eager, include: ["BASF"] }, schedule: quarterly });
    await here.add({ options: { ...eager, include: ["Ludwig"] } });
    for (const name of ["BASF", "Ludwig"]) here.state.articlesOf[name] = reports(here, "Plant blast", 3);
    await here.tick();
    await here.later([basf, ludwig], 15 * minute);
    expect(shownWords(here)).toContain("also: Ludwig (3× normal)");
    for (let checks = 0; checks < 3; checks++) await here.later([]);
    expect(shownWords(here)).toContain("also: Ludwig (back to normal)");
  });
});

describe("the message of an event that grows", () => {
  const high = trend("BASF", { score: 9, mentions: 46 });

  async function growing() {
    const here = desk();
    await here.add();
    here.state.articlesOf["BASF"] = reports(here, "Ammonia plant burns in Ludwigshafen", 6);
    await here.later([basf]);
    here.state.now += minute;
    const wave = reports(here, "Regulator opens inquiry into safety record", 40);
    here.state.articlesOf["BASF"] = wave.slice(0, 20);
    await here.later([high]);
    return here;
  }

  it("shows the newest articles, their cause and outlets, and asks about them", async () => {
    const here = await growing();
    const words = shownWords(here);
    expect(words).toMatch(/^🔺 BASF: coverage 12× normal and growing · Regulator opens inquiry/);
    expect(words.match(/• \*new\* · <[^|]*\|Regulator/g)).toHaveLength(3);
    expect(words).toMatch(/20 outlets/);
    const asked = await askedAbout(here);
    expect(asked.slice(0, 20).every((title) => title.startsWith("Regulator"))).toBe(true);
    expect(asked).toHaveLength(26);
    const channel = { team: "T1", channel: "C1" };
    expect((await here.announced.known(channel, here.state.articlesOf["BASF"] ?? [])).size).toBe(3);
  });

  it("has a reply in its thread that says what is new since when", async () => {
    const here = await growing();
    const reply = here.posts.find(({ thread }) => thread !== undefined);
    expect(reply && wordsOf(reply.message)).toMatch(/\nSince <!date[^>]*>:\n• <[^|]*\|Regulator/);
    expect(reply && wordsOf(reply.message)).not.toContain("Ammonia");
  });

  it("leaves its articles as they are when somebody takes it", async () => {
    const here = await growing();
    const before = shownWords(here);
    await answerOf(alerts, asking("take BASF", { surface: "button" }), here.services);
    await settled();
    expect(shownWords(here).match(/• .*/g)).toEqual(before.match(/• .*/g));
  });
});

describe("the sentence on the cause of an event", () => {
  const written = [{ type: "text" as const, text: "An ammonia plant burns & nobody is hurt." }];

  it("is edited into the message, with its small print, from the articles of the message alone", async () => {
    const here = desk();
    here.state.written = written;
    await here.add();
    here.state.articlesOf["BASF"] = reports(here, "Ammonia plant burns", 3);
    await here.later([basf]);
    const [post] = channelPosts(here);
    expect(post && wordsOf(post.message)).not.toContain("nobody is hurt");
    expect(shownWords(here)).toMatch(/\nAn ammonia plant burns &amp; nobody is hurt\.\nWritten by AI\n/);
    const asked = JSON.stringify(here.state.asked);
    expect(asked).toContain("https://news.example.com/Ammonia-plant-burns/1");
    expect(asked).toMatch(/"news_context":\{"start":\d+,"end":\d+\}/);
    await here.later([basf]);
    expect(here.state.asked).toHaveLength(1);
  });

  it("is left out if the model fails, which holds up nothing and isn’t tried each minute", async () => {
    const here = desk();
    here.fail.write = () => new Unavailable({ api: "intelligence", operation: "generate" });
    await here.add();
    here.state.articlesOf["BASF"] = reports(here, "Ammonia plant burns", 3);
    await here.later([basf]);
    await here.later([basf]);
    expect(shownWords(here)).toContain("Ammonia plant burns report number 1");
    expect(shownWords(here)).not.toContain("AI");
    expect(here.state.asked).toHaveLength(1);
    const [post] = channelPosts(here);
    expect(buttonsOf(post ? here.shown(post) : { text: "" })).toHaveProperty(["Ask why"]);
  });
});
