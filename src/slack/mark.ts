import { createHash } from "node:crypto";

import type { Block } from "./text/message.ts";

interface Marked {
  text: string;
  blocks?: Block[] | undefined;
}

/** What a message can be known by in Slack: its words as they are read aloud, and the buttons below them. */
export function markOf({ text, blocks = [] }: Marked): string {
  const rows = blocks.flatMap((block) => (block.type === "actions" ? block.elements : []));
  const seen = JSON.stringify([text, rows.map(({ action_id: name }) => name)]);
  return createHash("sha256").update(seen).digest("base64url");
}
