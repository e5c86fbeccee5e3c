import { afterAll, beforeAll, describe, expect, it } from "vitest";

import stories from "../../local/sandbox/data/stories.json" with { type: "json" };
import { companies } from "../../local/sandbox/entities.ts";
import { trending } from "../../local/sandbox/trending.ts";
import { buttonOf, elementOf, says, showMore, shownText, startJourney } from "../support/journey.ts";

const minute = 60_000;

/** A bot whose clock can be set forward: jobs notice that, and do at once what has become due. */
async function setUp() {
  const journey = await startJourney();
  const { clock, workspace, newsroom, lines } = journey;
  const runs = () => lines.filter((line) => /"?job"?[=:]"?alerts\b/.test(line)).length;
  const ofBot = () => journey.ofBot(newsroom);
  return {
    ...journey,
    channel: newsroom,
    ofBot,
    shown: (words: RegExp) => workspace.until(() => ofBot().findLast((message) => says(words)(message))),
    ask: async (line: string, words: RegExp) => (await journey.ask(newsroom, line, says(words))).answer,
    pass: async (ms: number) => {
      const before = runs();
      clock.jump(ms);
      await workspace.until(() => runs() > before);
    },
  };
}

let journey: Awaited<ReturnType<typeof setUp>>;
beforeAll(async () => {
  journey = await setUp();
});
afterAll(() => journey.stop());

/** Nobody writes about it now, whatever day the test runs on. */
const spiking = quietCompany();

function quietCompany(): string {
  const known = new Set(trending({ now: Date.now(), limit: 500 }).map(({ entity }) => entity.name));
  const quiet = companies.find(({ name }) => !known.has(name) && /^[\w ]+$/.test(name));
  if (!quiet) throw new Error("everybody is written about");
  return quiet.name;
}

/** The message about who spikes, and no other. */
const ofSpike = () =>
  journey.ofBot().filter((each) => isAbout(each) && !each.onlyFor && (each.thread_ts ?? each.ts) === each.ts);
const isAbout = (message: { text: string }) => new RegExp(`^(🔺|✅) \\*?${spiking}\\*?:`).test(shownText(message));

describe("an alert", () => {
  it("is asked for in a window from the ranking, with its type filled in", async () => {
    const { ask, channel, workspace, shown } = journey;
    const list = await ask("/trending company", /Trending: Company/);
    await workspace.act(buttonOf(list, "Get alerts"));
    const view = await workspace.until(() => workspace.state().modals.at(-1));
    expect(JSON.stringify(view.blocks)).toContain('"initial_option":{"text":{"type":"plain_text","text":"Company"');
    await showMore(workspace, "quietHours");
    const text = (value: string) => ({ type: "plain_text_input", value });
    const choice = (value: string) => ({ type: "static_select", selected_option: { value } });
    const values = {
      kind: { form: choice("trending") },
      "source-trending": { form: choice("Company") },
      sensitivity: { form: choice("balanced") },
      when: { form: choice("every minute") },
      mentions: { form: text("many") },
      cooldownHours: { form: text("6h") },
      place: { place: { type: "conversations_select", selected_conversation: channel } },
    };
    await workspace.submit({ view: view.id, values });
    const refused = await workspace.until(() => workspace.state().modals.find(({ errors }) => errors));
    expect(refused.errors?.["mentions"]).toContain("a whole number");
    values.mentions.form.value = "";
    await workspace.submit({ view: view.id, values });
    const card = await shown(/Alert 1 is set/);
    expect(card.onlyFor).toBe(workspace.me);
    expect(shownText(card)).toMatch(/Alert 1 is set\. .*\nEvery minute, in <#/);
    expect(buttonOf(card, "Undo").action.value).toBe("alerts remove 1");
  });

  it("reports nothing on its first check, whatever was trending already", async () => {
    const { pass, ofBot } = journey;
    await pass(minute);
    expect(ofBot().filter(({ onlyFor, text }) => !onlyFor && /normal|spike/.test(text))).toEqual([]);
  });

  it("fires when coverage of a name spikes, and says how much it is", async () => {
    const { pass, sandbox, workspace } = journey;
    sandbox.surge({ name: spiking, mentions: 40 });
    await pass(minute);
    const message = await workspace.until(() => ofSpike()[0]);
    expect(shownText(message)).toMatch(/\n4\d\sarticles, normally\s[^·]* · .*began <!date/);
    expect(ofSpike()).toHaveLength(1);
  });

  it("explains in a window why it was reported, and answers “Ask why” in its thread", async () => {
    const { workspace, shown, channel } = journey;
    const [message] = ofSpike();
    if (!message) throw new Error("no alert");
    await workspace.act(elementOf(message, "overflow", /^alerts why /));
    const why = await workspace.until(() => workspace.state().modals.at(-1));
    expect(shownText({ text: "", blocks: why.blocks })).toMatch(
      /Why alert 1 reported[^]*\d+ articles mentioned[^]*normal is/i,
    );
    await workspace.close({ view: why.id });
    await workspace.act(buttonOf(message, "Ask why"));
    expect((await shown(/^Answering in the thread/)).onlyFor).toBe(workspace.me);
    const answer = await workspace.until(() =>
      workspace.messages(channel).find((each) => each.thread_ts === message.ts && /Sources/.test(shownText(each))),
    );
    expect(answer.user).toBe(workspace.ids.botUser);
  });

  it("is muted from its message, which then says so", async () => {
    const { workspace, channel } = journey;
    const [message] = ofSpike();
    if (!message) throw new Error("no alert");
    const before = workspace.messages(channel).length;
    await workspace.act(elementOf(message, "static_select", /^alerts mute #\w+ 1h/));
    const rewritten = await workspace.until(() => ofSpike().find((each) => /Muted until/.test(shownText(each))));
    expect(rewritten.ts).toBe(message.ts);
    await workspace.act(buttonOf(rewritten, "Unmute"));
    await workspace.until(() => ofSpike().find((each) => !/Muted until/.test(shownText(each))));
    expect(workspace.messages(channel)).toHaveLength(before);
  });

  it("names whoever took it, in its message and in the list of open spikes", async () => {
    const { ask, workspace, channel } = journey;
    const [message] = ofSpike();
    if (!message) throw new Error("no alert");
    const pings = workspace.pings.length;
    const open = await ask("/alerts open", /^Open spikes/);
    expect(shownText(open)).toMatch(new RegExp(`1 not taken\\n🔺 \\*${spiking}\\* [^]*archives/${channel}/p`));
    const before = workspace.messages(channel).length;
    await workspace.act(buttonOf(message, "Take it"));
    const taken = await workspace.until(() => ofSpike().find((each) => /👤 .* is on it · /.test(shownText(each))));
    expect(taken.ts).toBe(message.ts);
    buttonOf(taken, "Hand back");
    expect(workspace.messages(channel)).toHaveLength(before);
    expect(shownText(await ask("/alerts open", /^Open spikes/))).toMatch(/All taken\n[^]*is on it/);
    expect(workspace.pings.slice(pings)).toEqual([]);
  });

  it("is taken by whoever puts 👀 on it while nobody has it", async () => {
    const { workspace, channel, ask } = journey;
    const [message] = ofSpike();
    if (!message) throw new Error("no alert");
    const [tomas, priya] = ["tomas", "priya"].map((name) => workspace.state().users.find((user) => user.name === name));
    const react = async (name: string, user = "") => workspace.react({ channel, ts: message.ts, name, user });
    await react("eyes", priya?.id);
    expect(shownText(await ask("/alerts open", /^Open spikes/))).not.toContain(priya?.realName);
    await workspace.act(buttonOf(message, "Hand back"));
    await workspace.until(() => ofSpike().find((each) => !/is on it/.test(shownText(each))));
    await react("white_check_mark", priya?.id);
    await react("eyes", tomas?.id);
    const taken = await workspace.until(() => ofSpike().find((each) => /👤 .* is on it · /.test(shownText(each))));
    expect(shownText(taken)).toContain(`👤 ${tomas?.realName}`);
    expect(taken.reactions).toHaveLength(2);
  });

  it("is closed from its message with what was done, and opened again by the undo", async () => {
    const { ask, shown, workspace } = journey;
    const [message] = ofSpike();
    if (!message) throw new Error("no alert");
    await workspace.act(elementOf(message, "any", /^alerts done /));
    const window = await workspace.until(() => workspace.state().modals.at(-1));
    await workspace.submit({
      view: window.id,
      values: { words: { words: { type: "plain_text_input", value: "ran <!here>" } } },
    });
    const closed = await workspace.until(() => ofSpike().find((each) => /✅ Handled by .*: ran/.test(shownText(each))));
    expect(closed.ts).toBe(message.ts);
    expect(shownText(closed)).not.toContain("👤");
    expect(shownText(await ask("/alerts open", /spikes/i))).toMatch(/No spikes are open/);
    await workspace.act(buttonOf(await shown(/is handled/), "Undo"));
    await workspace.until(() => ofSpike().find((each) => /👤 .* is on it/.test(shownText(each))));
  });

  it("is rewritten in place as it develops, with its history below", async () => {
    const { ask, pass, sandbox, workspace, channel, channelNamed } = journey;
    const [message] = ofSpike();
    const card = await ask("/alerts edit 1 --escalate-to #energy-desk", /Alert 1 is updated/);
    expect(shownText(card)).toMatch(new RegExp(`escalations also go to <#${channelNamed("energy-desk")}>`));
    sandbox.surge({ name: spiking, mentions: 400 });
    await pass(minute);
    const further = await workspace.until(() => ofSpike().find((each) => /^🔺 .* and growing/.test(shownText(each))));
    expect(further.ts).toBe(message?.ts);
    const passedOn = () => workspace.messages(channelNamed("energy-desk")).filter(isAbout);
    const elsewhere = await workspace.until(() => passedOn()[0]);
    expect(shownText(elsewhere)).toMatch(/^🔺 [^]*\n👤 .* is on it [^]*Alert 1 in <#[^]*\|Show message>/);
    sandbox.clearSurges();
    for (let checks = 0; checks < 3; checks++) await pass(minute);
    await workspace.until(() => passedOn().find((each) => /^✅ [^]*👤 .* took it/.test(shownText(each))));
    expect(passedOn()).toHaveLength(1);
    const over = await workspace.until(() => ofSpike().find((each) => /^✅ .*: back to normal/.test(shownText(each))));
    expect(over.ts).toBe(message?.ts);
    expect(shownText(over)).toMatch(/\nSpiked for \d+\smin, from [^]*\n👤 .* took it at <!date/);
    const thread = workspace.messages(channel).filter((each) => each.thread_ts === message?.ts);
    expect(
      thread.filter((each) => isAbout(each) && each.ts !== message?.ts).map((each) => shownText(each).split(" ")[0]),
    ).toEqual(["🔺", "✅"]);
    expect(ofSpike()).toHaveLength(1);
  });

  it("explains why a name is not reported, and shows what it would post now", async () => {
    const { ask } = journey;
    expect(shownText(await ask("/alerts why-not Northwind", /is not reporting Northwind/))).toMatch(/Not trending/);
    await ask("/alerts test 1", /Test: alert 1 would post this now|Alert 1 would post nothing now/);
  });

  it("is changed, paused and removed in place", async () => {
    const { ask, workspace, shown } = journey;
    const changed = await ask('/alerts edit 1 eager exclude "BASF"', /Alert 1 is updated/);
    expect(shownText(changed)).toContain("never: BASF");
    await workspace.act(buttonOf(changed, "Change…"));
    const view = await workspace.until(() => workspace.state().modals.at(-1));
    expect(JSON.stringify(view.blocks)).not.toContain("BASF");
    await showMore(workspace, "exclude");
    expect(JSON.stringify(workspace.state().modals)).toContain("BASF");
    await workspace.close({ view: view.id });
    const details = /Alert 1\n[^]*created by you/;
    await workspace.act(buttonOf(changed, "Details"));
    await workspace.act(buttonOf(await shown(details), "Pause"));
    await workspace.act(buttonOf(await shown(/Alert 1 is paused/), "Details"));
    await workspace.act(buttonOf(await shown(details), "Remove"));
    await shown(/Alert 1 is removed/);
  });
});

describe("an alert on a source of one's own", () => {
  const hour = 60 * minute;
  const name = "Novalith Semiconductor";
  /** Its message, and no reply. */
  const ofSource = () =>
    journey
      .ofBot()
      .filter(({ onlyFor, ts, thread_ts: thread = ts }) => !onlyFor && thread === ts)
      .filter((message) => new RegExp(`^(🔺 |✅ )\\*?${name}\\*?:`).test(shownText(message)));

  it("shows what it would have reported before it is saved", async () => {
    const { ask, shown, workspace, channel } = journey;
    await workspace.say({ user: workspace.me, channel, text: "/alerts add" });
    const view = await workspace.until(() => workspace.state().modals.at(-1));
    const words = shownText({ text: "", blocks: view.blocks });
    expect(words).toMatch(/Follow[^]*Trending[^]*(?:No history yet|this would)[^]*Sensitivity/);
    await workspace.close({ view: view.id });
    const card = await ask(`/alerts add entity "${name}" every 15 minutes eager --in <#${channel}>`, /is set/);
    expect(shownText(card)).toMatch(/in the last .* \(estimated\) this would/);
    await workspace.act(buttonOf(card, "Details"));
    await shown(/Fires at 3\+ articles in 1\sh and 1\.5× normal[^]*In the last/);
  });

  it("fires when its source brings more than the day before", async () => {
    const { pass, sandbox, clock, workspace, ask } = journey;
    for (let hours = 0; hours < 26; hours++) await pass(hour);
    expect(shownText(await ask("/alerts list", /Novalith/))).not.toMatch(/estimated/);
    sandbox.begin({ story: "forecast", at: clock.now(), hourMs: minute });
    await pass(15 * minute);
    await pass(15 * minute);
    const message = await workspace.until(() => ofSource()[0]);
    expect(shownText(message)).toMatch(/\n\d+\sarticles in 1\sh, normally\s[^·]*· [^]*• </);
    expect(ofSource()).toHaveLength(1);
  });

  it("follows a second cause in its message, its thread and what “Ask why” is asked about, and resolves in the end", async () => {
    const { pass, sandbox, clock, workspace, channel } = journey;
    const second = stories.find((story) => story.name === "merger")?.notes.map(({ title }) => title) ?? [];
    const secondIn = (message: { text: string }) => second.filter((title) => shownText(message).includes(title));
    sandbox.begin({ story: "merger", at: clock.now(), hourMs: 10_000 });
    await pass(15 * minute);
    const message = await workspace.until(() => ofSource().find((each) => secondIn(each).length >= 2));
    expect(shownText(message)).toMatch(/^🔺 .*· agrees to buy Ardenne[^]*• \*new\* · /);
    const inThread = (words: RegExp) =>
      workspace.messages(channel).find((each) => {
        const isReply = each.thread_ts === message.ts && each.ts !== message.ts;
        return isReply && words.test(shownText(each)) && secondIn(each).length >= 2;
      });
    await workspace.until(() => inThread(/\nSince <!date/));
    await workspace.act(buttonOf(message, "Ask why"));
    await workspace.until(() => inThread(/Sources/));
    for (let quarters = 0; quarters < 10; quarters++) await pass(15 * minute);
    await workspace.until(() => ofSource().find((each) => /^✅ .*: back to normal/.test(shownText(each))));
    expect(ofSource()).toHaveLength(1);
  });
});
