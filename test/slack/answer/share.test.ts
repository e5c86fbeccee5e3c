import { describe, expect, it } from "vitest";

import { buttons, context, section } from "../../../src/slack/text/blocks.ts";
import type { Respond } from "../../../src/slack/answer/private-reply.ts";
import type { Message } from "../../../src/slack/text/message.ts";
import { createSharing, sharedReplySchema } from "../../../src/slack/answer/share.ts";

const message: Message = { text: "Oil rose", blocks: [section("Oil rose")], shareable: true, private: true };

function setUp() {
  const records = new Map<string, Message>();
  const sharing = sharingOf(records);
  const bodies: Parameters<Respond>[0][] = [];
  const respond: Respond = async (body) => bodies.push(body);
  return { records, sharing, bodies, respond };
}

/** The sharing of one process. */
function sharingOf(records: Map<string, Message>) {
  return createSharing({
    get: async (key) => records.get(key),
    set: async (key, value) => void records.set(key, sharedReplySchema.parse(value)),
    delete: async (key) => records.delete(key),
  });
}

async function offered(): Promise<ReturnType<typeof setUp> & { key: string }> {
  const setting = setUp();
  await setting.sharing.offer(message);
  const [key = ""] = setting.records.keys();
  return { ...setting, key };
}

describe("sharing", () => {
  it("is offered with a button that names what to share", async () => {
    const { records, sharing } = setUp();
    const { blocks } = await sharing.offer(message);
    const [key] = records.keys();
    expect(blocks).toMatchObject([section("Oil rose"), { elements: [{ action_id: "share", value: key }] }]);
  });

  it("is not offered for what is not meant for it", async () => {
    const { records, sharing } = setUp();
    const plain = { text: "Oil rose", blocks: [section("Oil rose")] };
    expect(await sharing.offer(plain)).toBe(plain);
    expect(records.size).toBe(0);
  });

  it("shows the reply to the channel in the name of who pressed, and takes the private one away", async () => {
    const { sharing, bodies, respond, key } = await offered();
    await sharing.share(key, "U2", respond);
    expect(bodies).toEqual([
      {
        response_type: "in_channel",
        replace_original: false,
        unfurl_links: false,
        unfurl_media: false,
        text: "Oil rose",
        blocks: [section("Oil rose"), context("Shared by <@U2>")],
      },
      { response_type: "ephemeral", text: "", delete_original: true },
    ]);
  });

  it("happens once, however often and fast the button is pressed", async () => {
    const { sharing, bodies, respond, key } = await offered();
    await Promise.all([sharing.share(key, "U1", respond), sharing.share(key, "U1", respond)]);
    expect(bodies.filter((body) => body.response_type === "in_channel").length).toBe(1);
    expect(bodies.some(({ text }) => text.includes("shared already"))).toBe(true);
  });

  it("is offered in a row of its own if the message's row is full, and not at all if the message is full", async () => {
    const { sharing } = setUp();
    const full = buttons(
      ...Array.from({ length: 25 }, (_, index) => ({ action: `run:${index}`, label: "a", value: "a" })),
    );
    const { blocks = [] } = await sharing.offer({ ...message, blocks: [full] });
    expect(blocks).toMatchObject([full, { elements: [{ action_id: "share" }] }]);
    const long = { ...message, blocks: Array.from({ length: 50 }, () => section("a")) };
    expect(await sharing.offer(long)).toBe(long);
  });

  it("works with the simpler blocks, too, if Slack refuses a chart", async () => {
    const { records, sharing, bodies, respond } = setUp();
    const drawn = { ...message, fallbackBlocks: [section("in words")] };
    const offer = await sharing.offer(drawn);
    expect(offer.fallbackBlocks).toMatchObject([section("in words"), { elements: [{ action_id: "share" }] }]);
    const refusal = Object.assign(new Error("Failed to respond"), { statusCode: 400 });
    const [key = ""] = records.keys();
    const refuseFirst: Respond = async (body) => {
      await respond(body);
      if (bodies.length === 1) throw refusal;
    };
    await sharing.share(key, "U2", refuseFirst);
    expect(bodies.map(({ blocks }) => blocks)).toEqual([
      [section("Oil rose"), context("Shared by <@U2>")],
      [section("in words"), context("Shared by <@U2>")],
      undefined,
    ]);
  });

  it.each([
    ["nobody knows whether Slack took it", new TypeError("fetch failed"), "If it isn’t in the channel"],
    ["Slack is out of order", Object.assign(new Error("Failed"), { statusCode: 503 }), "If it isn’t in the channel"],
    ["Slack refuses it", Object.assign(new Error("Failed"), { statusCode: 404 }), "Press *Share in channel* again."],
  ])("is not done twice if %s, and whoever pressed is told", async (_, error, told) => {
    const { records, sharing, key, bodies, respond } = await offered();
    const refuseShared: Respond = async (body) => {
      await respond(body);
      if (body.response_type === "in_channel") throw error;
    };
    await expect(sharing.share(key, "U2", refuseShared)).rejects.toThrow(error.message);
    expect(records.size).toBe(1);
    const forms = "statusCode" in error && error.statusCode === 404 ? 2 : 1;
    expect(bodies.filter((body) => body.response_type === "in_channel").length).toBe(forms);
    expect(bodies.at(-1)).toMatchObject({ response_type: "ephemeral", replace_original: false });
    expect(bodies.at(-1)?.text).toContain(told);
  });

  it("can be tried again if Slack did not take it", async () => {
    const { sharing, bodies, respond, key } = await offered();
    await expect(sharing.share(key, "U1", () => Promise.reject(new Error("503")))).rejects.toThrow("503");
    await sharing.share(key, "U1", respond);
    expect(bodies[0]).toMatchObject({ response_type: "in_channel", text: "Oil rose" });
  });

  it("can be tried again if the process was killed before Slack had it", async () => {
    const { records, sharing, bodies, respond, key } = await offered();
    void sharing.share(key, "U1", () => new Promise(() => {}));
    await sharingOf(records).share(key, "U1", respond);
    expect(bodies[0]).toMatchObject({ response_type: "in_channel", text: "Oil rose" });
    await sharingOf(records).share(key, "U1", respond);
    expect(bodies.filter((body) => body.response_type === "in_channel").length).toBe(1);
  });
});

describe("what is stored of a message", () => {
  it("is what is shown of it", () => {
    expect(sharedReplySchema.parse(message)).toEqual({ text: "Oil rose", blocks: [section("Oil rose")] });
    expect(sharedReplySchema.parse({ text: "a" })).toEqual({ text: "a" });
    expect(sharedReplySchema.safeParse({ text: "a", blocks: [{}] }).success).toBe(false);
  });
});
