import { describe, expect, it } from "vitest";

import { section } from "../../../src/slack/text/blocks.ts";
import type { Message } from "../../../src/slack/text/message.ts";
import { isPublic, onItsOwn } from "../../../src/slack/incoming/request.ts";
import { heard, press, pressInside, setUp, viewsIn } from "./receiver.ts";

const page: Message = { text: "Page 2", blocks: [section("Page 2")], shareable: true };
const older = { action_id: "turn:older", value: "list key 2" };
const ephemeral = { container: { type: "message", message_ts: "5.0", channel_id: "C1", is_ephemeral: true } };

const found: Message = { text: "France", blocks: [section("France")], window: { title: "France" } };
const run = { action_id: "run:at", value: "jurisdictions at 1" };
const turn = { action_id: "turn:next", value: "jurisdictions in 1 2" };
const home = { id: "V1", type: "home", private_metadata: "" };

async function* growing(): AsyncGenerator<Message> {
  yield { text: "Oil" };
}

describe("a button", () => {
  it("runs its line for the person who pressed it, and shows the result beside the message", async () => {
    const { events, sent, asked } = await heard(press({ action_id: "run:2", value: "news oil" }));
    expect(events.slice(0, 2)).toEqual(["ack", "find"]);
    expect(asked).toMatchObject([
      { line: "news oil", surface: "button", request: { team: "T1", user: "U2", channel: "C1", thread: undefined } },
    ]);
    expect(sent).toMatchObject([{ method: "respond", body: { replace_original: false, response_type: "ephemeral" } }]);
  });

  it("in a ⋯ menu of one thing runs the line that its entry and its action name together", async () => {
    const chosen = { type: "overflow", selected_option: { value: "sum" } };
    const { asked } = await heard(press({ ...chosen, action_id: "run:below:article:on:key:3" }));
    expect(asked).toMatchObject([{ line: "sum key:3", surface: "button" }]);
  });

  it("in a ⋯ menu replaces the message that holds it, unless its entry makes a message of its own", async () => {
    const choose = (value: string) =>
      heard(press({ type: "overflow", action_id: "turn:more-1", selected_option: { value } }));
    const [pause, test] = [await choose("alerts pause 1 list 1"), await choose(onItsOwn("alerts test 1"))];
    expect([pause.asked, test.asked]).toMatchObject([[{ line: "alerts pause 1 list 1" }], [{ line: "alerts test 1" }]]);
    expect([pause.sent[0]?.body, test.sent[0]?.body]).toMatchObject([
      { replace_original: true },
      { replace_original: false },
    ]);
  });

  it("runs once if it is tapped twice, and again later", async () => {
    const { clock, lines, hear } = setUp();
    const tap = press({ action_id: "run:1", value: "a" });
    await Promise.all([hear(tap), hear(tap)]);
    await clock.advance(1_500);
    await hear(tap);
    expect(lines()).toEqual(["a"]);
    await clock.advance(1);
    await hear(tap);
    expect(lines()).toEqual(["a", "a"]);
  });

  it("shares a reply once", async () => {
    const { sent, shared, hear } = setUp();
    shared.set("key", { text: "Oil rose", blocks: [] });
    await Promise.all([
      hear(press({ action_id: "share", value: "key" })),
      hear(press({ action_id: "share", value: "key" })),
    ]);
    const inChannel = sent.filter(({ body }) => body["response_type"] === "in_channel");
    expect(inChannel).toMatchObject([{ body: { text: "Oil rose" } }]);
  });
});

describe("a button in a thread", () => {
  it("shares a reply there", async () => {
    const { sent, shared, hear } = setUp();
    shared.set("key", page);
    await hear(press({ action_id: "share", value: "key" }, { container: { message_ts: "5.0", thread_ts: "4.0" } }));
    expect(sent).toMatchObject([
      { body: { response_type: "in_channel", thread_ts: "4.0" } },
      { body: { delete_original: true } },
    ]);
    expect(sent[1]?.body).not.toHaveProperty("thread_ts");
  });
});

describe("a button whose answer goes below its message", () => {
  const ask = { action_id: "run:below", value: "about key" };

  it("goes into the thread of its message in a direct message, too, which shows its threads", async () => {
    const { asked, sent } = await heard(press(ask, { channel: { id: "D1" } }), {
      async *run() {
        yield { text: "Because." };
      },
    });
    expect(asked[0]?.request).toMatchObject({ channel: "D1", thread: "5.0" });
    expect(sent.map(({ method, body }) => [method, body["thread_ts"]])).toEqual([["chat.postMessage", "5.0"]]);
  });

  it("writes a growing answer in the thread of that message, which it may begin, and tells the person who pressed", async () => {
    const { sent, asked } = await heard(press(ask), { run: growing });
    expect(asked).toMatchObject([{ request: { channel: "C1", thread: "5.0", isThreadNew: true } }]);
    expect(sent).toMatchObject([
      { method: "respond", body: { response_type: "ephemeral", replace_original: false } },
      { method: "chat.postMessage", body: { channel: "C1", thread_ts: "5.0" } },
    ]);
  });

  it("goes on in the thread that its message has, and tells the person who pressed, who looks at the channel", async () => {
    const root = { container: { message_ts: "5.0", thread_ts: "5.0" } };
    const { sent, asked } = await heard(press(ask, root), { run: growing });
    expect(asked[0]?.request.isThreadNew).toBeUndefined();
    expect(sent).toMatchObject([
      { method: "respond", body: { response_type: "ephemeral" } },
      { method: "chat.postMessage", body: { channel: "C1", thread_ts: "5.0" } },
    ]);
    expect(sent[0]?.body).not.toHaveProperty("thread_ts");
  });

  it("says nothing beside an answer to a press in a thread", async () => {
    const reply = { container: { message_ts: "6.0", thread_ts: "5.0" } };
    const { sent } = await heard(press(ask, reply), { run: growing });
    expect(sent).toMatchObject([{ method: "chat.postMessage", body: { channel: "C1", thread_ts: "5.0" } }]);
  });

  it("begins no thread below what one person alone can see", async () => {
    const { sent, asked } = await heard(press(ask, ephemeral), { run: growing });
    expect(asked).toMatchObject([{ request: { channel: "C1", thread: undefined } }]);
    expect(asked[0]?.request.isThreadNew).toBeUndefined();
    expect(sent[0]?.body).not.toHaveProperty("thread_ts");
  });
});

describe("a button that turns a message", () => {
  it("puts the result in the message's place, for everybody who sees it, and offers nobody to share it", async () => {
    const { sent, shared, asked } = await heard(press(older), { run: () => page });
    expect(asked).toMatchObject([{ line: "list key 2", surface: "button" }]);
    expect(sent.map(({ method, body }) => [method, body])).toEqual([
      ["respond", { response_type: "in_channel", replace_original: true, text: "Page 2", blocks: [section("Page 2")] }],
    ]);
    expect(shared.size).toBe(0);
  });

  it("stays private and shareable if the message is", async () => {
    const { sent } = await heard(press(older, ephemeral), { run: () => page });
    const blocks = [section("Page 2"), { elements: [{ action_id: "share" }] }];
    expect(sent).toMatchObject([{ body: { response_type: "ephemeral", replace_original: true, blocks } }]);
  });

  it("asks for everybody if the whole channel sees the message, else for one person", async () => {
    const { asked, hear } = setUp({ run: () => page });
    for (const about of [{}, ephemeral, { channel: { id: "D1" } }]) await hear(press(older, about));
    expect(asked.map(({ request }) => isPublic(request))).toEqual([true, false, false]);
  });

  it("leaves the message as it is if its line fails, and tells the person who pressed", async () => {
    const { sent } = await heard(press(older), { run: () => Promise.reject(new Error("down")) });
    expect(sent).toMatchObject([
      { body: { response_type: "ephemeral", replace_original: false, text: "Error: down" } },
    ]);
  });

  it("opens a form in a window, as there is no way to send it off from a message", async () => {
    const form: Message = { text: "Ask", window: { title: "Ask", form: { name: "about", submit: "Ask" } } };
    const { sent } = await heard(press(older), { run: () => form });
    expect(viewsIn(sent)).toMatchObject([{ method: "views.open", title: "Ask" }]);
    expect(sent.length).toBe(1);
  });
});

describe("a button whose result is seen in its message", () => {
  const story = { type: "section", block_id: "b", text: { type: "mrkdwn", text: "Oil rose" } };
  const rest = [section("Digest"), section("Gas fell")];
  const posted = { message: { type: "message", ts: "5.0", text: "Digest", blocks: [rest[0], story, rest[1]] } };
  const hide = { action_id: "run:below:more", value: "hide 1" };
  const hidden: Message = { text: "Hidden", blocks: [section("Hidden")], inPlace: [section("~Oil rose~")] };

  it("puts it in the place of the block that was pressed, and says no more", async () => {
    const { sent } = await heard(press(hide, posted), { run: () => hidden });
    const blocks = [rest[0], section("~Oil rose~"), rest[1]];
    expect(sent).toMatchObject([
      { body: { response_type: "in_channel", replace_original: true, text: "Digest", blocks } },
    ]);
    expect(sent).toHaveLength(1);
  });

  it.each([
    ["one person alone sees the message", { ...posted, ...ephemeral }, {}],
    ["Slack doesn’t show the message", {}, {}],
    ["Slack doesn’t take it", posted, { respond: [400] }],
  ])("tells whoever pressed if %s", async (_, about, refuses) => {
    const { sent } = await heard(press(hide, about), { run: () => hidden, refuses });
    expect(sent.at(-1)).toMatchObject({
      body: { response_type: "ephemeral", replace_original: false, text: "Hidden" },
    });
  });

  it("says nothing if the message is edited anyway, but tells whoever pressed elsewhere", async () => {
    const taken: Message = { text: "You’re on it.", inPlace: "edited" };
    const { sent } = await heard(press({ action_id: "run:take", value: "take 1" }), { run: () => taken });
    expect(sent).toEqual([]);
    const inside = await heard(pressInside({ action_id: "run:take", value: "take 1" }), { run: () => taken });
    expect(viewsIn(inside.sent)).toHaveLength(1);
  });
});

describe("a menu", () => {
  it.each([
    ["run:show", false],
    ["turn:show", true],
  ])("with the action %s runs the line that was chosen", async (action_id, isReplaced) => {
    const { sent, lines } = await heard(
      press({ type: "static_select", action_id, selected_option: { value: "models 2" } }),
    );
    expect(lines()).toEqual(["models 2"]);
    expect(sent).toMatchObject([{ body: { replace_original: isReplaced } }]);
  });

  it("without a choice runs nothing", async () => {
    const { lines, acks } = await heard(press({ type: "static_select", action_id: "run:show", selected_option: null }));
    expect([lines(), acks.length]).toEqual([[], 1]);
  });
});

describe("an opinion", () => {
  const good = { type: "feedback_buttons", action_id: "run:feedback", value: "feedback good K1", text: {} };

  it("may be changed and changed back at once, so that the last one counts", async () => {
    const { lines, hear } = setUp();
    await hear(press(good));
    await hear(press({ ...good, value: "feedback bad K1" }));
    await hear(press(good));
    expect(lines()).toEqual(["feedback good K1", "feedback bad K1", "feedback good K1"]);
  });
});

describe("a reply that is meant for a window", () => {
  const inWindow: Message = { text: "Regions", blocks: [section("Regions")], window: { title: "Regions" } };

  it("opens in one, which knows where it was opened", async () => {
    const { sent } = await heard(
      press({ action_id: "run", value: "regions" }, { container: { message_ts: "5.0", thread_ts: "4.0" } }),
      { run: () => inWindow },
    );
    expect(viewsIn(sent)).toMatchObject([
      {
        method: "views.open",
        title: "Regions",
        metadata: { channel: "C1", thread: "4.0" },
        sent: { trigger_id: "1.3" },
      },
    ]);
    expect(sent.length).toBe(1);
  });

  it("is shown to the asker alone if it comes too late", async () => {
    const { sent } = await heard(press({ action_id: "run", value: "regions" }), {
      run: () => inWindow,
      refuses: { "views.open": ["expired_trigger_id"] },
    });
    expect(sent.map(({ method, body }) => [method, body["text"]])).toEqual([
      ["views.open", undefined],
      ["respond", "Regions"],
    ]);
  });
});

describe("a button in a window", () => {
  it("shows in a new window upon it that it is at work, and then the result", async () => {
    const work = Promise.withResolvers<Message>();
    const { clock, sent, hear } = setUp({ run: () => work.promise });
    const handled = hear(pressInside(run));
    await clock.advance(2_000);
    expect(viewsIn(sent)).toMatchObject([{ method: "views.push", words: ["Working…"] }]);
    work.resolve(found);
    await handled;
    expect(viewsIn(sent)).toMatchObject([{}, { method: "views.update", words: ["France"], sent: { view_id: "V1" } }]);
  });

  it("is answered in the window itself if no further one fits upon it", async () => {
    const refuses = { "views.push": ["push_limit_reached", "push_limit_reached"] };
    const { sent } = await heard(pressInside(run), { run: () => found, refuses });
    expect(viewsIn(sent).at(-1)).toMatchObject({ method: "views.update", words: ["France"], sent: { view_id: "V9" } });
  });

  it("writes the reply in the direct message if no window can be shown", async () => {
    const refuses = { "views.push": ["expired_trigger_id", "expired_trigger_id"], "views.update": ["not_found"] };
    const { sent } = await heard(pressInside(run), { run: () => found, refuses });
    expect(sent.at(-1)).toMatchObject({ method: "chat.postMessage", body: { channel: "U2", text: "France" } });
  });

  it("never puts a failure where the window's content stands", async () => {
    const refuses = { "views.push": ["push_limit_reached", "push_limit_reached"] };
    const { sent } = await heard(pressInside(turn), { run: () => Promise.reject(new Error("down")), refuses });
    expect(sent.map(({ method }) => method)).toEqual(["views.push", "chat.postMessage"]);
  });

  it("writes a growing answer in the direct message, and says so in a window", async () => {
    const { sent, asked } = await heard(pressInside(run), { run: growing });
    expect(viewsIn(sent)).toMatchObject([{ words: [expect.stringContaining("in our direct message")] }]);
    expect(sent[1]).toMatchObject({ method: "chat.postMessage", body: { channel: "U2", text: "Oil" } });
    expect(await asked[0]?.request.posted).toMatchObject({ channel: "D2" });
  });
});

describe("a button that turns a window", () => {
  it("puts the result in its place", async () => {
    const { sent } = await heard(pressInside(turn), { run: () => found });
    expect(viewsIn(sent)).toMatchObject([
      { method: "views.update", title: "France", sent: { view_id: "V9" }, metadata: { channel: "C1", thread: "3.0" } },
    ]);
    expect(sent.length).toBe(1);
  });

  it("opens a new one if it was closed meanwhile", async () => {
    const { sent } = await heard(pressInside(turn), { run: () => found, refuses: { "views.update": ["not_found"] } });
    expect(viewsIn(sent).at(-1)).toMatchObject({ method: "views.push", title: "France" });
  });
});

describe("a button on the bot's own page", () => {
  it.each([run, turn])("opens its result in a window, and makes the page anew", async (action) => {
    const { sent } = await heard(pressInside(action, home), { run: () => found });
    expect(viewsIn(sent)).toMatchObject([
      { method: "views.open", title: "France", metadata: { channel: "U2" } },
      { method: "views.publish", words: ["Hello U2"], sent: { user_id: "U2" } },
    ]);
  });
});
