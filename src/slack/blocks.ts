import { limits } from "./limits.ts";
import type { Block } from "./message.ts";

interface ButtonOptions {
  action: string;
  label: string;
  value: string;
  style?: "primary" | "danger";
}

/** A paragraph of mrkdwn; what does not fit is cut. */
export function section(mrkdwn: string): Block {
  return { type: "section", text: { type: "mrkdwn", text: fit(mrkdwn, limits.section), verbatim: true } };
}

/** A heading; plain text. */
export function header(text: string): Block {
  return { type: "header", text: { type: "plain_text", text: fit(text, limits.header), emoji: true } };
}

/** Small print: each string is one element of mrkdwn. */
export function context(...mrkdwn: string[]): Block {
  const elements = mrkdwn.slice(0, limits.contextElements);
  return {
    type: "context",
    elements: elements.map((text) => ({ type: "mrkdwn", text: fit(text, limits.section), verbatim: true })),
  };
}

/** Standard Markdown, as models write it. */
export function markdown(text: string): Block {
  return { type: "markdown", text };
}

/** A row of buttons. */
export function buttons(...options: ButtonOptions[]): Block {
  return {
    type: "actions",
    elements: options.map(({ action, label, value, style }) => ({
      type: "button",
      action_id: action,
      text: { type: "plain_text", text: fit(label, limits.buttonLabel), emoji: true },
      value: fit(value, limits.buttonValue),
      ...(style && { style }),
    })),
  };
}

function fit(text: string, length: number): string {
  if (text.length <= length) return text;
  return `${text
    .slice(0, length - 1)
    .replace(/<[^>]*$/, "")
    .replace(/&[a-z]*$/, "")
    .replace(/[\uD800-\uDBFF]$/, "")}…`;
}
