import { html } from "htm/preact";
import { expect, test } from "vitest";

import { Working } from "../../../../local/workspace/page/working.ts";
import type { WorkspaceStatus } from "../../../../local/workspace/protocol.ts";
import { every, paint, visible } from "./paint.ts";

const working: WorkspaceStatus = { channel: "D1", thread_ts: "1.0", status: "is thinking…" };
const drawn = (more: Partial<WorkspaceStatus> = {}) => paint(html`<${Working} working=${{ ...working, ...more }} />`);

test("what goes on can be stopped where the app hears of that", () => {
  expect(visible(drawn({ canStop: true }))).toContain("is thinking…");
  expect(every(drawn({ canStop: true }), "button").map(visible)).toEqual(["Stop"]);
});

test("what goes on has no button where nobody would hear it", () => {
  expect(visible(drawn())).toContain("is thinking…");
  expect(every(drawn(), "button")).toEqual([]);
});
