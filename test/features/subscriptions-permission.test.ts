import { describe, expect, it } from "vitest";

import { UsageError } from "../../src/apis/errors.ts";
import { placeOf } from "../../src/features/subscriptions/commands.ts";
import type { Ask } from "../../src/features/feature.ts";
import { asking } from "../support/builders.ts";
import { feedDesk } from "./subscriptions-desk.ts";

type Desk = ReturnType<typeof feedDesk>;

const membersOf = (...members: string[]) => ({
  places: { isIn: async ({ user }: { user: string }) => members.includes(user) },
});
const admins = (...all: string[]) => ({
  subscribing: "admins" as const,
  people: { isAdmin: async (_: string, user: string) => all.includes(user), name: async () => "Ana" },
});

type Verb = "pause" | "resume" | "remove" | "history";

/** What somebody reads whom it is refused, or `done`. */
async function tried(desk: Desk, verb: Verb, about: Partial<Ask> = {}): Promise<string> {
  try {
    await desk.acts[verb]("1", asking("", about), desk.to);
    return "done";
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
}

async function sent(desk: Desk, place: string | undefined, about: Partial<Ask> = {}): Promise<string> {
  try {
    return await placeOf(place, asking("", about), desk.to);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
}

describe("who may change what comes to a channel", () => {
  it("is whoever is in it: there without a question to Slack, elsewhere after one", async () => {
    const desk = feedDesk({ places: { isIn: () => Promise.reject(new Error("nobody should ask")) } });
    await desk.add();
    expect(await tried(desk, "pause", { user: "U2", channel: "C1" })).toBe("done");
    const elsewhere = feedDesk(membersOf("U2"));
    await elsewhere.add();
    expect(await tried(elsewhere, "pause", { user: "U2", channel: "D2" })).toBe("done");
  });

  it("is nobody else, and they do not even hear of it", async () => {
    const desk = feedDesk(membersOf("U2"));
    await desk.add();
    expect(await tried(desk, "remove", { user: "U3", channel: "C3" })).toMatch(/There is no feed 1 here/);
    expect(await tried(desk, "history", { user: "U3", channel: "C3" })).toMatch(/There is no feed 1 here/);
    expect((await desk.read()).state).toBe("active");
  });

  it("leaves to its maker to end it after they left the channel, and no more than that", async () => {
    const desk = feedDesk(membersOf("U2"));
    await desk.add();
    expect(await tried(desk, "pause", { channel: "D1" })).toBe("done");
    expect(await tried(desk, "resume", { channel: "D1" })).toMatch(
      /Only members of <#C1> decide what comes there.*Join it/,
    );
    expect(await tried(desk, "remove", { channel: "D1" })).toBe("done");
  });

  it("trusts its maker where Slack does not say who is in the channel", async () => {
    const desk = feedDesk({ places: { isIn: async () => undefined } });
    await desk.add();
    await tried(desk, "pause", { channel: "D1" });
    expect(await tried(desk, "resume", { channel: "D1" })).toBe("done");
    expect(await tried(desk, "pause", { channel: "D2", user: "U2" })).toMatch(/There is no feed 1 here/);
  });

  it("is admins alone where the operator says so, and its maker may end it", async () => {
    const desk = feedDesk(admins("U9"));
    await desk.add();
    const refusal = await tried(desk, "pause", { user: "U2" });
    expect(refusal).toMatch(/admins alone decide what comes to channels\. Ask one of them\./);
    expect(await tried(desk, "pause")).toBe("done");
    expect(await tried(desk, "resume")).toMatch(/admins alone.*Whoever asked for it may pause or remove it/);
    expect(await tried(desk, "resume", { user: "U9", channel: "D9" })).toBe("done");
  });

  it("is everybody for their own direct messages, and nobody for those of others", async () => {
    const desk = feedDesk(admins("U9"));
    await desk.add({ channel: "U1" });
    expect(await tried(desk, "pause", { channel: "D1" })).toBe("done");
    expect(await tried(desk, "resume", { channel: "D9", user: "U9" })).toMatch(/There is no feed 1 here/);
  });
});

describe("where something may be sent", () => {
  it("is where somebody asks, to themselves, and to a channel that they are in", async () => {
    const desk = feedDesk(membersOf("U1"));
    expect(await sent(desk, undefined)).toBe("C1");
    expect(await sent(desk, undefined, { channel: "D1" })).toBe("U1");
    expect(await sent(desk, "me")).toBe("U1");
    expect(await sent(desk, "C7")).toBe("C7");
  });

  it("is no channel that they are not in, or of which Slack does not say", async () => {
    expect(await sent(feedDesk(membersOf()), "C7")).toMatch(/Only members of <#C7>/);
    const unsure = feedDesk({ places: { isIn: async () => undefined } });
    expect(await sent(unsure, "C7")).toMatch(/does not tell me whether you are in <#C7>. Type the command there/);
    expect(await sent(feedDesk(), "U2")).toMatch(/only to whoever asks/);
  });

  it("is no channel at all for who is no admin, where the operator says so", async () => {
    const desk = feedDesk(admins("U9"));
    expect(await sent(desk, undefined)).toMatch(/admins alone.*`--in me`/);
    expect(await sent(desk, "me")).toBe("U1");
    expect(await sent(desk, undefined, { user: "U9" })).toBe("C1");
  });
});
