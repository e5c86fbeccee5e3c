import { describe, expect, it } from "vitest";

import { type Completion, completionsAt, encode } from "../../../../local/workspace/page/complete.ts";
import * as fc from "../../../support/property.ts";
import { lookup, person, room } from "./build.ts";

const commands = [
  {
    command: "/alerts",
    description: "Alerts",
    usage_hint: "[list | add]",
    words: [
      { word: "list", summary: "Lists them" },
      { word: "add", summary: "Creates one" },
    ],
  },
  { command: "/news", description: "Articles", usage_hint: "[words]" },
  { command: "/newsroom", description: "The desk", usage_hint: "" },
  { command: "/ask", description: "A question", usage_hint: "[question]" },
];

const understood = { commands, words: [{ word: "trending", summary: "What spikes" }] };

/** The text after taking a suggestion, with the caret at its end. */
const taken = (before: string, { from, insert }: Completion) => before.slice(0, from) + insert;

describe("what is sent", () => {
  it.each([
    ["@Ana Lima, see #newsroom.", "<@U1>, see <#C1|newsroom>."],
    ["@ana lima and @BEN OKAFOR", "<@U1> and <@U2>"],
    ["(@Bellwether)", "(<@U9>)"],
    ["mail@Bellwether", "mail@Bellwether"],
    ["@Bellwethers and #newsroom-2", "@Bellwethers and #newsroom-2"],
    ["@Nobody in #nowhere", "@Nobody in #nowhere"],
    ["a < b & <@U1>", "a < b & <@U1>"],
  ])("for %j is %j", (text, sent) => {
    expect(encode(text, lookup())).toBe(sent);
  });
});

describe("the word after a command", () => {
  const offered = (text: string) => completionsAt(text, lookup(), understood).map((one) => taken(text, one));

  it.each([
    ["/alerts ", ["/alerts list ", "/alerts add "]],
    ["/alerts AD", ["/alerts add "]],
    ["/alerts add ", []],
    ["/alerts nothing", []],
    ["/news ", []],
    ["@Bellwether tr", ["@Bellwether trending "]],
    ["@Ana Lima tr", []],
    ["see @Bellwether tr", []],
  ])("is offered for %j as %j", (text, expected) => {
    expect(offered(text)).toEqual(expected);
  });

  it("is chosen by Enter only once some of it is typed, so that the command alone can be sent", () => {
    const [first] = completionsAt("/alerts ", lookup(), understood);
    const [second] = completionsAt("/alerts a", lookup(), understood);
    expect([first?.isOffer, second?.isOffer]).toEqual([true, undefined]);
  });
});

describe("any name", () => {
  // Not every letter: upper-case Σ alone has two lower-case forms, by its place in the word.
  const word = fc.stringMatching(/^[A-ZÀ-ÖØ-ÞА-Я一-龥][a-zß-öø-ÿа-я0-9._'-]{0,8}$/);
  const name = fc.oneof(
    word,
    fc.tuple(word, word).map((both) => both.join(" ")),
    fc.constantFrom("İlker", "Straße", "O'Neil", "Jr.", "A+B (ops)", "[bot] $1", "अमित", "Zoe\u0308"),
  );
  const people = fc
    .uniqueArray(name, { minLength: 1, maxLength: 6, selector: (one) => one.toLowerCase() })
    .map((names) => names.map((one, index) => person(`U${index}`, one, { name: `member${index}` })));

  it("that is suggested and chosen is sent as its ID", () => {
    fc.assert(
      fc.property(people, fc.constantFrom("", "hello ", "(", "a\n"), (users, before) => {
        const known = lookup({ users });
        const typed = `${before}@`;
        const found = completionsAt(typed, known, understood);
        expect(found.map(({ key }) => key)).toEqual(users.map(({ id }) => id));
        for (const one of found) expect(encode(taken(typed, one), known)).toBe(`${before}<@${one.key}> `);
      }),
    );
  });

  it("of a channel that is suggested and chosen is sent as its ID", () => {
    const channels = fc.uniqueArray(fc.stringMatching(/^[a-z0-9][a-z0-9_-]{0,12}$/), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(channels, (names) => {
        const known = lookup({ conversations: names.map((one, index) => room(`C${index}`, one)) });
        for (const one of completionsAt("in #", known, understood)) {
          expect(encode(taken("in #", one), known)).toBe(`in <#${one.key}|${one.label.slice(1)}> `);
        }
        expect(completionsAt("in #", known, understood)).toHaveLength(names.length);
      }),
    );
  });
});
