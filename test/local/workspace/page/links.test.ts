import { html } from "htm/preact";
import { describe, expect, it } from "vitest";

import { Blocks } from "../../../../local/workspace/page/blocks.ts";
import { Mrkdwn } from "../../../../local/workspace/page/inline.ts";
import { Markdown } from "../../../../local/workspace/page/markdown.ts";
import type { Fields } from "../../../../local/workspace/page/fields.ts";
import * as fc from "../../../support/property.ts";
import { type Drawn, every, everyNode, paint, visible } from "./paint.ts";

const markdown = (text: string) => paint(html`<${Markdown} text=${text} />`);
const mrkdwn = (text: string) => paint(html`<${Mrkdwn} text=${text} />`);
const blocks = (...list: Fields[]) => paint(html`<${Blocks} blocks=${list} />`);

const hrefs = (drawn: Drawn) => every(drawn, "a").map((link) => link.attributes.get("href"));

/** How a browser would follow each address, read by the browsers' own rules; one that cannot be read leads nowhere. */
function schemes(drawn: Drawn): string[] {
  return everyNode(drawn).flatMap(({ attributes }) =>
    ["href", "src", "action", "formaction", "xlink:href", "srcdoc"].flatMap((name) => {
      const address = attributes.get(name);
      const url = address === undefined ? null : URL.parse(address, "page:/");
      return url ? [url.protocol] : [];
    }),
  );
}

const harmless = ["http:", "https:", "mailto:", "page:"];

const disguises = [
  "javascript:alert(1)",
  "JaVaScRiPt:alert(1)",
  " javascript:alert(1)",
  "\u0001javascript:alert(1)",
  "java\tscript:alert(1)",
  "java\nscript:alert(1)",
  "javascript&colon;alert(1)",
  "javascript&#58;alert(1)",
  "javascript&#x3a;alert(1)",
  "&#106;avascript:alert(1)",
  "&#x6A;avascript:alert(1)",
  "javascript%3Aalert(1)",
  "vbscript:msgbox(1)",
  "data:text/html,<script>alert(1)</script>",
  "file:///etc/passwd",
  "blob:https://a.example/1",
  "//evil.example",
];

describe("a dangerous address", () => {
  it.each(disguises)("is no link in Markdown: %j", (address) => {
    const ways = [
      `[x](${address})`,
      `[x](<${address}>)`,
      `<${address}>`,
      `![x](${address})`,
      `[x][1]\n\n[1]: ${address}`,
    ];
    for (const way of ways) {
      const drawn = markdown(way);
      expect({ way, links: hrefs(drawn), pictures: every(drawn, "img") }).toEqual({ way, links: [], pictures: [] });
    }
  });

  it.each(disguises)("is no link in mrkdwn: %j", (address) => {
    const ways = [`<${address}|x>`, `<${address}>`, `<!date^1700000000^{date}^${address}|x>`, `*<${address}|_x_>*`];
    for (const way of ways) expect({ way, links: hrefs(mrkdwn(way)) }).toEqual({ way, links: [] });
  });

  it.each(disguises)("is no link in a block: %j", (url) => {
    const drawn = blocks(
      { type: "actions", elements: [{ type: "button", text: { type: "plain_text", text: "Open" }, url }] },
      { type: "task_card", title: "Search", status: "complete", sources: [{ type: "url", url, text: "x" }] },
    );
    expect(hrefs(drawn)).toEqual([]);
    expect(every(drawn, "button")).toHaveLength(1);
  });
});

describe("Markdown", () => {
  it("links to addresses of the web and of mail, in a window of their own", () => {
    const drawn = markdown("[a](https://a.example/?x=1&y=2) <mailto:b@c.example> https://d.example");
    expect(hrefs(drawn)).toEqual(["https://a.example/?x=1&y=2", "mailto:b@c.example", "https://d.example"]);
    expect(every(drawn, "a").map((link) => link.attributes.get("rel"))).toEqual(Array(3).fill("noopener noreferrer"));
  });

  it("shows HTML as text", () => {
    const source = '<script>alert(1)</script><img src="x" onerror="alert(1)">';
    const drawn = markdown(`before\n\n${source}\n\nin a line: <b onclick="x()">bold</b>`);
    expect(everyNode(drawn).filter(({ tag }) => ["script", "img", "b"].includes(tag))).toEqual([]);
    expect(visible(drawn)).toContain(source);
    expect(visible(drawn)).toContain('in a line: <b onclick="x()">bold</b>');
  });

  it("undoes character references and leaves unknown ones as they are", () => {
    expect(visible(markdown("a &amp; b &lt;c&gt; &#8364; &#x1F600; &hellip;"))).toBe("a & b <c> € 😀 …");
    expect(visible(markdown("&constructor; &toString; &nosuch; &#0; &#x110000;"))).toBe(
      "&constructor; &toString; &nosuch; \ufffd \ufffd",
    );
  });

  it("formats a line that begins with a mention of everyone, and no mention in code", () => {
    const drawn = markdown("<!channel> **now** <!doctype>\nand <@U1|Ana> `<!here>`");
    expect(every(drawn, "strong").map(visible)).toEqual(["now"]);
    expect(visible(drawn)).toMatch(/^@channel now .*and @Ana <!here>$/s);
  });

  it("draws headings, lists and tables", () => {
    const drawn = markdown("# A\n\n3. x\n4. y\n\n| h | i |\n|---|--:|\n| 1 | 2 |");
    expect(every(drawn, "ol").map((list) => list.attributes.get("start"))).toEqual(["3"]);
    expect(every(drawn, "li").map((item) => visible(item).trim())).toEqual(["x", "y"]);
    expect(every(drawn, "th").map(visible)).toEqual(["h", "i"]);
    expect(every(drawn, "td").map((cell) => cell.attributes.get("class"))).toEqual(["", "align-right"]);
  });
});

describe("whatever an app sends", () => {
  const marks = "[x]( ) < > | ![ ]( [1]: ` * https://a.example <a\thref=' '> <svg/onload=x> a".split(" ");
  const piece = fc.constantFrom(...disguises, ...marks, "\n", " ");
  const nasty = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));

  it("leads nowhere but to the web, to mail and inside the page", () => {
    fc.assert(
      fc.property(nasty, (text) => {
        for (const drawn of [markdown(text), mrkdwn(text)]) {
          for (const scheme of schemes(drawn)) expect(harmless).toContain(scheme);
        }
      }),
      { numRuns: 200 },
    );
  });

  it.each(["constructor", "__proto__", "toString", "nosuch", ""])(
    "a block of type %j is named and not drawn",
    (type) => {
      expect(visible(blocks({ type }))).toMatch(/A block of type .+, which this page does not draw/);
    },
  );
});
