import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { WorkspaceMessage } from "../../local/workspace/protocol.ts";
import { startJourney, wordsOf } from "../support/journey.ts";

type Journey = Awaited<ReturnType<typeof startJourney>>;

const says = (expected: RegExp) => (message: WorkspaceMessage) => expected.test(wordsOf(message));
const isAnswer = says(/Sources/);

/** What somebody says in a channel, and the first answer that is as it is expected. */
async function asked(
  { workspace, ofBot }: Journey,
  said: { user: string; channel: string; text: string; thread?: string },
  expected: RegExp,
) {
  const { user, channel, text, thread } = said;
  const before = new Set(workspace.messages(channel).map(({ ts }) => ts));
  const { ts = "" } = await workspace.say({ channel, text, user, ...(thread && { thread_ts: thread }) });
  const answer = await workspace.until(
    () => ofBot(channel).find((message) => !before.has(message.ts) && says(expected)(message)),
    10_000,
  );
  return { ts, answer };
}

function peopleOf({ workspace }: Journey) {
  const withRole = (role: string) => workspace.state().users.find((user) => user.role === role)?.id ?? "";
  return { admin: withRole("admin"), guest: withRole("guest"), stranger: withRole("partner"), member: workspace.me };
}

describe("in a channel that is shared with another workspace", () => {
  let journey: Journey;
  beforeAll(async () => {
    journey = await startJourney();
  });
  afterAll(() => journey.stop());

  const place = () => journey.channelNamed("partners");

  it("members are answered, and whoever else is there may read along", async () => {
    const { guest, stranger, member } = peopleOf(journey);
    const text = `${journey.mention} Why is copper in the news?`;
    const { ts, answer } = await asked(journey, { user: member, channel: place(), text }, /Sources/);
    expect([answer.thread_ts, answer.onlyFor]).toEqual([ts, undefined]);
    for (const user of [guest, stranger]) {
      expect(journey.workspace.state(user).messages[place()]?.some((message) => message.ts === answer.ts)).toBe(true);
    }
  });

  it("guests and people of the other workspace read, alone, that they are not", async () => {
    const { guest, stranger } = peopleOf(journey);
    const text = `${journey.mention} Why is copper in the news?`;
    const toGuest = await asked(journey, { user: guest, channel: place(), text }, /answer its members only/);
    expect(toGuest.answer.onlyFor).toBe(guest);
    const toStranger = await asked(journey, { user: stranger, channel: place(), text }, /you are from another/);
    expect(toStranger.answer.onlyFor).toBe(stranger);
    const command = await asked(journey, { user: guest, channel: place(), text: "/news oil" }, /its members only/);
    expect(command.answer.onlyFor).toBe(guest);
    expect(journey.ofBot(place()).filter((message) => !message.onlyFor && isAnswer(message))).toHaveLength(1);
  });

  it("what they say in a thread with the bot, without naming it, is passed over in silence", async () => {
    const { guest, stranger, member } = peopleOf(journey);
    const question = { user: member, channel: place(), text: `${journey.mention} Why is gold in the news?` };
    const { ts: thread } = await asked(journey, question, /Sources/);
    const before = journey.ofBot(place()).length;
    for (const user of [guest, stranger]) {
      await journey.workspace.say({ channel: place(), text: "And who loses?", user, thread_ts: thread });
    }
    await asked(journey, { user: member, channel: place(), text: "And who gains?", thread }, /Sources/);
    expect(journey.ofBot(place())).toHaveLength(before + 1);
  });

  it("their presses of buttons are refused as well", async () => {
    const { member, stranger } = peopleOf(journey);
    const question = { user: member, channel: place(), text: `${journey.mention} Why is oil in the news?` };
    const { answer } = await asked(journey, question, /Sources/);
    const pressed = (answer.blocks ?? []).flatMap(({ block_id: block, elements }) =>
      (Array.isArray(elements) ? elements : []).flatMap((element) =>
        element?.type === "button" && typeof element.value === "string" ? [{ block: String(block), element }] : [],
      ),
    );
    const [{ block, element } = { block: "", element: undefined }] = pressed;
    const before = journey.ofBot(place()).filter(({ onlyFor }) => !onlyFor).length;
    await journey.workspace.act({
      user: stranger,
      container: { channel: place(), ts: answer.ts },
      block_id: block,
      action_id: element?.action_id,
      action: { type: "button", value: element?.value },
    });
    const told = await journey.workspace.until(
      () => journey.ofBot(place()).findLast(({ onlyFor }) => onlyFor === stranger),
      5_000,
    );
    expect(wordsOf(told)).toMatch(/you are from another/);
    expect(journey.ofBot(place()).filter(({ onlyFor }) => !onlyFor)).toHaveLength(before);
  });
});

describe("a guest", () => {
  it("is refused in the direct message too", async () => {
    const journey = await startJourney();
    const { guest } = peopleOf(journey);
    const channel = journey.workspace.state(guest).conversations.find(({ kind }) => kind === "im")?.id ?? "";
    const { answer } = await asked(journey, { user: guest, channel, text: "Why is copper up?" }, /its members only/);
    expect(answer.channel).toBe(channel);
    expect(journey.ofBot(channel).filter(isAnswer)).toEqual([]);
    await journey.stop();
  });

  it("gets nothing while Slack does not say who they are, and a member is answered once it does", async () => {
    const journey = await startJourney();
    const { guest, member } = peopleOf(journey);
    const channel = journey.channelNamed("partners");
    const text = "/news oil";
    journey.workspace.fail({ method: "users.info", outcome: "http_500", times: 2 });
    const toGuest = await asked(journey, { user: guest, channel, text }, /couldn’t check.*Try again in a minute/);
    expect(toGuest.answer.onlyFor).toBe(guest);
    journey.workspace.fail({ method: "users.info", outcome: "ratelimited" });
    const { answer } = await asked(journey, { user: member, channel, text }, /oil/i);
    expect(wordsOf(answer)).not.toContain("couldn’t check");
    await journey.stop();
  });
});

describe.each([
  { settings: { GUESTS: "answer" }, answered: "guest", refused: "stranger", words: /you are from another/ },
  { settings: { STRANGERS: "answer" }, answered: "stranger", refused: "guest", words: /its members only/ },
] as const)("with $settings", ({ settings, answered, refused, words }) => {
  it(`a ${answered} is answered like a member, and a ${refused} is not`, async () => {
    const journey = await startJourney(settings);
    const people = peopleOf(journey);
    const channel = journey.channelNamed("partners");
    const text = `${journey.mention} Why is copper in the news?`;
    const { ts, answer } = await asked(journey, { user: people[answered], channel, text }, /Sources/);
    expect([answer.thread_ts, answer.onlyFor]).toEqual([ts, undefined]);
    const followUp = { user: people[answered], channel, text: "And who gains?", thread: ts };
    await asked(journey, followUp, /Sources/);
    const other = await asked(journey, { user: people[refused], channel, text }, words);
    expect(other.answer.onlyFor).toBe(people[refused]);
    await journey.stop();
  });
});

describe("where admins decide what comes to channels", () => {
  let journey: Journey;
  beforeAll(async () => {
    journey = await startJourney({ SUBSCRIPTIONS: "admins" });
  });
  afterAll(() => journey.stop());

  const say = (user: string, text: string, expected: RegExp) =>
    asked(journey, { user, channel: journey.newsroom, text }, expected);

  it("a member reads who may and what they can have instead, and an admin may", async () => {
    const { admin, member } = peopleOf(journey);
    const line = "/digests add channel 501 weekdays at 9:00";
    const { answer } = await say(member, line, /admins alone decide what comes to channels/);
    expect(answer.onlyFor).toBe(member);
    expect(wordsOf(answer)).toContain("Ask one of them, or end the line with `--in me`");
    await say(admin, line, /Digest 1 is set/);
    await say(member, "/alerts add company every 10 minutes", /admins alone decide/);
    await say(admin, "/alerts add company every 10 minutes", /Alert 1 is set/);
  });

  it("a member sees what comes, and neither changes nor ends it, but has a digest of their own", async () => {
    const { admin, member } = peopleOf(journey);
    await say(member, "/digests list", /channel 501|1 digest/);
    await say(member, "/digests pause 1", /admins alone decide.*Ask one of them/);
    await say(member, "/digests remove 1", /admins alone decide/);
    await say(member, "/digests edit 1 daily", /admins alone decide/);
    await say(member, "/digests add channel 501 weekdays at 9:00 --in me", /Digest 2 is set/);
    const { answer } = await say(admin, "/digests pause 1", /Digest 1 is paused/);
    expect(answer.onlyFor).toBe(admin);
  });

  it("a member may mute a name in what comes to everybody", async () => {
    const { member } = peopleOf(journey);
    const { answer } = await say(member, "/trending company", /Trending/);
    const name = /^1\. (.+?), /m.exec(answer.text)?.[1] ?? "";
    const muted = await say(member, `/alerts mute ${name} 1h`, /muted/i);
    expect(wordsOf(muted.answer)).toContain(name);
  });
});
