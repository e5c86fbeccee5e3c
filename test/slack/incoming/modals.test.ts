import { describe, expect, it } from "vitest";

import { textField } from "../../../src/slack/text/blocks.ts";
import type { Message } from "../../../src/slack/text/message.ts";
import type { Filled } from "../../../src/slack/incoming/request.ts";
import { settled } from "../../support/clock.ts";
import { heard, pressInside, setUp, submit, suggestion, typed, useShortcut, viewsIn, windowOf } from "./receiver.ts";

const reads = () => ({ line: "about key Why?" });
const question = { question: typed("Why?") };

async function* growing(): AsyncGenerator<Message> {
  yield { text: "Oil" };
}

describe("a form", () => {
  it("becomes a line that runs where its window was opened, once the window is closed", async () => {
    const { events, acks, asked } = await heard(submit(question), { read: reads });
    expect(acks).toEqual([{ response_action: "clear" }]);
    expect(events.slice(0, 2)).toEqual(["ack", "find"]);
    const request = { team: "T1", user: "U2", channel: "C1", thread: "3.0" };
    expect(asked).toMatchObject([{ line: "about key Why?", surface: "form", request }]);
  });

  it("is read with its fields by name and with what its window said; what is empty is missing", async () => {
    const submitted: Filled[] = [];
    const { hear } = setUp({
      read(_, filled) {
        submitted.push(filled);
        return { line: "a" };
      },
    });
    const fields = {
      text: typed("  two words\nand more  "),
      choice: { type: "static_select", selected_option: { value: "daily" } },
      channel: { type: "conversations_select", selected_conversation: "C7" },
      time: { type: "timepicker", selected_time: "09:00" },
      several: { type: "multi_external_select", selected_options: [{ value: "12" }, { value: "-" }, { value: "34" }] },
      none: { type: "multi_external_select", selected_options: [] },
      empty: typed(null),
      blank: typed("  "),
      unchosen: { type: "static_select", selected_option: null },
    };
    await hear(submit(fields));
    const filled = { text: "two words\nand more", choice: "daily", channel: "C7", time: "09:00", several: "12,34" };
    expect(submitted).toEqual([{ fields: filled, state: "key" }]);
  });

  it.each<[Record<string, string>, string]>([
    [{ question: "Ask something." }, "Ask something."],
    [{ elsewhere: "Too long." }, "Too long."],
    [{ question: "" }, "I can’t use this. Change it and try again."],
  ])("with the errors %j shows them beside fields of its window, and runs nothing", async (errors, words) => {
    const { acks, lines } = await heard(submit(question), { read: () => ({ errors }) });
    expect(acks).toEqual([{ response_action: "errors", errors: { question: words } }]);
    expect(lines()).toEqual([]);
  });

  it("has the values of fields that its window hides, and says at its last field what is wrong with one of them", async () => {
    const submitted: Filled[] = [];
    const { acks, hear } = setUp({
      read(_, filled) {
        submitted.push(filled);
        return { errors: { question: "Ask something.", most: "Type a number." } };
      },
      check: async () => ({ place: "Invite me first." }),
    });
    const values = { most: "many", never: "" };
    const private_metadata = windowOf({ channel: "C1", state: "key", values });
    await hear(submit({ question: typed("Why?"), place: typed("C1") }, { private_metadata }));
    expect(submitted).toEqual([{ fields: { most: "many", question: "Why?", place: "C1" }, state: "key" }]);
    const errors = { question: "Ask something.", place: "Invite me first. Under More options: Type a number." };
    expect(acks).toEqual([{ response_action: "errors", errors }]);
  });

  it("is checked once more, and stays open as it was filled in if the check finds something wrong", async () => {
    const checked: unknown[] = [];
    const { acks, lines, hear } = setUp({
      read: reads,
      async check(...about) {
        checked.push(about);
        return { question: "Invite me first." };
      },
    });
    await hear(submit(question));
    const asker = { team: "T1", user: "U2", channel: "C1", surface: "form" };
    expect(checked).toEqual([["about", { fields: { question: "Why?" }, state: "key" }, asker]]);
    expect(acks).toEqual([{ response_action: "errors", errors: { question: "Invite me first." } }]);
    expect(lines()).toEqual([]);
  });

  it.each<[string, () => Promise<never>]>([
    ["fails", () => Promise.reject(new Error("down"))],
    ["takes too long", () => new Promise(() => undefined)],
  ])("is taken in time if that check %s", async (_, check) => {
    const { acks, clock, lines, hear } = setUp({ read: reads, check });
    const hearing = hear(submit(question));
    await settled();
    await clock.advance(2_900);
    await hearing;
    expect(acks).toEqual([{ response_action: "clear" }]);
    expect(lines()).toEqual(["about key Why?"]);
  });

  it("runs once, however often Slack delivers it", async () => {
    const { clock, acks, lines, hear } = setUp({ read: reads });
    const body = submit(question);
    await Promise.all([hear(body), hear(body)]);
    await clock.advance(60_000);
    await hear(body);
    expect(lines().length).toBe(1);
    expect(acks.length).toBe(3);
  });

  it("may be answered elsewhere than it was opened", async () => {
    const read = () => ({ line: "ask a", channel: "C7", thread: "7.0" });
    const { asked, sent } = await heard(submit(question), { read, run: growing });
    expect(asked).toMatchObject([{ request: { channel: "C7", thread: "7.0" } }]);
    expect(sent).toMatchObject([{ method: "chat.postMessage", body: { channel: "C7", thread_ts: "7.0" } }]);
  });

  it("of an organisation that names no workspace runs as well", async () => {
    const authorize = async () => ({ botToken: "xoxb-E1", botId: "B", botUserId: "UBOT" });
    const { asked } = await heard(
      { ...submit(question), team: null, enterprise: { id: "E1" }, is_enterprise_install: true },
      { read: reads, authorize },
    );
    expect(asked).toMatchObject([{ request: { team: "E1" } }]);
  });

  it("from the bot's own page keeps its window for the reply, as a second one may not show, and makes the page anew", async () => {
    const { acks, sent, hear } = setUp({ read: reads });
    await hear(submit(question, { id: "V9", private_metadata: windowOf({ channel: "U2" }) }));
    expect(acks).toMatchObject([{ response_action: "update", view: { type: "modal", title: { text: "Ask" } } }]);
    expect(viewsIn(sent)).toMatchObject([
      { method: "views.update", title: "Ask", words: ["ok"], sent: { view_id: "V9" } },
      { method: "views.publish", words: ["Hello U2"] },
    ]);
  });

  it("from the bot's own page is answered in the direct message if its window is closed, or the answer grows", async () => {
    const fromHome = submit(question, { private_metadata: windowOf({ channel: "U2" }) });
    const closed = setUp({ read: reads, refuses: { "views.update": ["not_found"] } });
    await closed.hear(fromHome);
    expect(closed.sent[1]).toMatchObject({ method: "chat.postMessage", body: { channel: "U2", text: "ok" } });
    const { sent, hear } = setUp({ read: reads, run: growing });
    await hear({ ...fromHome, api_app_id: "A1" });
    const way = "<https://slack.com/app_redirect?app=A1&amp;team=T1|Open>";
    expect(viewsIn(sent)[0]).toMatchObject({ words: [`Answering in our direct message. ${way}`] });
    expect(sent[1]).toMatchObject({ method: "chat.postMessage", body: { channel: "U2", text: "Oil" } });
  });
});

describe("a private answer to a form", () => {
  it("is shown to the asker alone in the place where the window was opened, also if the line runs elsewhere", async () => {
    const { sent } = await heard(submit(question), {
      read: () => ({ line: "a", channel: "C7" }),
      run: () => ({ text: "Done" }),
    });
    expect(sent).toMatchObject([
      { method: "chat.postEphemeral", body: { channel: "C1", thread_ts: "3.0", user: "U2", text: "Done" } },
    ]);
  });

  it("is not put into a thread that nobody has begun, where Slack would hide it", async () => {
    const { sent, hear } = setUp({ read: reads });
    const private_metadata = windowOf({ channel: "C1", thread: "3.0", isThreadNew: true });
    await hear(submit(question, { private_metadata }));
    expect(sent).toMatchObject([{ method: "chat.postEphemeral", body: { channel: "C1" } }]);
    expect(sent[0]?.body["thread_ts"]).toBeUndefined();
  });

  it.each(["user_not_in_channel", 503])("goes to the direct message if Slack says %s", async (refusal) => {
    const { sent } = await heard(submit(question), { read: reads, refuses: { "chat.postEphemeral": [refusal] } });
    expect(sent.at(-1)).toMatchObject({ method: "chat.postMessage", body: { channel: "U2", text: "ok" } });
  });
});

describe("a field on which other fields depend", () => {
  const option = (value: string) => ({ type: "static_select", selected_option: { value } });
  /** Somebody chooses in such a field, of a form in which something else is filled in already. */
  const choose = (
    value: string,
    view: Record<string, unknown> = {},
    [action, chosen]: [string, object] = ["form", option(value)],
  ) =>
    pressInside(
      { action_id: action, block_id: "kind", ...chosen },
      {
        callback_id: "digest",
        private_metadata: windowOf({ channel: "C1", state: "key" }),
        state: { values: { kind: { [action]: chosen }, words: { words: typed("hourly") } } },
        blocks: ["kind", "words"].map((name) => ({ type: "input", block_id: name })),
        ...view,
      },
    );

  const chips = { type: "multi_external_select", selected_options: [{ value: "channel" }] };

  it.each([
    ["a menu", choose("channel")],
    ["chips", choose("", {}, ["pick:kinds", chips])],
  ])("has its window built anew by what is filled in: %s", async (_, body) => {
    const asked: unknown[] = [];
    const { acks, sent, hear } = setUp({
      async rebuild(form, filled) {
        asked.push([form, filled]);
        return { text: "Which one?", window: { title: "New", form: { name: form, submit: "Save" } } };
      },
    });
    await hear(body);
    expect(acks).toEqual([undefined]);
    expect(asked).toEqual([["digest", { fields: { kind: "channel", words: "hourly" }, state: "key" }]]);
    expect(viewsIn(sent)).toMatchObject([
      { method: "views.update", words: ["Which one?"], metadata: { channel: "C1" }, sent: { view_id: "V9" } },
    ]);
  });

  it("has its further fields shown and hidden by a button, and keeps what was in them", async () => {
    const { sent, hear } = setUp({
      async rebuild() {
        const blocks = [textField({ name: "words", label: "Words" }), textField({ name: "most", label: "Most" })];
        return { text: "", blocks, window: { title: "New", form: { name: "a", submit: "Save", more: ["most"] } } };
      },
    });
    const pressed = (metadata: object, fields: Record<string, string>) =>
      pressInside(
        { action_id: "more", block_id: "b", type: "button" },
        {
          private_metadata: windowOf({ channel: "C1", state: "", ...metadata }),
          state: {
            values: Object.fromEntries(Object.entries(fields).map(([name, text]) => [name, { [name]: typed(text) }])),
          },
          blocks: Object.keys(fields).map((name) => ({ type: "input", block_id: name })),
        },
      );
    await hear(pressed({ values: { most: "5" } }, { words: "hourly" }));
    await hear(pressed({ isOpen: true }, { words: "hourly", most: "7" }));
    const [opened, closed] = viewsIn(sent).map(({ blocks, metadata }) => ({ text: JSON.stringify(blocks), metadata }));
    expect(opened?.text).toMatch(/Fewer options[^]*"initial_value":"5"/);
    expect(closed?.text).not.toContain("most");
    expect([opened?.metadata.isOpen, closed?.metadata]).toMatchObject([true, { values: { most: "7" } }]);
  });

  it("shows the window of the last choice alone, whichever is built first", async () => {
    const builds = new Map<string, () => void>();
    const { sent, hear } = setUp({
      async rebuild(_, { fields }) {
        const kind = fields["kind"] ?? "";
        await new Promise<void>((resolve) => builds.set(kind, resolve));
        return { text: kind };
      },
    });
    const both = [hear(choose("channel")), hear(choose("collection"))];
    await settled();
    builds.get("collection")?.();
    builds.get("channel")?.();
    await Promise.all(both);
    expect(viewsIn(sent)).toMatchObject([{ words: ["collection"] }]);
  });

  it("leaves the form as it is if it cannot be built", async () => {
    const { sent, events, hear } = setUp({ rebuild: () => Promise.reject(new Error("no form")) });
    await hear(choose("channel"));
    await hear(choose("channel", { private_metadata: "" }));
    expect(sent).toEqual([]);
    expect(events.join("\n")).toContain("no form");
  });
});

describe("a list that is filled as somebody types", () => {
  const choices = [{ label: "Gold wire", value: "501" }];

  it("offers what there is for their words", async () => {
    const asked: unknown[] = [];
    const { acks, hear } = setUp({
      async offer(...about) {
        asked.push(about);
        return choices;
      },
    });
    await hear(suggestion("pick:channel", "go"));
    expect(asked).toEqual([["channel", "go", { team: "T1", user: "U2" }]]);
    expect(acks).toMatchObject([{ options: [{ text: { text: "Gold wire" }, value: "501" }] }]);
  });

  it("offers at most 100, as Slack takes no more", async () => {
    const { acks, hear } = setUp({ offer: async () => Array.from({ length: 300 }, () => choices).flat() });
    await hear(suggestion("pick:channel"));
    expect((acks as { options: unknown[] }[])[0]?.options).toHaveLength(100);
  });

  it("offers nothing to somebody who gets no answers", async () => {
    const { acks, hear } = setUp({ offer: async () => choices, checkAccess: async () => "guest" });
    await hear(suggestion("pick:channel"));
    expect(acks).toEqual([{ options: [] }]);
  });

  it.each<[string, () => Promise<never>]>([
    ["fails", () => Promise.reject(new Error("down"))],
    ["takes too long", () => new Promise(() => undefined)],
  ])("says so in time if it %s, and what was chosen then counts as nothing", async (_, offer) => {
    const { acks, clock, hear } = setUp({ offer });
    const suggested = hear(suggestion("pick:channel"));
    await settled();
    await clock.advance(2_900);
    await suggested;
    const [said] = acks as { options: { text: { text: string }; value: string }[] }[];
    expect(said?.options).toMatchObject([{ text: { text: expect.stringContaining("can’t be loaded") } }]);
    const filled: Filled[] = [];
    const form = setUp({ read: (__, each) => (filled.push(each), { errors: {} }) });
    await form.hear(
      submit({ source: { type: "external_select", selected_option: { value: said?.options[0]?.value } } }),
    );
    expect(filled).toEqual([{ fields: {}, state: "key" }]);
  });
});

describe("a shortcut beside a message", () => {
  it("opens its window at once, with the words of the message", async () => {
    const { events, sent, hear } = setUp();
    await hear(useShortcut({ text: "Oil &amp; gas <@U7|ana>" }));
    expect(events[0]).toBe("ack");
    expect(viewsIn(sent)).toMatchObject([
      { method: "views.open", title: "Quoted", words: ["Oil & gas @ana"], sent: { trigger_id: "1.5" } },
    ]);
  });

  it.each([
    [{ thread_ts: "4.0" }, { channel: "C1", thread: "4.0", isThreadNew: false }],
    [{}, { channel: "C1", thread: "5.0", isThreadNew: true }],
  ])("on a message with %j is answered in its thread", async (message, metadata) => {
    const { sent } = await heard(useShortcut({ text: "a", ...message }));
    expect(viewsIn(sent)).toMatchObject([{ metadata }]);
  });

  it("says so if it is too late for the window", async () => {
    const { sent } = await heard(useShortcut({ text: "a" }), { refuses: { "views.open": ["expired_trigger_id"] } });
    const body = { response_type: "ephemeral", text: expect.stringContaining("try again") };
    expect(sent.at(-1)).toMatchObject({ method: "respond", body });
  });
});
