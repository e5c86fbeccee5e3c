import { describe, expect, it } from "vitest";

import { command, direct, heard, mention, press, reply, setUp, submit, typed } from "./receiver.ts";

const inOurs = { following: { decide: async () => "answer" as const } };

describe("somebody whom the bot does not answer", () => {
  const guest = { checkAccess: async () => "guest" as const };
  const refused = /I only answer members of this workspace/;

  it.each<[string, Record<string, unknown>, string]>([
    ["beside a mention", mention("<@UBOT> a", { thread_ts: "3.5" }), "chat.postEphemeral"],
    ["beside a slash command", command("/news", "a"), "respond"],
    ["beside a button", press({ action_id: "run", value: "a" }), "respond"],
    ["in a direct message", direct("a"), "chat.postMessage"],
  ])("is told so %s", async (_, body, method) => {
    const { lines, sent } = await heard(body, guest);
    expect(lines()).toEqual([]);
    expect(sent).toMatchObject([{ method, body: { text: expect.stringMatching(refused) } }]);
  });

  it("is told nothing if nobody called the bot", async () => {
    const { lines, sent } = await heard(reply("and gas?"), { ...guest, ...inOurs });
    expect(lines()).toEqual([]);
    expect(sent).toEqual([]);
  });

  it("is known by where they come from, on every surface", async () => {
    const homes: unknown[] = [];
    const checkAccess = async ({ homeTeam }: { homeTeam?: string | undefined }) => {
      homes.push(homeTeam);
      return "allowed" as const;
    };
    const { hear } = setUp({ checkAccess, ...inOurs, read: () => ({ line: "a" }) });
    await hear(mention("<@UBOT> a", { user_team: "T2", team: "T1" }));
    await hear(mention("<@UBOT> a", { team: "T3" }));
    await hear(reply("a b", { user_team: "T4" }));
    await hear(direct("a", { team: "T5" }));
    await hear(press({ action_id: "run", value: "a" }, { user: { id: "U2", team_id: "T6" } }));
    await hear({ ...submit({ text: typed("a") }), user: { id: "U2", team_id: "T7" } });
    await hear(command("/news", "a"));
    expect(homes).toEqual(["T2", "T3", "T4", "T5", "T6", "T7", undefined]);
  });

  it("gets no answer either if the refusal cannot be shown, and the log says so", async () => {
    const { events, lines, hear } = setUp({
      ...guest,
      refuses: { "chat.postEphemeral": ["x"], "chat.postMessage": ["y"] },
    });
    await hear(mention("<@UBOT> a", { thread_ts: "3.5" }));
    expect(lines()).toEqual([]);
    expect(events.join()).toContain("answer.post.failed");
  });
});

describe("somebody of whom it is not known who they are", () => {
  it.each<[string, Record<string, unknown>, string]>([
    ["beside a mention", mention("<@UBOT> a", { thread_ts: "3.5" }), "chat.postEphemeral"],
    // Not left in peace like a guest: it may be a member who goes on with their question.
    ["where nobody called the bot", reply("and gas?"), "chat.postEphemeral"],
  ])("is told why, once, and gets no answer: %s", async (_, body, method) => {
    const { lines, sent, hear } = setUp({
      checkAccess: async () => "unknown",
      ...inOurs,
    });
    await hear(body);
    expect(lines()).toEqual([]);
    expect(sent).toMatchObject([{ method, body: { text: expect.stringMatching(/Try again in a minute/) } }]);
  });
});

describe("what somebody says to the bot", () => {
  const never = () => new Promise<never>(() => undefined);

  it("is noted as soon as it is accepted, so that a crash before its answer begins is told of, too", async () => {
    const { noted, answers, hear } = setUp({ checkAccess: never });
    await hear(mention("<@UBOT> why?", { ts: "7.5" }));
    await hear(direct("why?", { ts: "8.5" }));
    expect(answers.isAnsweringFor((team) => team === "T1")).toBe(true);
    const asked = { team: "T1", user: "U1", line: "again why?" };
    expect([...noted.values()]).toMatchObject([
      { ...asked, channel: "C1", thread: "7.5" },
      { ...asked, channel: "D1" },
    ]);
  });

  it("is noted under the key that the messages of its answer carry", async () => {
    const { noted, sent, hear } = setUp({
      async *run() {
        yield { text: "Half" };
        await never();
      },
    });
    await hear(mention("<@UBOT> why?"));
    const [key, ...others] = noted.keys();
    expect(others).toEqual([]);
    expect(sent.at(-1)?.body["metadata"]).toContain(key);
  });

  it.each<[string, Parameters<typeof setUp>[0]]>([
    ["is answered", {}],
    ["is answered privately", { run: () => ({ text: "ok", isPrivate: true }) }],
    ["is refused", { checkAccess: async () => "guest" }],
  ])("is noted no more once it %s", async (_, setting) => {
    const { noted, hear } = setUp(setting);
    await hear(mention("<@UBOT> why?"));
    expect([...noted]).toEqual([]);
  });

  it("is noted no more if it only stops an answer", async () => {
    const { noted, hear } = setUp({
      async *run() {
        yield { text: "Half" };
        await never();
      },
    });
    await hear(mention("<@UBOT> why?", { ts: "7.5" }));
    await hear(mention("<@UBOT> stop", { ts: "8.5", thread_ts: "7.5" }));
    expect([...noted.values()].map(({ line }) => line)).not.toContain("stop");
  });
});

describe("a thread that somebody asks in", () => {
  it("is noted, and whether the question began it", async () => {
    const entered: [string, boolean][] = [];
    const enter = async ({ channel, thread }: { channel: string; thread: string }, isOwn: boolean) =>
      void entered.push([`${channel} ${thread}`, isOwn]);
    const { hear } = setUp({ following: { enter } });
    await hear(mention("<@UBOT> a", { ts: "7.5" }));
    await hear(mention("<@UBOT> b", { ts: "8.5", thread_ts: "3.5" }));
    await hear(command("/news", "c"));
    await hear(direct("d"));
    await hear(press({ action_id: "run", value: "e" }, { container: { message_ts: "5.0", thread_ts: "4.0" } }));
    expect(entered).toEqual([
      ["C1 7.5", true],
      ["C1 3.5", false],
      ["C1 4.0", false],
    ]);
  });

  it("is noted when an answer stands in it, and to whom, also if the answer began it", async () => {
    const answered: string[] = [];
    const { hear } = setUp({
      following: {
        answered: async ({ channel, thread }, user) => void answered.push(`${channel} ${thread} ${user}`),
      },
      async *run({ line }) {
        yield line === "/news quiet" ? { text: "ok", private: true } : { text: "ok" };
      },
    });
    await hear(mention("<@UBOT> a", { ts: "7.5" }));
    await hear(command("/news", "quiet"));
    await hear(command("/news", "c"));
    await hear(direct("d"));
    expect(answered).toEqual(["C1 7.5 U1", expect.stringMatching(/^C1 \d\.0 U1$/)]);
  });
});
