import { describe, expect, it } from "vitest";

import { section } from "../../../src/slack/text/blocks.ts";
import type { Message } from "../../../src/slack/text/message.ts";
import { press, setUp, viewsIn } from "../receiver.ts";

const page: Message = { text: "Page 2", blocks: [section("Page 2")], shareable: true };
const ephemeral = { container: { type: "message", message_ts: "5.0", channel_id: "C1", is_ephemeral: true } };

async function* growing(): AsyncGenerator<Message> {
  yield { text: "Oil" };
}

describe("a button in a thread", () => {
  it("is answered in the thread", async () => {
    const { sent, hear } = setUp({ run: () => page });
    await hear(press({ action_id: "run", value: "a" }, { container: { message_ts: "5.0", thread_ts: "4.0" } }));
    expect(sent).toMatchObject([{ body: { thread_ts: "4.0", response_type: "ephemeral" } }]);
  });

  it("shares a reply there", async () => {
    const { sent, shelf, hear } = setUp();
    shelf.set("key", page);
    await hear(press({ action_id: "share", value: "key" }, { container: { message_ts: "5.0", thread_ts: "4.0" } }));
    expect(sent).toMatchObject([
      { body: { response_type: "in_channel", thread_ts: "4.0" } },
      { body: { delete_original: true } },
    ]);
    expect(sent[1]?.body).not.toHaveProperty("thread_ts");
  });

  it("writes a growing answer there", async () => {
    const { sent, hear } = setUp({ run: growing });
    await hear(press({ action_id: "run", value: "ask" }, { container: { message_ts: "5.0", thread_ts: "4.0" } }));
    expect(sent).toMatchObject([{ method: "chat.postMessage", body: { channel: "C1", thread_ts: "4.0" } }]);
  });
});

describe("a button of what goes on below its message", () => {
  const ask = { action_id: "run:below", value: "about key" };

  it("writes a growing answer in the thread of that message, which it may begin", async () => {
    const { sent, asked, hear } = setUp({ run: growing });
    await hear(press(ask));
    expect(asked).toMatchObject([{ request: { channel: "C1", thread: "5.0", isThreadNew: true } }]);
    expect(sent).toMatchObject([{ method: "chat.postMessage", body: { channel: "C1", thread_ts: "5.0" } }]);
  });

  it("goes on in the thread that the message stands in", async () => {
    const { asked, hear } = setUp({ run: growing });
    await hear(press(ask, { container: { message_ts: "5.0", thread_ts: "4.0" } }));
    expect(asked).toMatchObject([{ request: { thread: "4.0", isThreadNew: undefined } }]);
  });

  it("begins no thread below what one person alone can see", async () => {
    const { sent, asked, hear } = setUp({ run: growing });
    await hear(press(ask, ephemeral));
    expect(asked).toMatchObject([{ request: { channel: "C1", thread: undefined, isThreadNew: undefined } }]);
    expect(sent[0]?.body).not.toHaveProperty("thread_ts");
  });

  it("opens a window whose form is answered there", async () => {
    const form: Message = { text: "Ask", window: { title: "Ask", form: { name: "about", submit: "Ask" } } };
    const { sent, hear } = setUp({ run: () => form });
    await hear(press(ask));
    expect(viewsIn(sent)).toMatchObject([{ metadata: { channel: "C1", thread: "5.0", isThreadNew: true } }]);
  });
});
