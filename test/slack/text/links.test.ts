import { type Token, marked } from "marked";
import { describe, expect, it } from "vitest";

import { writtenSoFar } from "../../../src/features/text.ts";
import { markdown } from "../../../src/slack/text/blocks.ts";
import { safeLinks } from "../../../src/slack/text/links.ts";
import { type Streamed, afterAppend, beginStream, continueStream } from "../../../src/slack/answer/native-stream.ts";
import { legible, safeMarkdown } from "../../../src/slack/text/mrkdwn.ts";
import * as fc from "../../support/property.ts";

interface Shown {
  href: string;
  words: string;
  isImage: boolean;
}

/** The links of a text as a reader of Markdown has them, with the words that they are shown as. */
function linksIn(text: string): Shown[] {
  const found: Shown[] = [];
  void marked.walkTokens(marked.lexer(text), (token: Token) => {
    if (token.type !== "link" && token.type !== "image") return;
    found.push({ href: token["href"], words: wordsOf(token), isImage: token.type === "image" });
  });
  return found;
}

const entities: Record<string, string> = { "&lt;": "<", "&gt;": ">", "&amp;": "&", "&#46;": ".", "&period;": "." };

function wordsOf(token: Token): string {
  if ("tokens" in token && token.tokens && token.tokens.length > 0) return token.tokens.map(wordsOf).join("");
  return decoded("text" in token && typeof token.text === "string" ? token.text : token.raw);
}

const decoded = (text: string) => text.replace(/&[#\w]+;/g, (entity) => entities[entity] ?? entity);

/** What is wrong with a link, by a plainer rule than the one that is tested. */
function faultOf({ href, words, isImage }: Shown): string | undefined {
  if (isImage) return "an image";
  if (!/^(?:https?:\/\/|mailto:)/i.test(href)) return `leads to ${href}`;
  // An address that is shown whole.
  if (decoded(href).endsWith(words)) return undefined;
  const [, host] = /^(?:https?:\/\/|mailto:.*?@)([a-z.]+)/i.exec(href) ?? [];
  const [, named] =
    /https?:\/\/([a-z.]+)/.exec(words) ?? /^[^a-z]*((?:[a-z]+\.)+example)(?:\/\S*)?[^a-z]*$/i.exec(words) ?? [];
  return named && named !== host ? `says ${words} and leads to ${href}` : undefined;
}

const faultsIn = (text: string) => linksIn(text).flatMap((shown) => faultOf(shown) ?? []);

describe("a link in what a model writes", () => {
  it.each([
    "[the report](https://news.example/a?b=1&c=2#d)",
    "**[Oil rises](https://news.example/oil)** and [gas](<https://news.example/gas>)",
    '[the report](https://news.example/a "As filed")',
    "[write to us](mailto:desk@news.example?subject=x)",
    "[news.example](https://www.news.example/a)",
    "[https://news.example/a](https://news.example/b_(c))",
    "[`code`](https://news.example)",
    "[see [1] there](https://news.example/1)",
    "[final-rule.pdf](https://sec.example/final-rule.pdf)",
    "[U.S. GDP rose 3.5%](https://news.example/gdp)",
    "[Booking.com cuts jobs](https://news.example/b)",
    "[Größe](https://nachrichten.example/größe)",
    "Rose.[1][2] See [3], [Reuters]: it says.",
    "<https://news.example/a> and <mailto:desk@news.example> and https://news.example/b",
    "- [ ] [a](https://news.example)\n- [x] b",
    "| a | b |\n|---|---|\n| [x](https://news.example) | `[y](z)` |",
  ])("is left as it is if it is plain: %s", (text) => {
    expect(safeMarkdown(text)).toBe(text);
  });

  it.each([
    ["[x](javascript:alert(1))", "[x]\\(javascript:alert(1))"],
    ["[x]( JaVaScRiPt:alert(1))", "[x]\\( JaVaScRiPt:alert(1))"],
    ["[x](java&#115;cript:alert(1))", "[x]\\(java&#115;cript:alert(1))"],
    ["[file](file:///etc/passwd)", "[file]\\(file:///etc/passwd)"],
    ["[slack](slack://open)", "[slack]\\(slack://open)"],
    ["[x](data:text/html,y)", "[x]\\(data:text/html,y)"],
    ["[x](/relative)", "[x]\\(/relative)"],
    ["[x](<javascript:alert(1)>)", "[x]\\(&lt;javascript:alert(1)>)"],
    ["[x](\njavascript:a)", "[x]\\(\njavascript:a)"],
    ["[x](https:evil.example)", "[x]\\(https:evil.example)"],
    ["[x](https://bank.example@evil.example/)", "[x]\\(https://bank.example@evil.example/)"],
    ["[x](https://bank.example&#64;evil.example/)", "[x]\\(https://bank.example&#64;evil.example/)"],
    ["[x](https://bank.example\\@evil.example/)", "[x]\\(https://bank.example\\@evil.example/)"],
    ["<javascript:alert(1)>", "&lt;javascript:alert(1)>"],
    ["<file:///etc/passwd>", "&lt;file:///etc/passwd>"],
  ])("is shown as text if it leads elsewhere than to the web or into a mail: %s", (text, safe) => {
    expect(safeMarkdown(text)).toBe(safe);
    expect(linksIn(safe).filter(({ href, words }) => !decoded(href).endsWith(words))).toEqual([]);
  });

  it.each([
    ["https://bank.example"],
    ["bank.example"],
    ["www.bank.example"],
    ["BANK.example/login"],
    ["**bank.example**"],
    ["`bank.example`"],
    ["bank\\.example"],
    ["bank&#46;example"],
    ["bank&period;example"],
    ["ba\u200bnk.example"],
    ["ba\u00adnk.example"],
    ["bank．example"],
    ["→ bank.example"],
    ["(bank.example)"],
    ["“bank.example”"],
    ["Log in at https://bank.example/login"],
    ["see www.bank.example now"],
    ["https://bank.example@evil.example"],
    ["ceo@bank.example"],
    ["10.0.0.1"],
    ["банк.example"],
    ["https://localhost/"],
    ["bank.example [1]"],
    [""],
    ["\u200b"],
  ])("that says it leads to %j says where it leads", (words) => {
    expect(safeMarkdown(`See [${words}](https://evil.example/a?b).`)).toBe(
      "See [evil.example](https://evil.example/a?b).",
    );
  });

  it("says the host as it is, with its port, and the address of a mail", () => {
    expect(safeLinks("[bank.example](http://EVIL.example:8080/a)")).toBe(
      "[evil.example:8080](http://EVIL.example:8080/a)",
    );
    expect(safeLinks("[bank.example](https://bаnk.example)")).toBe("[xn--bnk-6cd.example](https://bаnk.example)");
    expect(safeLinks("[ceo@bank.example](mailto:x_y@evil.example)")).toBe(
      "[x\\_y@evil.example](mailto:x_y@evil.example)",
    );
    expect(safeLinks("[ceo@bank.example](mailto:ceo@bank.example)")).toBe(
      "[ceo@bank.example](mailto:ceo@bank.example)",
    );
  });

  it("is what an image becomes, under its words or else its host", () => {
    expect(safeLinks("a ![chart](https://news.example/c.png) b")).toBe("a [chart](https://news.example/c.png) b");
    expect(safeLinks("![](https://news.example/c.png)")).toBe("[news.example](https://news.example/c.png)");
    expect(safeLinks("![bank.example](https://evil.example/c)")).toBe("[evil.example](https://evil.example/c)");
    expect(linksIn(safeLinks("![x](data:image/png;base64,AAAA)"))).toEqual([]);
    expect(faultsIn(safeLinks("[![x](https://a.example/i.png)](https://b.example)"))).toEqual([]);
  });

  it.each([
    "[a]: javascript:alert(1)\n\n[a] and [x][a]",
    "[a]:\njavascript:alert(1)\n\n[a]",
    "> [a]: <javascript:alert(1)>\n\n[a][]",
    '   [a b\\]]: javascript:alert(1) "t"\n\n[a b\\]]',
    "[`a]: javascript:alert(1)`\n\n[`a]",
    "[1]: https://evil.example\n\n[https://bank.example][1]",
    "[bank.example]: https://evil.example\n\n[bank.example]",
    "![x][1]\n\n[1]: https://evil.example/x.png",
  ])("that is written by reference is shown as it is written: %j", (text) => {
    expect(linksIn(text)).not.toEqual([]);
    const safe = safeMarkdown(text);
    expect(linksIn(safe).filter(({ href, words }) => !decoded(href).endsWith(words))).toEqual([]);
    expect(safe.replaceAll("\\:", ":").replaceAll("&lt;", "<")).toBe(text);
  });

  it("is left as it is in code", () => {
    for (const code of [
      "`[x](javascript:a)` and `![y](https://z)`",
      "```md\n[bank.example](https://evil.example)\n[a]: javascript:b\n```",
      "~~~\n![](https://evil.example)",
    ]) {
      expect(safeMarkdown(code)).toBe(code);
    }
  });

  it("is no link if readers of Markdown may not agree which words are its words", () => {
    for (const text of [
      "[https://bank.example `\n]` `\n[` ](https://evil.example)",
      '[https://bank.example <b title="[">](https://evil.example)',
      "[https://bank.example ``a`](https://evil.example) b`` c",
    ]) {
      expect(faultsIn(safeMarkdown(text))).toEqual([]);
    }
  });
});

const marks =
  "[ ] ]( ]( ) ![ [x [x]( ](https://evil.example) ](https://evil.example/ ](javascript:a) ](<https://evil.example>) " +
  "](mailto:a@evil.example) [https://bank.example](https://evil.example) [bank.example https://bank.example [a]: [a] " +
  '[bank.example][a] <javascript:a> <https://bank.example> < > <b x=" "> ` `` ``` - | \\ * ** _ ( "t" word &#46;';
const breaks = ["\n", "\n\n", "\r", " ", "> ", "- ", "\n```\n", "\n[a]: https://evil.example\n", "\n[a]: "];
const pieces = fc.constantFrom(...marks.split(" "), ...breaks);
const hostile = fc.array(pieces, { maxLength: 16 }).map((parts) => parts.join(""));

describe("what a model writes", () => {
  it("holds no link that leads elsewhere than it says, however it is put together", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(faultsIn(safeMarkdown(legible(text)))).toEqual([]);
      }),
      { numRuns: 4_000 },
    );
  });

  it("holds none while it is written either", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        for (let end = 1; end <= text.length; end++) {
          const soFar = text.slice(0, end);
          expect(faultsIn(writtenSoFar(soFar))).toEqual([]);
          expect(faultsIn(safeMarkdown(legible(soFar)))).toEqual([]);
        }
      }),
      { numRuns: 200 },
    );
  });

  it("holds none in a native stream, where nothing can be taken back", () => {
    fc.assert(
      fc.property(hostile, fc.integer({ min: 1, max: 9 }), (text, step) => {
        let streamed: Streamed | undefined;
        for (let end = step; end <= text.length + step; end += step) {
          const page = { text: "", blocks: [markdown(writtenSoFar(text.slice(0, end)))] };
          if (!streamed) ({ streamed } = beginStream(page));
          else {
            const next = continueStream(streamed, page, end >= text.length);
            if (next) streamed = afterAppend(streamed, page, next.chunks);
            if (next?.by === "stop") break;
          }
          expect(faultsIn(streamed.words)).toEqual([]);
        }
      }),
      { numRuns: 800 },
    );
  });

  it("is left as it is if it has no link", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const plain = text.replace(/\]+(?=[(:])/g, "");
        expect(safeLinks(plain)).toBe(plain);
      }),
    );
  });

  it("is read once: nothing of a long text is read again for each mark in it", () => {
    const repeated =
      "[ ] ]( []( [x](https://a.example/ [[x](https://a.example) [https://bank.example](https://evil.example) ![ [` \\[ " +
      "[a](mailto:aaaa a. [a. &#46;[ \n[a]: \n[a]:b [x](\n [x](\t\t <b[ `[x](y)`";
    for (const filler of ["a", ".", "-", "a.", "a-", "://", "www.", "&#46;", "&a", "@", " ", "\\", "*", "\u200b"]) {
      const words = `a${filler.repeat(200_000)}a`;
      expect(safeLinks(`[${words}](https://evil.example)`)).toMatch(/\]\(https:\/\/evil\.example\)$/);
    }
    for (const piece of [...repeated.split(" "), "\n", " "]) {
      for (const end of ["", "](https://evil.example)", "]: x"]) {
        const text = piece.repeat(100_000 / piece.length) + end;
        // With so many marks, to look through the rest at each would take minutes.
        expect(safeLinks(text).length).toBeGreaterThan(text.length / 4);
      }
    }
  });
});
