import { describe, expect, it } from "vitest";

import { asksSomething, isForOthers, smallTalkOf } from "../../../src/slack/incoming/small-talk.ts";

describe("small talk", () => {
  it.each([
    ["", "greeting"],
    ["?", "greeting"],
    ["hi", "greeting"],
    ["Hello there 👋", "greeting"],
    ["Good morning!", "greeting"],
    ["Guten Morgen", "greeting"],
    ["hola", "greeting"],
    ["thanks", "thanks"],
    ["Thanks a lot! :pray:", "thanks"],
    ["great, thank you so much", "thanks"],
    ["ok thx", "thanks"],
    ["Danke schön", "thanks"],
    ["merci beaucoup", "thanks"],
    ["ありがとうございます", "thanks"],
    [":thumbsup:", "acknowledgement"],
    [":joy: :+1::skin-tone-2: 👍", "acknowledgement"],
    ["🔥", "acknowledgement"],
    ["ok", "acknowledgement"],
    ["Got it!", "acknowledgement"],
    ["good bot", "acknowledgement"],
    ["What can you do?", "abilities"],
    ["who are you", "abilities"],
    ["Was kannst du?", "abilities"],
    ["stop", "stop"],
    ["Please stop!", "stop"],
    ["https://news.example/a?b=c", "link"],
  ])("%j is %s", (line, kind) => {
    expect(smallTalkOf(line)).toBe(kind);
  });

  it.each([
    "thanks, and gas?",
    "ok what about gas",
    "好的,石油呢?",
    "7?",
    "great powers",
    "stop-loss orders",
    "stop the Paylantic alerts",
    "https://news.example/a what is this?",
    "hi, why is oil up?",
    "what can you do about inflation?",
    "Cheers Ltd results",
    `thanks ${"ok ".repeat(200)}`,
  ])("%j is none", (line) => {
    expect(smallTalkOf(line)).toBeUndefined();
  });
});

describe("words in a thread that nobody is called in", () => {
  it.each([
    "who loses from this?",
    "really? :thinking_face:",
    "and why",
    "Why did it fall",
    "explain the chart",
    "Compare it with Paylantic",
    "summarize the three points",
    "please show me the sources",
    "Warum steigt der Kurs",
    "und wer verliert",
    "pourquoi",
    "¿Por qué sube",
    "quién pierde",
    "なぜ上がったのか",
    "詳しく教えてください",
    "パイランティックは？",
    "&gt; quoted\nwhat does it mean",
  ])("ask something: %j", (line) => {
    expect(asksSomething(line.replace("&gt;", ">"))).toBe(true);
  });

  it.each([
    "I'm calling them now",
    "we should look at this",
    "will do",
    "can do!",
    "What a day",
    "how nice",
    "not for us",
    "this is bad",
    "> what is this?\nno idea",
    "Werte folgen",
    "resumed trading at 9",
    "これはひどい",
  ])("ask nothing: %j", (line) => {
    expect(asksSomething(line)).toBe(false);
  });

  it.each([
    ["<@U7> what do you think?", true],
    ["&gt; gas fell\n<@U7> what do you think?", true],
    ["\u200B\u2060<@U7> what do you think?", true],
    ["<!here> look", true],
    ["what do you think, <@U7>?", true],
    ["Jonas, can you check?", true],
    ["who is <@U7> talking about?", false],
    ["And, by the way, who owns it?", false],
    ["so, who owns it?", false],
    ["Ok, why?", false],
  ])("%j is for others: %s", (text, expected) => {
    expect(isForOthers(text)).toBe(expected);
  });

  it("are read in a moment however long they are", () => {
    for (const piece of ["?:a:", ":a", "¿ ", "? ", "<@", "A,"]) {
      const text = piece.repeat(20_000);
      expect([asksSomething(text), isForOthers(text), smallTalkOf(text)]).toBeDefined();
    }
  });
});
