import { describe, expect, it } from "vitest";

import { SlackRefused } from "../../src/slack/delivery/refusal.ts";
import { asking } from "../support/builders.ts";
import { setUp } from "./subscriptions-lost.ts";

describe("a post that Slack does not take", () => {
  it.each(["is_archived", "channel_not_found", "not_in_channel"])(
    "because of %s pauses it until its place is back",
    async (code) => {
      const { add, read, refuse, posts, change } = setUp();
      await add();
      expect(await refuse(code)).toBe(true);
      expect((await read()).state).toBe("paused");
      expect(posts).toHaveLength(1);
      await change("joined");
      expect((await read()).state).toBe("active");
    },
  );

  it("because of a rule of the channel pauses it until somebody resumes it", async () => {
    const { add, read, refuse, posts, change } = setUp();
    await add();
    expect(await refuse("restricted_action")).toBe(true);
    await change("joined");
    expect((await read()).state).toBe("paused");
    expect(posts[0]?.message.text).toMatch(/When that is put right, resume it/);
  });

  it.each(["ratelimited", "internal_error", "invalid_blocks"])(
    "because of %s is left to be tried again",
    async (code) => {
      const { add, read, refuse } = setUp();
      await add();
      expect(await refuse(code)).toBe(false);
      expect((await read()).state).toBe("active");
    },
  );
});

describe("a maker who could not be told", () => {
  it("is told when Slack can be reached, also after a restart, and once", async () => {
    const { add, posts, fail, change, tell, restart } = setUp();
    await add();
    fail.post = () => new SlackRefused("chat.postMessage", "ratelimited");
    await change("archived");
    await tell();
    restart();
    delete fail.post;
    await tell();
    await tell();
    expect(posts.map(({ channel }) => channel)).toEqual(["U1"]);
  });

  it("who has left the workspace is not tried for ever", async () => {
    const { add, posts, fail, change, tell, read } = setUp();
    await add();
    fail.post = () => new SlackRefused("chat.postMessage", "user_disabled");
    await change("archived");
    delete fail.post;
    await tell();
    expect(posts).toEqual([]);
    expect((await read()).state).toBe("paused");
  });

  it("is told once by two looks at the same time", async () => {
    const { add, posts, change, tell } = setUp();
    await add();
    await Promise.all([change("archived"), tell(), change("archived"), tell()]);
    expect(posts).toHaveLength(1);
  });
});

describe("resuming by hand what waits for its place", () => {
  const resume = (desk: ReturnType<typeof setUp>) => desk.acts.resume("1", asking(""), desk.to);

  it.each([
    ["archived", "archived", "<#C1> is still archived. When it is back, this goes on by itself."],
    [
      "removed",
      "closed",
      "I still cannot post in <#C1>. In a channel, type `/invite @Bellwether`; a group direct message takes no app later: choose another place with *Change*. Once I can post there, this goes on by itself.",
    ],
  ] as const)("%s, says what is still in the way", async (lost, found, words) => {
    const desk = setUp([found]);
    await desk.add();
    await desk.change(lost);
    await expect(resume(desk)).rejects.toThrow(words);
    expect((await desk.read()).state).toBe("paused");
  });

  it.each(["joined", "open", undefined] as const)("is done where it is %s", async (found) => {
    const desk = setUp([found]);
    await desk.add();
    await desk.change("removed");
    await resume(desk);
    expect(await desk.read()).toMatchObject({ state: "active", stranded: undefined });
  });
});
