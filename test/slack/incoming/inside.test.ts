import { describe, expect, it } from "vitest";

import { section } from "../../../src/slack/text/blocks.ts";
import type { Message } from "../../../src/slack/text/message.ts";
import { pressInside, setUp, viewsIn, windowOf } from "../receiver.ts";

const found: Message = { text: "France", blocks: [section("France")], window: { title: "France" } };
const plain: Message = { text: "Saved" };
const run = { action_id: "run:at", value: "jurisdictions at 1" };
const turn = { action_id: "turn:next", value: "jurisdictions in 1 2" };
const home = { id: "V1", type: "home", private_metadata: "" };

async function* growing(): AsyncGenerator<Message> {
  yield { text: "Oil" };
}

describe("a button in a window", () => {
  it.each([found, plain])("is answered in a window upon it", async (reply) => {
    const { sent, hear } = setUp({ run: () => reply });
    await hear(pressInside(run));
    expect(viewsIn(sent)).toMatchObject([{ method: "views.push", words: [reply.text], sent: { trigger_id: "1.3" } }]);
    expect(sent.length).toBe(1);
  });

  it("keeps in mind where the first window was opened", async () => {
    const { sent, hear } = setUp({ run: () => found });
    await hear(pressInside(run));
    expect(viewsIn(sent)).toMatchObject([{ metadata: { channel: "C1", thread: "3.0" } }]);
  });

  it("shows a sign of work in the new window, and then what it comes to", async () => {
    const work = Promise.withResolvers<Message>();
    const { clock, sent, hear } = setUp({ run: () => work.promise });
    const heard = hear(pressInside(run));
    await clock.advance(2_000);
    expect(viewsIn(sent)).toMatchObject([{ method: "views.push", words: ["Working…"] }]);
    work.resolve(found);
    await heard;
    expect(viewsIn(sent)).toMatchObject([{}, { method: "views.update", words: ["France"], sent: { view_id: "V1" } }]);
  });

  it("tells of a failure in a window upon it", async () => {
    const { sent, hear } = setUp({ run: () => Promise.reject(new Error("down")) });
    await hear(pressInside(run));
    expect(viewsIn(sent)).toMatchObject([{ method: "views.push", words: ["Error: down"] }]);
  });

  it("is answered in the window itself where no further one fits upon it", async () => {
    const refuses = { "views.push": ["push_limit_reached", "push_limit_reached"] };
    const { sent, hear } = setUp({ run: () => found, refuses });
    await hear(pressInside(run));
    expect(viewsIn(sent).at(-1)).toMatchObject({ method: "views.update", words: ["France"], sent: { view_id: "V9" } });
  });

  it.each<[string, Message | Error]>([
    ["the reply", found],
    ["a failure", new Error("down")],
  ])("writes %s in the direct message where no window can be shown", async (_, outcome) => {
    const refuses = { "views.push": ["expired_trigger_id", "expired_trigger_id"], "views.update": ["not_found"] };
    const run1 = () => (outcome instanceof Error ? Promise.reject(outcome) : outcome);
    const { sent, hear } = setUp({ run: run1, refuses });
    await hear(pressInside(run));
    const text = outcome instanceof Error ? "Error: down" : "France";
    expect(sent.at(-1)).toMatchObject({ method: "chat.postMessage", body: { channel: "U2", text } });
  });

  it("leaves no sign of work in the direct message where no window can be shown", async () => {
    const work = Promise.withResolvers<Message>();
    const gone = ["expired_trigger_id", "expired_trigger_id", "expired_trigger_id"];
    const refuses = { "views.push": gone, "views.update": ["not_found"] };
    const { clock, sent, hear } = setUp({ run: () => work.promise, refuses });
    const heard = hear(pressInside(run));
    await clock.advance(5_000);
    work.resolve(found);
    await heard;
    const posts = sent.filter(({ method }) => method === "chat.postMessage");
    expect(posts.map(({ body }) => body["text"])).toEqual(["France"]);
  });

  it("never puts a failure where the window's content stands", async () => {
    const refuses = { "views.push": ["push_limit_reached", "push_limit_reached"] };
    const { sent, hear } = setUp({ run: () => Promise.reject(new Error("down")), refuses });
    await hear(pressInside(turn));
    expect(sent.map(({ method }) => method)).toEqual(["views.push", "chat.postMessage"]);
  });

  it("writes what grows in the direct message, and says so in a window", async () => {
    const { sent, asked, hear } = setUp({ run: growing });
    await hear(pressInside(run));
    expect(asked[0]?.request).toMatchObject({ channel: "U2" });
    expect(asked[0]?.request.thread).toBeUndefined();
    expect(viewsIn(sent)).toMatchObject([{ words: [expect.stringContaining("in our direct message")] }]);
    expect(sent[1]).toMatchObject({ method: "chat.postMessage", body: { channel: "U2", text: "Oil" } });
    expect(await asked[0]?.request.posted).toMatchObject({ channel: "D2" });
  });

  it("says in its window where even that cannot be done", async () => {
    const { sent, hear } = setUp({ run: growing, refuses: { "chat.postMessage": ["messages_tab_disabled"] } });
    await hear(pressInside(run));
    expect(viewsIn(sent).at(-1)).toMatchObject({
      method: "views.update",
      words: ["SlackRefused: Slack refused chat.postMessage: messages_tab_disabled"],
    });
  });
});

describe("a button that turns a window", () => {
  it("puts what comes in its place", async () => {
    const { sent, hear } = setUp({ run: () => found });
    await hear(pressInside(turn));
    expect(viewsIn(sent)).toMatchObject([
      { method: "views.update", title: "France", sent: { view_id: "V9" }, metadata: { channel: "C1", thread: "3.0" } },
    ]);
    expect(sent.length).toBe(1);
  });

  it("opens a new one where it was closed meanwhile", async () => {
    const { sent, hear } = setUp({ run: () => found, refuses: { "views.update": ["not_found"] } });
    await hear(pressInside(turn));
    expect(viewsIn(sent).at(-1)).toMatchObject({ method: "views.push", title: "France" });
  });

  it("leaves the window as it is where that fails, and says so upon it", async () => {
    const { sent, hear } = setUp({ run: () => Promise.reject(new Error("down")) });
    await hear(pressInside(turn));
    expect(viewsIn(sent)).toMatchObject([{ method: "views.push", words: ["Error: down"] }]);
  });

  it("opens a form upon it, so that closing the form leads back", async () => {
    const form: Message = { text: "Ask", window: { title: "Ask", form: { name: "about", submit: "Ask" } } };
    const { sent, hear } = setUp({ run: () => form });
    await hear(pressInside(turn));
    expect(viewsIn(sent)).toMatchObject([{ method: "views.push", title: "Ask" }]);
  });

  it("shows the page that was asked for last", async () => {
    const slow = Promise.withResolvers<Message>();
    const { sent, hear } = setUp({ run: (_, line) => (line.endsWith("2") ? slow.promise : plain) });
    const first = hear(pressInside(turn));
    await hear(pressInside({ ...turn, value: "jurisdictions in 1 3" }));
    slow.resolve(found);
    await first;
    expect(viewsIn(sent).map(({ words }) => words)).toEqual([["Saved"]]);
  });
});

describe("a button on the bot's own page", () => {
  it.each([run, turn])("opens its result in a window, and makes the page anew", async (action) => {
    const { sent, hear } = setUp({ run: () => found });
    await hear(pressInside(action, home));
    expect(viewsIn(sent)).toMatchObject([
      { method: "views.open", title: "France", metadata: { channel: "U2" } },
      { method: "views.publish", words: ["Hello U2"], sent: { user_id: "U2" } },
    ]);
  });

  it("writes what grows in the direct message", async () => {
    const { sent, hear } = setUp({ run: growing });
    await hear(pressInside(run, home));
    expect(sent.map(({ method }) => method)).toEqual(["views.open", "chat.postMessage", "views.publish"]);
  });

  it("makes the page anew also after a press in a window that was opened from it", async () => {
    const { sent, hear } = setUp({ run: () => plain });
    await hear(pressInside(run, { private_metadata: windowOf({ channel: "U2" }) }));
    expect(sent.map(({ method }) => method)).toEqual(["views.push", "views.publish"]);
  });
});

describe("a window of somebody else", () => {
  it.each(["", "{}", "no JSON", "[1]", JSON.stringify({ channel: 7, state: "" })])(
    "with the metadata %j is answered as if it were opened in the direct message",
    async (private_metadata) => {
      const { sent, hear } = setUp({ run: () => found });
      await hear(pressInside(run, { private_metadata }));
      expect(viewsIn(sent)).toMatchObject([{ method: "views.push", metadata: { channel: "U2" } }]);
    },
  );
});
