import { describe, expect, it } from "vitest";

import { createChannelDirectory } from "../../../src/slack/workspaces/channels.ts";
import { SlackRefused } from "../../../src/slack/delivery/refusal.ts";
import { move, setUp as setUpApp } from "../incoming/receiver.ts";

type Answer = Record<string, unknown> | Error;

/** A Slack that answers one thing after the other, the last for good. */
function setUp(...answers: Answer[]) {
  const asked: Record<string, unknown>[] = [];
  const clock = { now: 0 };
  const channels = createChannelDirectory(
    async (team) => async (method, options) => {
      asked.push({ team, method, ...options });
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      if (answer instanceof Error) throw answer;
      return answer ?? {};
    },
    () => clock.now,
  );
  return { channels, asked, clock };
}

const ana = { team: "T1", user: "U1" };
const page = (ids: string[], cursor = "") => ({
  channels: ids.map((id) => ({ id })),
  response_metadata: { next_cursor: cursor },
});

describe("whether somebody is in a channel", () => {
  it("is read from the list of their channels, as far as it has to be", async () => {
    const { channels, asked } = setUp(page(["C1"], "more"), page(["C2"], "more"), page(["C3"]));
    expect(await channels.isIn(ana, "C2")).toBe(true);
    expect(asked).toMatchObject([
      {
        team: "T1",
        method: "users.conversations",
        team_id: "T1",
        user: "U1",
        types: "public_channel,private_channel,mpim",
      },
      { cursor: "more" },
    ]);
  });

  it("is remembered for a minute if they are, and asked for anew if they are not", async () => {
    const { channels, asked, clock } = setUp(page(["C1"]), page(["C1", "C2"]));
    expect(await channels.isIn(ana, "C1")).toBe(true);
    expect(await channels.isIn(ana, "C1")).toBe(true);
    expect(asked).toHaveLength(1);
    expect(await channels.isIn(ana, "C2")).toBe(true);
    expect(asked).toHaveLength(2);
    expect(await channels.isIn({ team: "T2", user: "U1" }, "C1")).toBe(true);
    clock.now += 60_000;
    expect(await channels.isIn(ana, "C9")).toBe(false);
    expect(asked).toHaveLength(4);
  });

  it.each([new SlackRefused("users.conversations", "missing_scope"), { channels: "none" }])(
    "is not known if Slack does not say",
    async (answer) => {
      const { channels } = setUp(answer);
      expect(await channels.isIn(ana, "C1")).toBeUndefined();
    },
  );

  it("ends after some pages, however many there are", async () => {
    const { channels, asked } = setUp(page(["C1"], "more"));
    expect(await channels.isIn(ana, "C9")).toBe(false);
    expect(asked.length).toBeLessThanOrEqual(5);
  });
});

describe("a channel by its name", () => {
  const named = (id: string, name: string, isArchived = false) => ({ id, name, is_archived: isArchived });

  it("is looked for among the channels that somebody is in, and remembered as one of them", async () => {
    const { channels, asked } = setUp(
      { ...page([], "more"), channels: [named("C1", "general"), named("C2", "energy-desk", true)] },
      { ...page([], "more"), channels: [named("C3", "Energy-Desk"), named("C4", "other")] },
    );
    expect(await channels.named(ana, "energy-desk")).toEqual(["C3", "C2"]);
    expect(asked).toHaveLength(2);
    expect(await channels.isIn(ana, "C3")).toBe(true);
    expect(asked).toHaveLength(2);
  });

  it("is not found if no channel has that name, and is unknown if Slack does not say", async () => {
    expect(await setUp(page(["C1"])).channels.named(ana, "energy-desk")).toEqual([]);
    const { channels } = setUp(new SlackRefused("users.conversations", "ratelimited"));
    expect(await channels.named(ana, "energy-desk")).toBeUndefined();
  });
});

describe("what the bot can do in a channel", () => {
  it.each([
    ["C1", { channel: { is_archived: false, is_member: true } }, "joined"],
    ["C1", { channel: { is_archived: true, is_member: true } }, "archived"],
    ["C1", { channel: { is_member: false, is_private: false } }, "open"],
    ["G1", { channel: { is_member: false, is_group: true } }, "closed"],
    ["C1", new SlackRefused("conversations.info", "channel_not_found"), "closed"],
    ["C1", new SlackRefused("conversations.info", "missing_scope"), undefined],
    ["C1", new SlackRefused("conversations.info", "ratelimited"), undefined],
    ["C1", {}, undefined],
    ["U1", { user: { deleted: false } }, "joined"],
    ["U1", { user: { deleted: true } }, "closed"],
    ["U1", new SlackRefused("users.info", "user_not_found"), "closed"],
  ] as const)("%s of which Slack says %j is %s", async (channel, answer, expected) => {
    expect(await setUp(answer).channels.stateOf("T1", channel)).toBe(expected);
  });

  it("is not known if the bot is not installed", async () => {
    const channels = createChannelDirectory(
      () => Promise.reject(new Error("not installed")),
      () => 0,
    );
    expect(await channels.stateOf("T1", "C1")).toBeUndefined();
    expect(await channels.isIn(ana, "C1")).toBeUndefined();
  });
});

describe("what happens to a channel", () => {
  it.each([
    ["channel_archive", "archived"],
    ["channel_unarchive", "unarchived"],
    ["channel_deleted", "deleted"],
    ["channel_left", "removed"],
  ])("%s is passed on as %s", async (type, change) => {
    const { hear, moves } = setUpApp();
    await hear(move(type, { channel: "C7" }));
    expect(moves).toEqual([{ team: "T1", channel: "C7", change }]);
  });

  it("is passed on with its new ID if it gets another one", async () => {
    const { hear, moves } = setUpApp();
    await hear(move("channel_id_changed", { old_channel_id: "C7", new_channel_id: "G8" }));
    expect(moves).toEqual([{ team: "T1", channel: "C7", change: { newId: "G8" } }]);
  });

  it("counts as joined only if it is the bot that joins", async () => {
    const { hear, moves } = setUpApp();
    await hear(move("member_joined_channel", { user: "U2" }));
    expect(moves).toEqual([]);
    await hear(move("member_joined_channel", { user: "UBOT", channel: "C7" }));
    expect(moves).toEqual([{ team: "T1", channel: "C7", change: "joined" }]);
  });
});
