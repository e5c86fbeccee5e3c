import { describe, expect, it } from "vitest";

import { command, setUp } from "./receiver.ts";

describe("a slash command", () => {
  it("is acknowledged before anything is done, and answered to the asker alone", async () => {
    const { events, sent, asked, hear } = setUp();
    await hear(command("/news", "oil &amp; gas"));
    expect(events.slice(0, 2)).toEqual(["ack", "find"]);
    expect(asked).toMatchObject([
      { line: "/news oil & gas", surface: "slash", request: { team: "T1", user: "U1", channel: "C1" } },
    ]);
    expect(sent).toMatchObject([{ method: "respond", body: { response_type: "ephemeral", text: "ok" } }]);
  });

  it("is read as it was typed", async () => {
    const { lines, hear } = setUp();
    await hear(command("/bellwether", ""));
    await hear(command("/news", "from <http://x.example|x.example> &lt;now&gt;"));
    expect(lines()).toEqual(["/bellwether", "/news from x.example <now>"]);
  });

  it("is run once, however often the same request is sent, also to the next process", async () => {
    const noted = new Map<string, number>();
    const body = command("/news", "oil");
    const { lines, acks, hear } = setUp({ events: noted });
    await Promise.all([hear(body), hear(body)]);
    await hear(body);
    const next = setUp({ events: noted });
    await next.hear(body);
    expect([lines(), next.lines()]).toEqual([["/news oil"], []]);
    expect([acks.length, next.acks.length]).toEqual([3, 1]);
  });
});
