import { html } from "htm/preact";
import { expect, test } from "vitest";
import { StatusLine } from "../../../../local/workspace/page/message.ts";
import type { WorkspaceStatus } from "../../../../local/workspace/protocol.ts";
import { every, paint, visible } from "./paint.ts";

const shown: WorkspaceStatus = { channel: "D1", thread_ts: "1.0", status: "is thinking…" };

test.each([
  ["a button where the app hears of a press", { ...shown, canStop: true }, ["Stop"]],
  ["no button where it would not", shown, []],
])("what the app is doing has %s", (_when, status, buttons) => {
  const drawn = paint(html`<${StatusLine} shown=${status} />`);
  expect(visible(drawn)).toContain("is thinking…");
  expect(every(drawn, "button").map(visible)).toEqual(buttons);
});
