import { describe, expect, it } from "vitest";

import { StepRequired, failureView } from "../../../src/features/failure.ts";
import type { Ask } from "../../../src/features/feature.ts";
import { placeOf } from "../../../src/features/subscriptions/commands.ts";
import { buttonsOf, orHint, wordsOf } from "../../support/answers.ts";
import { asking, now } from "../../support/builders.ts";
import { digestDesk } from "../digests/setting.ts";

const membersOf = (...members: string[]) => ({
  slackChannels: { isIn: async ({ user }: { user: string }) => members.includes(user) },
});
const admins = (...all: string[]) => ({
  subscribing: "admins" as const,
  people: { isAdmin: async (_: string, user: string) => all.includes(user), name: async () => "Ana" },
});

/** What somebody reads whom it is refused, or `done`. */
const tried = (desk: ReturnType<typeof digestDesk>, verb: string, about: Partial<Ask> = {}) =>
  orHint(desk.say(`${verb} 1`, about).then(() => "done"));

/** Where something would go that is asked for, or why it may not go there. */
const sent = (desk: ReturnType<typeof digestDesk>, place: string | undefined, about: Partial<Ask> = {}) =>
  orHint(placeOf(place, asking("", about), desk.services()));

describe("the right to change the subscriptions of a channel", () => {
  it("belongs to its members: there without a request to Slack, elsewhere after one", async () => {
    const desk = digestDesk({ slackChannels: { isIn: () => Promise.reject(new Error("nobody should ask")) } });
    await desk.add();
    expect(await tried(desk, "pause", { user: "U2", channel: "C1" })).toBe("done");
    const elsewhere = digestDesk(membersOf("U2"));
    await elsewhere.add();
    expect(await tried(elsewhere, "pause", { user: "U2", channel: "D2" })).toBe("done");
  });

  it("belongs to nobody else, and others can’t even see the subscriptions", async () => {
    const desk = digestDesk(membersOf("U2"));
    await desk.add();
    expect(await tried(desk, "remove", { user: "U3", channel: "C3" })).toMatch(/There’s no digest 1 here/);
    expect(await tried(desk, "history", { user: "U3", channel: "C3" })).toMatch(/There’s no digest 1 here/);
    expect((await desk.read()).state).toBe("active");
  });

  it("leaves an owner who left the channel the right to end theirs, and no more", async () => {
    const desk = digestDesk(membersOf("U2"));
    await desk.add();
    expect(await tried(desk, "pause", { channel: "D1" })).toBe("done");
    expect(await tried(desk, "resume", { channel: "D1" })).toMatch(/Only members of <#C1> .*Join it/);
    expect(await tried(desk, "remove", { channel: "D1" })).toBe("done");
  });

  it("trusts the owner if Slack doesn’t say who is in the channel", async () => {
    const desk = digestDesk({ slackChannels: { isIn: async () => undefined } });
    await desk.add();
    await tried(desk, "pause", { channel: "D1" });
    expect(await tried(desk, "resume", { channel: "D1" })).toBe("done");
    expect(await tried(desk, "pause", { channel: "D2", user: "U2" })).toMatch(/There’s no digest 1 here/);
  });

  it("belongs to admins if the operator says so, and owners may still end theirs", async () => {
    const desk = digestDesk(admins("U9"));
    await desk.add();
    const refusal = await tried(desk, "pause", { user: "U2" });
    expect(refusal).toMatch(/only admins .*Ask one of them\./);
    expect(await tried(desk, "pause")).toBe("done");
    expect(await tried(desk, "resume")).toMatch(/only admins .*created it can pause or remove it/);
    expect(await tried(desk, "resume", { user: "U9", channel: "D9" })).toBe("done");
  });

  it("belongs to each person for their own direct messages alone", async () => {
    const desk = digestDesk(admins("U9"));
    await desk.add({ channel: "U1" });
    expect(await tried(desk, "pause", { channel: "D1" })).toBe("done");
    expect(await tried(desk, "resume", { channel: "D9", user: "U9" })).toMatch(/There’s no digest 1 here/);
  });
});

describe("the place of a new subscription", () => {
  it("may be the channel asked in, the asker’s direct messages, or another channel of theirs", async () => {
    const desk = digestDesk(membersOf("U1"));
    expect(await sent(desk, undefined)).toBe("C1");
    for (const channel of ["D1", "U1"]) expect(await sent(desk, undefined, { channel })).toBe("U1");
    for (const place of ["me", "D0NINE"]) expect(await sent(desk, place)).toBe("U1");
    expect(await sent(desk, "C7")).toBe("C7");
  });

  it("can’t be a channel that the asker isn’t in, or about which Slack doesn’t say", async () => {
    expect(await sent(digestDesk(membersOf()), "C7")).toMatch(/Only members of <#C7>/);
    const unsure = digestDesk({ slackChannels: { isIn: async () => undefined } });
    expect(await sent(unsure, "C7")).toMatch(/whether you’re in <#C7>\. Type the command there/);
    expect(await sent(digestDesk(), "U2")).toMatch(/`--in me`/);
  });

  it("can’t be a channel for members if the operator leaves that to admins", async () => {
    const desk = digestDesk(admins("U9"));
    expect(await sent(desk, undefined)).toMatch(/only admins .*`--in me`/);
    expect(await sent(desk, "me")).toBe("U1");
    expect(await sent(desk, undefined, { user: "U9" })).toBe("C1");
  });
});

describe("a channel that the bot is not in", () => {
  const line = "add search copper daily";
  const closed = (state: "closed" | "open" | "archived" | undefined) =>
    digestDesk({ slackChannels: { stateOf: async () => state } });

  it("takes no digest and says what to do; after the invitation it’s one press away", async () => {
    const { services, say } = closed("closed");
    const refused = await say(line).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(StepRequired);
    expect(String(refused)).toMatch(/not in <#C1>.*`\/invite @Bellwether`.*try again/);
    const { configured, digests } = services();
    expect(await digests.ofTeam("T1")).toEqual([]);
    const view = failureView(refused, { now, configured }, undefined, { line: `digests ${line}`, user: "U1" });
    expect(wordsOf(view)).toContain("Try again");
  });

  it("takes a digest with a tip if anybody may post there, or if Slack says nothing, but not if it’s archived", async () => {
    expect(wordsOf(await closed("open").say(line))).toMatch(/Tip: `\/invite @Bellwether`/);
    expect(wordsOf(await closed(undefined).say(line))).not.toContain("/invite");
    expect(await closed("archived").hint(`${line} --in C0B`)).toContain("<#C0B> is archived");
  });
});

describe("an answer about one digest", () => {
  const reading = ["test 1", "history 1", "edit 1 hourly", "why-not 1 https://news.example.com/1"];
  const inPublic = { surface: "mention" as const, channel: "C2" };

  it("doesn’t reveal in public that a digest of another channel exists", async () => {
    const { say, hint } = digestDesk();
    await say("add search Falcon daily");
    for (const line of [...reading, "pause 1", "resume 1", "remove 1"]) {
      const unknown = await hint(line.replace(/\b1\b/, "9"), inPublic);
      expect([line, await hint(line, inPublic)]).toEqual([line, unknown.replace("9", "1")]);
      expect(unknown).toBe("This channel has no digest 9. To see yours elsewhere, type `/digests list`.");
    }
    expect(wordsOf(await say("history 1", { channel: "C2" }))).toMatch(/added/);
  });

  it("doesn’t reveal it either to a press on a public message", async () => {
    const { say, hint } = digestDesk();
    await say("add search Falcon daily");
    const press = { surface: "button" as const, channel: "C2", replacesPublic: true };
    expect(await hint("pause 1", press)).toMatch(/This channel has no digest 1/);
    expect(wordsOf(await say("list", press))).not.toMatch(/Falcon/);
    expect(wordsOf(await say("pause 1", { surface: "button", channel: "C2" }))).toMatch(/is paused/);
  });

  it("says in public only that it’s set, if it posts in direct messages", async () => {
    const { say } = digestDesk();
    const added = await say("add search Falcon daily --in me", inPublic);
    expect(wordsOf(added)).toMatch(/1 is set[^]*It posts in a direct message, so it isn’t shown here\./);
    expect(wordsOf(added)).not.toMatch(/Falcon|Next/);
    expect(buttonsOf(added)).toEqual({ "My digests": "digests list" });
    await say("add search Oil daily", inPublic);
    const moved = wordsOf(await say("edit 2 --in me", inPublic));
    expect(moved).toMatch(/2 now posts in a direct message/);
    expect(moved).not.toMatch(/Oil|Next/);
  });

  it("tells an admin who isn’t in its channel nothing, even if only admins change subscriptions", async () => {
    for (const subscribing of ["members", "admins"] as const) {
      const isAdmin = async (_: string, user: string) => user !== "U2";
      const { say, hint } = digestDesk({
        slackChannels: { isIn: async () => false },
        subscribing,
        people: { isAdmin },
      });
      await say("add search Falcon daily");
      const admin = { user: "U9", channel: "C2" };
      expect(wordsOf(await say("list", admin))).not.toMatch(/Falcon/);
      for (const line of [...reading, "pause 1"]) {
        expect([line, await hint(line, admin)]).toEqual([line, expect.stringMatching(/There’s no digest 1 here/)]);
      }
    }
  });
});
