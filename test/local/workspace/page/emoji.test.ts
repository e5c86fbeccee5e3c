import { html } from "htm/preact";
import { describe, expect, it } from "vitest";
import { Mrkdwn, PlainText } from "../../../../local/workspace/page/inline.ts";
import { every, paint, visible } from "./paint.ts";

const drawn = (text: string) => {
  const root = paint(html`<${Mrkdwn} text=${text} />`);
  return { labels: every(root, "svg").map(({ attributes }) => attributes.get("aria-label")), text: visible(root) };
};

describe("emoji", () => {
  it.each([
    [":white_check_mark: done", ["white check mark"], " done"],
    ["🔺🔺 *Novalith*", ["small red triangle", "small red triangle"], " Novalith"],
    ["⚠️ slow", ["warning"], " slow"],
    ["⚠ slow", ["warning"], " slow"],
  ])("of the bot in %j are drawn, whatever fonts the machine has", (text, labels, rest) => {
    const found = drawn(text);
    expect(found.labels).toEqual(labels);
    expect(found.text.trim()).toBe(rest.trim());
  });

  it("that don’t exist stay text", () => {
    expect(drawn("👋 :no_such_thing: 3🔺").labels).toEqual(["small red triangle"]);
    expect(drawn("👋 :no_such_thing:").text).toContain("👋 :no_such_thing:");
  });

  it("are drawn in plain text, too", () => {
    expect(every(paint(html`<${PlainText} text="⬜ over :bell:" />`), "svg")).toHaveLength(2);
  });
});
