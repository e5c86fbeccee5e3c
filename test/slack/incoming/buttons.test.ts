import { describe, expect, it } from "vitest";

import { buttons, section } from "../../../src/slack/text/blocks.ts";
import type { Message } from "../../../src/slack/text/message.ts";
import { isPublic } from "../../../src/slack/incoming/request.ts";
import { press, setUp, viewsIn } from "../receiver.ts";

const page: Message = { text: "Page 2", blocks: [section("Page 2")], shareable: true };
const older = { action_id: "turn:older", value: "list key 2" };
const ephemeral = { container: { type: "message", message_ts: "5.0", channel_id: "C1", is_ephemeral: true } };

describe("a button that turns a message", () => {
  it("puts what comes in the message's place, for all who see it, and offers nobody to share it", async () => {
    const { sent, shelf, asked, hear } = setUp({ run: () => page });
    await hear(press(older));
    expect(asked).toMatchObject([{ line: "list key 2", surface: "button" }]);
    expect(sent.map(({ method, body }) => [method, body])).toEqual([
      ["respond", { response_type: "in_channel", replace_original: true, text: "Page 2", blocks: [section("Page 2")] }],
    ]);
    expect(shelf.size).toBe(0);
  });

  it("stays private and shareable where the message is", async () => {
    const { sent, hear } = setUp({ run: () => page });
    await hear(press(older, ephemeral));
    expect(sent).toMatchObject([
      {
        body: {
          response_type: "ephemeral",
          replace_original: true,
          blocks: [section("Page 2"), { elements: [{ action_id: "share" }] }],
        },
      },
    ]);
  });

  it.each([
    ["for all where the message stands for all", {}, true],
    ["for one where it is shown to them alone", ephemeral, false],
    ["for one in their direct messages", { channel: { id: "D1" } }, false],
  ])("asks %s", async (_, about, expected) => {
    const { asked, hear } = setUp({ run: () => page });
    await hear(press(older, about));
    expect(asked.map(({ request }) => isPublic(request))).toEqual([expected]);
  });

  it("stays in its thread", async () => {
    const { sent, hear } = setUp({ run: () => page });
    await hear(press(older, { container: { ...ephemeral.container, thread_ts: "3.0" } }));
    expect(sent).toMatchObject([{ body: { thread_ts: "3.0", replace_original: true } }]);
  });

  it("leaves what stands where it cannot be done, and tells who pressed", async () => {
    const { sent, hear } = setUp({ run: () => Promise.reject(new Error("down")) });
    await hear(press(older));
    expect(sent).toMatchObject([
      { body: { response_type: "ephemeral", replace_original: false, text: "Error: down" } },
    ]);
  });

  it("may be pressed as fast as one likes", async () => {
    const { lines, hear } = setUp({ run: () => page });
    await hear(press(older));
    await hear(press(older));
    expect(lines().length).toBe(2);
  });

  it("shows the page that was asked for last, however long each takes", async () => {
    const slow = Promise.withResolvers<Message>();
    const { sent, hear } = setUp({ run: (_, line) => (line.endsWith("2") ? slow.promise : { text: "Page 3" }) });
    const first = hear(press(older));
    await hear(press({ ...older, value: "list key 3" }));
    slow.resolve(page);
    await first;
    expect(sent.map(({ body }) => body["text"])).toEqual(["Page 3"]);
  });

  it("shows it also where an earlier one ended meanwhile", async () => {
    const slow = { 2: Promise.withResolvers<Message>(), 3: Promise.withResolvers<Message>() };
    const { sent, hear } = setUp({ run: (_, line) => (line.endsWith("2") ? slow[2].promise : slow[3].promise) });
    const first = hear(press(older));
    const second = hear(press({ ...older, value: "list key 3" }));
    slow[2].resolve(page);
    await first;
    slow[3].resolve({ text: "Page 3" });
    await second;
    expect(sent.map(({ body }) => body["text"])).toEqual(["Page 3"]);
  });

  it("says nothing of a failure where something newer stands", async () => {
    const slow = Promise.withResolvers<Message>();
    const { sent, hear } = setUp({ run: (_, line) => (line.endsWith("2") ? slow.promise : { text: "Page 3" }) });
    const first = hear(press(older));
    await hear(press({ ...older, value: "list key 3" }));
    slow.reject(new Error("down"));
    await first;
    expect(sent.map(({ body }) => body["text"])).toEqual(["Page 3"]);
  });

  it("turns each message for itself", async () => {
    const slow = Promise.withResolvers<Message>();
    const { sent, hear } = setUp({ run: (_, line) => (line.endsWith("2") ? slow.promise : { text: "Page 3" }) });
    const first = hear(press(older));
    await hear(press({ ...older, value: "list key 3" }, { container: { message_ts: "6.0" } }));
    slow.resolve(page);
    await first;
    expect(sent.map(({ body }) => body["text"])).toEqual(["Page 3", "Page 2"]);
  });

  it("opens a form in a window, as there is no way to send it off from a message", async () => {
    const form: Message = { text: "Ask", window: { title: "Ask", form: { name: "about", submit: "Ask" } } };
    const { sent, hear } = setUp({ run: () => form });
    await hear(press(older));
    expect(viewsIn(sent)).toMatchObject([{ method: "views.open", title: "Ask" }]);
    expect(sent.length).toBe(1);
  });
});

describe("a menu", () => {
  it.each([
    ["run:show", false],
    ["turn:show", true],
  ])("with the action %s runs the line that was chosen", async (action_id, isReplaced) => {
    const { sent, lines, hear } = setUp();
    await hear(press({ type: "static_select", action_id, selected_option: { value: "models 2" } }));
    expect(lines()).toEqual(["models 2"]);
    expect(sent).toMatchObject([{ body: { replace_original: isReplaced } }]);
  });

  it.each([
    ["without a choice", { type: "static_select", action_id: "run:show", selected_option: null }],
    ["of a kind that we do not make", { type: "multi_static_select", action_id: "run:show", selected_options: [] }],
    ["that became a button without a value", { action_id: "turn" }],
  ])("%s runs nothing", async (_, action) => {
    const { lines, acks, hear } = setUp();
    await hear(press(action));
    expect(lines()).toEqual([]);
    expect(acks.length).toBe(1);
  });
});

describe("a reply that is meant for a window", () => {
  const inWindow: Message = { text: "Regions", blocks: [section("Regions")], window: { title: "Regions" } };
  const form: Message = { text: "Ask", window: { title: "Ask", form: { name: "about", submit: "Ask" } } };

  it("opens in one, which knows where it was opened", async () => {
    const { sent, hear } = setUp({ run: () => inWindow });
    await hear(press({ action_id: "run", value: "regions" }, { container: { message_ts: "5.0", thread_ts: "4.0" } }));
    expect(viewsIn(sent)).toMatchObject([
      {
        method: "views.open",
        title: "Regions",
        words: ["Regions"],
        metadata: { channel: "C1", thread: "4.0" },
        sent: { trigger_id: "1.3" },
      },
    ]);
    expect(sent.length).toBe(1);
  });

  it.each<[string, string | number]>([
    ["it comes too late", "expired_trigger_id"],
    ["Slack asks to slow down", 429],
    ["Slack is out of order", 503],
  ])("is whispered where %s", async (_, refusal) => {
    const { sent, hear } = setUp({ run: () => inWindow, refuses: { "views.open": [refusal] } });
    await hear(press({ action_id: "run", value: "regions" }));
    expect(sent.map(({ method, body }) => [method, body["text"]])).toEqual([
      ["views.open", undefined],
      ["respond", "Regions"],
    ]);
  });

  it("says that the window did not open where it would hold a form", async () => {
    const { sent, hear } = setUp({ run: () => form, refuses: { "views.open": ["expired_trigger_id"] } });
    await hear(press({ action_id: "run", value: "about key" }));
    expect(sent.at(-1)).toMatchObject({ method: "respond", body: { text: expect.stringContaining("try once more") } });
  });

  it("is whispered below a sign of work where the work takes long", async () => {
    const work = Promise.withResolvers<Message>();
    const { clock, sent, hear } = setUp({ run: () => work.promise, refuses: { "views.open": ["expired_trigger_id"] } });
    const heard = hear(press({ action_id: "run", value: "regions" }));
    await clock.advance(4_000);
    work.resolve(inWindow);
    await heard;
    expect(sent.map(({ method, body }) => [method, body["text"]])).toEqual([
      ["respond", "Working… The result follows below."],
      ["views.open", undefined],
      ["respond", "Regions"],
    ]);
  });

  it("is shown as plain text where Slack finds it malformed", async () => {
    const { sent, hear } = setUp({
      run: () => ({ ...inWindow, text: "Regions in words" }),
      refuses: { "views.open": ["invalid_arguments"] },
    });
    await hear(press({ action_id: "run", value: "regions" }));
    expect(viewsIn(sent).map(({ words }) => words)).toEqual([["Regions"], ["Regions in words"]]);
  });
});

describe("buttons of one name", () => {
  it("still run what each of them says", async () => {
    const block = buttons({ action: "run", label: "One", value: "one" }, { action: "run", label: "Two", value: "two" });
    const [, second] = block.type === "actions" ? block.elements : [];
    const { lines, hear } = setUp();
    await hear(press({ ...second }));
    expect(lines()).toEqual(["two"]);
  });
});

describe("an answer that several people may press on", () => {
  it("opens a window for each of them", async () => {
    const { sent, hear } = setUp({ run: () => ({ text: "a", window: { title: "a" } }) });
    await Promise.all([
      hear(press({ action_id: "run", value: "a" }, { trigger_id: "2.1" })),
      hear(press({ action_id: "run", value: "a" }, { trigger_id: "2.2", user: { id: "U3" } })),
    ]);
    expect(viewsIn(sent).map((view) => view.sent["trigger_id"])).toEqual(["2.1", "2.2"]);
  });
});

describe("a choice of another kind", () => {
  const good = { type: "feedback_buttons", action_id: "run:feedback", value: "feedback good K1", text: {} };
  const more = { type: "overflow", action_id: "run:more", selected_option: { text: {}, value: "ask what &amp; why?" } };

  it("runs its line: an opinion, or an entry of a small menu", async () => {
    const { lines, hear } = setUp();
    await hear(press(good));
    await hear(press(more));
    expect(lines()).toEqual(["feedback good K1", "ask what & why?"]);
  });

  it("may be changed and changed back at once where it is an opinion, so that the last one counts", async () => {
    const { lines, hear } = setUp();
    await hear(press(good));
    await hear(press({ ...good, value: "feedback bad K1" }));
    await hear(press(good));
    expect(lines()).toEqual(["feedback good K1", "feedback bad K1", "feedback good K1"]);
  });

  it("belongs to the person who asked where it says so", async () => {
    const { lines, sent, hear } = setUp();
    await hear(press({ ...more, action_id: "run:more@U7" }));
    expect(lines()).toEqual([]);
    expect(sent).toMatchObject([{ method: "respond", body: { text: expect.stringContaining("<@U7>") } }]);
  });

  it.each([
    { ...more, selected_option: null },
    { ...more, selected_option: undefined },
    { ...good, value: undefined },
    { type: "multi_static_select", action_id: "run:x", selected_options: [] },
  ])("runs nothing where nothing is chosen: %j", async (action) => {
    const { lines, sent, events, hear } = setUp();
    await hear(press(action));
    expect(lines()).toEqual([]);
    expect(sent).toEqual([]);
    expect(events).toEqual(["ack"]);
  });
});
