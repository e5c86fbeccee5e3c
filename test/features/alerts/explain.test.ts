import { describe, expect, it } from "vitest";

import type { Alert } from "../../../src/features/alerts/alert.ts";
import { alerts } from "../../../src/features/alerts/commands.ts";
import { explanationView } from "../../../src/features/alerts/explain.ts";
import type { Incident } from "../../../src/features/alerts/detect/incident.ts";
import type { Sample } from "../../../src/features/sources/samples.ts";
import { answerOf, buttonsOf, hintOf, wordsOf } from "../../support/answers.ts";
import type { Gateway } from "../../../src/apis/gateway/client.ts";
import type { Entity } from "../../../src/apis/intelligence/schema.ts";
import { article, asking, credits, entity, now } from "../../support/builders.ts";
import { desk as postingDesk } from "./desk.ts";
import { alert, hour, incident, minute, sample, trend } from "./setting.ts";
import { desk, deskWith, saved, say } from "./talk.ts";
import { slackRefuses } from "../slack-limits.ts";

const subject = { entity: "company|basf", name: "BASF", type: "Company" };

/** One check is enough for it. */
const ready = { sensitivity: "eager" as const, mentions: 4, ratio: 2 };

interface Asked {
  about?: Partial<Alert>;
  seen?: Sample | undefined;
  of?: typeof subject;
}

const question = ({ about = {}, seen = sample(now, [trend("BASF")]), of = subject }: Asked = {}) => ({
  alert: alert({ options: ready, last: { at: now, open: 0 }, ...about }),
  subject: of,
  sample: seen,
  now,
});

const figures = { at: now, mentions: 12, average: 4, score: 4 };
const basf = (about: Partial<Incident> = {}) => incident({ ...subject, notified: figures, peak: figures, ...about });
const once = basf({ state: "pending", streak: 1, notified: undefined });
const found = (about: Partial<Incident> = {}) => ({ about: { incidents: [basf(about)] } });
const options = (about: Alert["options"]) => ({ about: { options: { ...ready, ...about } } });

describe("why an alert reports an entity or doesn’t", () => {
  it("is nothing if it passes everything", () => {
    expect(explanationView(question()).text).toMatch(/^Alert 1 would report BASF\n/);
    const unseen = question({ of: { ...subject, type: "" }, ...options({ type: "People" }) });
    expect(explanationView(unseen).text).not.toMatch(/watch(es)? it/);
  });

  const low = sample(now, [trend("BASF", { mentions: 1, average: 0, score: 1 })]);
  const bare = sample(now, [{ name: "BASF", type: "Company", mentions: 12 }]);
  const mute = { entity: subject.entity, name: "BASF", by: "U1", at: now - hour };

  it.each<[string, Asked, RegExp]>([
    [
      "how much is missing",
      { seen: low },
      /\n1 article mentions BASF; normal is none\. The alert fires from 4 articles/,
    ],
    [
      "that its rank is low",
      { seen: sample(now, [trend("BASF", { score: 1 })]) },
      /doesn’t rank it as unusual enough yet/,
    ],
    ["figures that aren’t given", { seen: bare }, /\n12 articles mention BASF\. The alert fires from/],
    ["its absence", { seen: sample(now, []) }, /\nNot trending, as of /],
    ["no check", { seen: sample(0, []), about: { last: undefined } }, /hasn’t checked yet\. Not trending/],
    ["a pause", { about: { state: "paused" } }, /\nThe alert is paused\.\n/],
    ["a problem", { about: { problem: "The channel is archived." } }, /\nThe channel is archived\.\n/],
    ["another type", options({ type: "People" }), /\nThe alert doesn’t watch it: People\.\n/],
    ["an exclusion", options({ exclude: ["basf"] }), /\nThe alert doesn’t watch it: all types, without 1 name\.\n/],
    [
      "checks to come, after the first",
      { about: { options: {}, incidents: [once] } },
      /\nChecks in a row: 1, needs 2\.\n/,
    ],
    ["that it has just been set", { about: { watchingSince: undefined } }, /\nThe alert has just been set or changed/],
    [
      "rest",
      found({ state: "resolved" }),
      /\nReported already, and back to normal since .* reported again only with about 18 articles\.\n/,
    ],
    ["a mute", { about: { mutes: [mute] } }, /\nMuted forever\.\n/],
    [
      "quiet hours",
      options({ quietHours: { from: "22:00", to: "10:00" } }),
      /\nQuiet hours now, 22:00–10:00 \(UTC\)\. Spikes arrive afterwards in one message\.\n/,
    ],
  ])("says %s", (_, asked, expected) => {
    const message = explanationView(question(asked));
    expect(message.text).toMatch(/^Why alert 1 /);
    expect(message.text).toMatch(expected);
    expect(slackRefuses(message)).toEqual([]);
  });

  it("is what was counted and from when the alert fires, and what would be needed for another message, without a score", () => {
    const message = explanationView(question(found()));
    expect(message.text).toMatch(
      /^Why alert 1 reported BASF\n12 articles mentioned BASF at .*; normal is 4\. The alert fires from 4 articles and 2 times normal\.\nWhy you won’t get another one now\nReported already: spiking since .* if it grows to about 18 articles\./,
    );
    expect(message.text).not.toMatch(/score|checks in a row/i);
    expect(Object.keys(buttonsOf(message))).toEqual(["Change sensitivity"]);
    expect(JSON.stringify(message.blocks)).toContain("Mute");
  });

  it("says of a spike that predates the alert that it’s followed", () => {
    const { text } = explanationView(question(found({ predatesAlert: true })));
    expect(text).toMatch(/^Why alert 1 is following BASF\n[^]*Already trending when the alert was set or changed/);
  });
});

describe("alerts why with a short name", () => {
  it("explains what is open here under a name that begins so", async () => {
    const to = await deskWith("company hourly");
    await say("add people hourly", to);
    await to.alerts.update({ team: "T1", number: 1 }, (current) => ({
      ...current,
      incidents: [basf({ name: "BASF Agro" })],
    }));
    expect(wordsOf(await say("why basf", to))).toMatch(/^Why alert 1 reported BASF Agro[^]*Why alert 2/);
    expect(wordsOf(await say("why northw", to))).toContain("Northwind Energy");
  });
});

describe("alerts why-not", () => {
  it("explains every alert of the channel, in any spelling of the name", async () => {
    const to = await deskWith("company hourly");
    await say("add people hourly", to);
    const message = await say("why-not ALBA  steel", to);
    expect(wordsOf(message)).toContain("Why alert 1 is not reporting Alba Steel");
    expect(wordsOf(message)).toContain("Why alert 2 is not reporting Alba Steel");
    expect(slackRefuses(message)).toEqual([]);
    expect(wordsOf(await say("why-not alba steel --alert 2", to))).not.toContain("alert 1");
  });

  it("says of a name that has not trended what it may have been", async () => {
    const to = await deskWith("company hourly");
    const words = wordsOf(await say('why-not "Nothwind Enery"', to));
    expect(words).toContain("Why alert 1 is not reporting Nothwind Enery");
    expect(words).toContain("Did you mean `Northwind Energy`?");
    await say("add all hourly", to);
    expect(wordsOf(await say("why-not Volkswagen --alert 2", to))).toContain("I haven’t seen that name trending.");
  });

  it("offers no mute for a name that nobody knows", async () => {
    const to = await deskWith("company hourly");
    expect(JSON.stringify((await say("why-not Volkswagen", to)).blocks)).not.toContain("alerts mute");
    expect(JSON.stringify((await say("why-not Alba Steel", to)).blocks)).toContain("alerts mute");
    expect(await hintOf(alerts, asking("why #74kfamfi --alert 1", { surface: "button" }), to)).toMatch(
      /isn’t trending/,
    );
  });

  it("is a window for whoever presses a button, and a reply for whoever types", async () => {
    const to = await deskWith("company hourly");
    const pressed = await say("why Alba Steel --alert 1", to, { surface: "button" });
    expect(pressed.window).toEqual({ title: "Why this alert" });
    expect(wordsOf(pressed)).toContain("created by Ana");
    expect((await say("why Alba Steel", to)).window).toBeUndefined();
  });

  it("asks for what is missing", async () => {
    const to = desk();
    expect(await hintOf(alerts, asking("why-not BASF"), to)).toMatch(/No alert posts here/);
    await say("add company hourly", to);
    expect(await hintOf(alerts, asking("why-not"), to)).toMatch(/Which name\?/);
    expect(await hintOf(alerts, asking("why-not BASF --alert 7"), to)).toMatch(/no alert 7/);
  });
});

describe("alerts test", () => {
  it("shows what would be posted now, and writes nothing down", async () => {
    const to = await deskWith("company hourly");
    const before = await saved(to);
    const message = await say("test 1", to);
    expect(wordsOf(message)).toMatch(
      /_Test: alert 1 would post this now, after 2 checks in a row[^]*Northwind Energy: coverage 3× normal/,
    );
    expect(wordsOf(message)).not.toContain("Alba Steel");
    expect(slackRefuses(message)).toEqual([]);
    expect(await saved(to)).toEqual(before);
  });

  it("says of one that is paused that it is", async () => {
    const to = await deskWith("company hourly eager");
    await say("pause 1", to);
    const words = wordsOf(await say("test 1", to));
    expect(words).toMatch(
      /alert 1 is paused; otherwise it would post this[^]*To resume it, type `\/alerts resume 1`\./,
    );
  });

  it("explains the nearest spike if nothing would be posted", async () => {
    const to = await deskWith("person hourly quiet");
    expect((await say("test 1", to)).text).toMatch(
      /^Alert 1 would post nothing now\. The closest is Ada Byron\.\nWhy alert 1 is not reporting Ada Byron\n6 articles mention Ada Byron[^]*doesn’t rank it as unusual enough yet/,
    );
    expect(await hintOf(alerts, asking("test 1"), desk([], { alerts: to.alerts }))).toMatch(
      /couldn’t see what is trending/,
    );
  });
});

describe("a closer look at one of several spikes", () => {
  const story = article({ id: 1, title: "Why it spikes", url: "https://news.example.com/1", published: now - minute });
  const older = article({ id: 2, title: "What came before", url: "https://news.example.com/2", published: now - hour });
  async function reported() {
    const here = postingDesk();
    here.state.articles = [story, older];
    await here.add();
    await here.later([trend("BASF"), trend("Shell")]);
    expect(here.titles()).toEqual(["BASF: coverage 3 times normal"]);
    return here.services;
  }

  it("is in the answer to why, with its articles, with which one can go on", async () => {
    const to = await reported();
    const shown = await answerOf(alerts, asking("why Shell --alert 1", { surface: "button" }), to);
    expect(shown.window).toBeUndefined();
    expect(wordsOf(shown)).toContain("Why alert 1 reported Shell");
    expect(wordsOf(shown)).toMatch(/Why it spikes[^]*What came before/);
    expect(JSON.stringify(shown.blocks)).toMatch(/about [\w-]{36} Why is Shell in the news now/);
    expect(wordsOf(shown)).not.toContain("credit");
  });

  /** The same where the news service does not know the name, so that it is searched for. */
  async function searching(near: Entity[] = []) {
    const to = await deskWith("company hourly");
    const searched: string[] = [];
    const search: Gateway["search"] = async (query) => {
      searched.push(query);
      return { query, articles: [story], total: 1, credits: credits({ remaining: 499 }) };
    };
    const read = async () => [story];
    const directory = { ...to.directory, find: async () => ({ near }) };
    const gateway = { ...to.gateway, search };
    return { to: { ...to, directory, gateway, intelligence: { ...to.intelligence, articles: read } }, searched };
  }

  it("says what a pressed button’s search cost, is free again within minutes, and always free if it’s typed", async () => {
    const { to, searched } = await searching();
    const incidents = [incident({ entity: "company|northwind energy", name: "Northwind Energy" })];
    await to.alerts.update({ team: "T1", number: 1 }, (current) => ({ ...current, incidents }));
    const why = async (surface: "slash" | "button") => say('why "Northwind Energy" --alert 1', to, { surface });
    expect(wordsOf(await why("slash"))).toMatch(/Why alert 1 reported Northwind Energy[^]*\d articles,/);
    expect(searched).toEqual([]);
    const shown = await why("button");
    expect(wordsOf(shown)).toMatch(/\n1 credit used, 499 left$/);
    expect(shown.text).toMatch(/\n1 credit used, 499 left$/);
    expect(wordsOf(await why("button"))).not.toContain("credit");
    expect(searched).toEqual(["Northwind Energy"]);
    expect(wordsOf(await say("test 1", (await searching()).to))).toMatch(/\n1 credit used, 499 left\n/);
  });

  it("is free if the news service knows the name with its type", async () => {
    const named = { name: "Northwind Energy" };
    const { to, searched } = await searching([
      entity({ ...named, id: 1, typeName: "Person" }),
      entity({ ...named, id: 2, typeName: "Company" }),
    ]);
    expect(wordsOf(await say("test 1", to))).toContain("Why it spikes");
    expect(searched).toEqual([]);
  });
});
