import { describe, expect, it } from "vitest";
import { move, setUp } from "./incoming/receiver.ts";

describe("what becomes of a channel", () => {
  it.each([
    ["channel_archive", "archived"],
    ["group_archive", "archived"],
    ["channel_unarchive", "unarchived"],
    ["group_unarchive", "unarchived"],
    ["channel_deleted", "deleted"],
    ["group_deleted", "deleted"],
    ["channel_left", "removed"],
    ["group_left", "removed"],
  ])("%s is passed on as %s", async (type, change) => {
    const { hear, moves } = setUp();
    await hear(move(type, { channel: "C7" }));
    expect(moves).toEqual([{ team: "T1", channel: "C7", change }]);
  });

  it("is followed where it goes by another ID", async () => {
    const { hear, moves } = setUp();
    await hear(move("channel_id_changed", { old_channel_id: "C7", new_channel_id: "G8" }));
    expect(moves).toEqual([{ team: "T1", channel: "C7", change: "now G8" }]);
  });

  it("counts as joined only where it is the bot that joins", async () => {
    const { hear, moves } = setUp();
    await hear(move("member_joined_channel", { user: "U2" }));
    expect(moves).toEqual([]);
    await hear(move("member_joined_channel", { user: "UBOT", channel: "C7" }));
    expect(moves).toEqual([{ team: "T1", channel: "C7", change: "joined" }]);
  });
});
