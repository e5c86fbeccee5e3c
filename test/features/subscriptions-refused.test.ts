import { describe, expect, it } from "vitest";

import { SlackRefused } from "../../src/slack/refusal.ts";
import { asking } from "../support/builders.ts";
import { minute } from "./subscriptions-desk.ts";
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

  it("because the bot has no access pauses it without a word, which could not arrive, until it has", async () => {
    const { add, read, refuse, posts, look } = setUp(["open"]);
    await add();
    expect(await refuse("token_revoked")).toBe(true);
    expect(posts).toEqual([]);
    await look();
    expect((await read()).state).toBe("active");
  });

  it("because the bot has no access goes on everywhere in the workspace after one question", async () => {
    const { add, read, refuse, asked, look } = setUp(["closed"]);
    for (const channel of ["C1", "C2", "C3"]) await add({ channel });
    for (const number of [1, 2, 3]) await refuse("account_inactive", number);
    await look();
    expect(asked).toEqual(["T1 C1"]);
    expect((await Promise.all([1, 2, 3].map(read))).map(({ state }) => state)).toEqual(["active", "active", "active"]);
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

  it("again, soon after it went on by itself, waits for somebody: no message comes every hour", async () => {
    const { add, read, refuse, posts, look, state } = setUp(["joined"]);
    await add();
    for (let hour = 0; hour < 12; hour++) {
      if ((await read()).state === "active") await refuse("not_in_channel");
      await look();
      state.now += 60 * minute;
    }
    expect((await read()).state).toBe("paused");
    expect(posts).toHaveLength(2);
  });
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
    const { add, posts, fail, change, tell } = setUp();
    await add();
    fail.post = () => new SlackRefused("chat.postMessage", "ratelimited");
    await change("archived");
    delete fail.post;
    await Promise.all([tell(), tell()]);
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

  it("does not ask Slack about what somebody has paused", async () => {
    const desk = setUp(["archived"]);
    await desk.add();
    await desk.acts.pause("1", asking(""), desk.to);
    await resume(desk);
    expect(desk.asked).toEqual([]);
  });
});
