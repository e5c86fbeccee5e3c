import { describe, expect, it } from "vitest";

import { commandNamed, commands } from "../../src/features.ts";
import { helpView, typed } from "../../src/features/help.ts";
import { answerOf, buttonsOf, hintOf, wordsOf } from "../support/answers.ts";
import { asking, services } from "../support/builders.ts";

const help = commandNamed("help") ?? expect.unreachable("no help");

const all = { intelligence: true, gateway: true, jurisdictions: true };

describe("help", () => {
  it("names every command as it is typed, with what it does, in blocks and in words: slash commands first", () => {
    const [first, second] = [helpView(commands, all), helpView(commands, all, "more")];
    for (const command of commands) {
      const message = command.isSlash ? first : second;
      const start = typed({ ...command, usage: "" });
      const line = wordsOf(message)
        .split("\n")
        .find((words) => words.startsWith(`\`${start}`));
      expect([`\`${typed(command)}\``, `\`${start} …\``]).toContain(line);
      expect(line?.length).toBeLessThan(40);
      expect(wordsOf(message)).toContain(`${line}\n${command.summary}`);
      expect(message.text).toContain(`${line?.replaceAll("`", "")}: ${command.summary}`);
    }
    expect(buttonsOf(first)).toEqual({ "More commands": "help more" });
    expect(buttonsOf(second)).toEqual({ Back: "help" });
  });

  it("says nothing of what only buttons run", () => {
    expect(`${helpView(commands, all).text} ${helpView(commands, all, "more").text}`).not.toMatch(/LIST QUESTION/);
  });

  it.each(commands.map((command) => [command.verb, command] as const))(
    "explains %s with examples",
    async (verb, command) => {
      const message = await answerOf(help, asking(` /${verb.toUpperCase()} `), services());
      expect(message.text).toContain(typed(command));
      const start = command.isSlash ? "/" : "/bellwether ";
      expect(command.examples.length).toBeGreaterThan(0);
      for (const example of command.examples) expect(wordsOf(message)).toContain(`\`${start}${example}\``);
    },
  );

  it("says which commands have nothing to work with, and where to read why", () => {
    const alone = { intelligence: false, gateway: true, jurisdictions: false };
    const first = helpView(commands, alone);
    const missing = "Not set up here: `/entity`, `/ask`. `/bellwether status` says what is missing.";
    expect(wordsOf(first)).toContain(missing);
    expect(first.text).toContain(missing.replaceAll("`", ""));
    expect(wordsOf(helpView(commands, alone, "more"))).toContain(
      "Not set up here: `/bellwether channels`, `/bellwether jurisdictions`.",
    );
    expect(wordsOf(helpView(commands, alone, "ask"))).toContain("It is not set up here.");
    for (const verb of [undefined, "more", "ask"])
      expect(helpView(commands, all, verb).text).not.toMatch(/not set up/i);
  });

  it("says so where there is no such command", async () => {
    expect(await hintOf(help, asking("weather"))).toBe(
      "I know no such command. Type `/bellwether help` to see them all.",
    );
    expect(await hintOf(help, asking("sumary"))).toContain("Did you mean `/bellwether help summary`?");
  });
});

const key = "01234567-89ab-4cde-8f01-23456789abcd";

describe("a mention that begins with a verb", () => {
  it.each<[verb: string, meant: string[], others: string[]]>([
    ["list", [key, `${key} 2`], ["", "of companies that are in trouble", "5 reasons"]],
    ["channels", ["", "3"], ["of distribution are changing", "3 and 4"]],
    ["trending", ["", "company", "company 2", "stock exchanges 2"], ["on the markets, but why?"]],
    ["jurisdictions", ["", "France", `at ${key}`], ["that have announced new rules for banks?"]],
    ["collections", ["", "run gold"], ["of rare coins fetch more than ever?"]],
    ["threads", ["", "on", "off"], ["about oil", "on oil", "off here"]],
    ["chat", ["gpt-4: hello", ": hello"], ["with me about oil", "is this true: oil is up?"]],
    ["prompt", [], ["attention to detail"]],
  ])("is that command where it can be meant, else a question: %s", (verb, meant, others) => {
    const fits = (text: string) => commandNamed(verb)?.fits?.(text);
    expect([...meant, ...others].filter(fits)).toEqual(meant);
  });
});

describe("the list of commands", () => {
  it("has each verb once, in one lower-case word", () => {
    const verbs = commands.map(({ verb }) => verb);
    expect(new Set(verbs).size).toBe(verbs.length);
    for (const verb of verbs) expect(verb).toMatch(/^[a-z]+$/);
  });

  it("finds a command however its verb is written", () => {
    expect([commandNamed("/News"), commandNamed(" news "), commandNamed("nws")].map((found) => found?.verb)).toEqual([
      "news",
      "news",
      undefined,
    ]);
  });

  it("begins each example with the verb", () => {
    for (const { verb, examples } of commands) {
      for (const example of examples) expect(example.split(" ")[0]).toBe(verb);
    }
  });
});
