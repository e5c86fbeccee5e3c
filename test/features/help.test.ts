import { describe, expect, it } from "vitest";

import { commandNamed, commands } from "../../src/features.ts";
import type { Message } from "../../src/features/feature.ts";
import { helpView, typed } from "../../src/features/help.ts";
import { readWish } from "../../src/features/talk/wish.ts";
import { helpOfOptions } from "../../src/features/options.ts";
import { answerOf, buttonsOf, hintOf, wordsOf } from "../support/answers.ts";
import { asking, sourceServices } from "../support/builders.ts";
import { heightOf } from "./slack-limits.ts";

const help = commandNamed("help") ?? expect.unreachable("no help");

const titles = (message: Message) => [...wordsOf(message).matchAll(/^\*(.+)\*$/gm)].map(([, title]) => title);

const all = { intelligence: true, gateway: true, jurisdictions: true };

describe("help", () => {
  it("names every command with what it does, in blocks and in words: slash commands first, grouped by what one wants", () => {
    const [first, second] = [helpView(commands, all), helpView(commands, all, "more")];
    for (const command of commands) {
      const message = command.isSlash ? first : second;
      const start = typed({ ...command, usage: "" });
      expect(wordsOf(message)).toContain(`\`${start}\` ${command.summary}`);
      expect(message.text).toContain(`${start} ${command.summary.replaceAll("`", "")}`);
    }
    expect(titles(first)).toEqual(["Ask", "Follow", "Find out"]);
    expect(titles(second)).toEqual(["Ask", "Follow", "Find out", "Manage"]);
    const verbs = commands.map(({ verb }) => verb);
    expect(["ask", "alerts", "digests"].map((verb) => verbs.indexOf(verb))).toEqual(
      [verbs.indexOf("ask"), verbs.indexOf("alerts"), verbs.indexOf("digests")].toSorted((one, other) => one - other),
    );
    expect(buttonsOf(first)).toMatchObject({ "More commands": "help more" });
    expect(buttonsOf(second)).toMatchObject({ Back: "help" });
  });

  it("offers an example of every command that works here, and none that leaves something behind", () => {
    const [first, second] = [helpView(commands, all, "", "Volt & Co"), helpView(commands, all, "more", "Volt & Co")];
    const lines = Object.values({ ...buttonsOf(first), ...buttonsOf(second) });
    for (const { verb } of commands) expect(lines.filter((line) => line?.split(" ")[0] === verb)).not.toEqual([]);
    expect(lines.filter((line) => /^(alerts|digests) \w+ ./.test(line ?? ""))).toEqual([]);
    const alone = helpView(commands, { intelligence: false, gateway: true, jurisdictions: false });
    expect(Object.values(buttonsOf(alone)).filter((line) => /^(ask|entity)/.test(line ?? ""))).toEqual([]);
  });

  it("presses examples about a name that is known here, and none where no name is known", () => {
    const companyIn = (known?: string) => buttonsOf(helpView(commands, all, "company", known));
    expect(companyIn("Volt & Co")).toMatchObject({ "/company Volt & Co": "company Volt & Co" });
    expect(Object.values(companyIn()).filter((line) => line?.startsWith("company"))).toEqual([]);
    expect(JSON.stringify(buttonsOf(helpView(commands, all)))).not.toMatch(/Novalith|NVLT|Central banks/);
  });

  it("writes examples about a name that is followed in the channel, or else about one that is known", async () => {
    const offer = () => [{ id: 1, name: "Brio", type: "Company", typeName: "Company" }];
    const helpWith = async (followed?: string) => {
      const services = { ...sourceServices({ directory: { offer } }), followedName: async () => followed };
      return wordsOf(await answerOf(help, asking("alerts"), services));
    };
    expect(await helpWith("Volt & Co")).toContain("/alerts add company Volt &amp; Co hourly eager");
    expect(await helpWith()).toContain("/alerts add company Brio hourly eager");
  });

  it("says before an example is pressed what it costs", () => {
    expect(buttonsOf(helpView(commands, all))).toMatchObject({
      "/summary data breach (5 credits)": "summary data breach",
      "/news chip export (1 credit)": "news chip export",
    });
  });

  it("shows the sentence that does the same beside a command, which is one that the bot understands", () => {
    const shown = `${helpView(commands, all).text} ${helpView(commands, all, "more").text}`;
    const sentences = commands.flatMap(({ said }) => said ?? []);
    expect(sentences.length).toBeGreaterThan(2);
    for (const sentence of sentences) {
      expect(shown).toContain(`“${sentence}”`);
      expect(readWish(sentence)).toHaveProperty("act");
    }
  });

  it("leaves out commands that only buttons run", () => {
    expect(`${helpView(commands, all).text} ${helpView(commands, all, "more").text}`).not.toMatch(/LIST QUESTION/);
  });

  it.each(commands.map((command) => [command.verb, command] as const))(
    "explains %s with examples",
    async (verb, command) => {
      const message = await answerOf(help, asking(` /${verb.toUpperCase()} `), {
        ...sourceServices({ directory: { offer: () => [] } }),
        followedName: async () => undefined,
      });
      expect(message.text).toContain(typed({ ...command, usage: command.subcommands ? "" : command.usage }));
      expect(heightOf(message)).toBeLessThanOrEqual(31);
      const start = command.isSlash ? "/" : "/bellwether ";
      expect(command.examples?.length).toBeGreaterThan(0);
      const offered = [...Object.keys(buttonsOf(message)), ...wordsOf(message).replaceAll("`", "").split("\n")];
      for (const example of command.examples ?? []) {
        expect(offered.map((each) => each.replace(/ \(\d credits?\)$/, ""))).toContain(start + example);
      }
    },
  );

  it("groups the options of a command by what they are for, and keeps those of experts behind a button", () => {
    const view = helpView(commands, all, "alerts");
    expect(titles(view)).toEqual(["Where and when", "What", "How sensitive", "For example"]);
    expect(view.text).toContain("--quiet-hours 22:00-07:00 Hours without posts");
    expect(view.text).not.toMatch(/--(ratio|rest|mentions)/);
    expect(buttonsOf(view)).toMatchObject({ "All options": "help alerts options" });
    expect(buttonsOf(helpView(commands, all, "alerts options"))).toEqual({ Back: "help alerts" });
  });

  it("says what a command does in ten words", () => {
    expect(commands.filter(({ summary }) => summary.split(" ").length > 10).map(({ verb }) => verb)).toEqual([]);
  });

  it.each(["ask", "summary", "alerts", "digests"])("lists every option of %s with an example", (verb) => {
    const command = commandNamed(verb);
    const listed = helpOfOptions(command?.helpOptions ?? command?.options ?? {});
    expect(listed.length).toBeGreaterThan(1);
    const view = helpView(commands, all, `${verb} options`);
    for (const option of listed) {
      const section = view.blocks
        ?.map((block) => JSON.stringify(block))
        .find((words) => words.includes(JSON.stringify(`\`${option.typed}\``).slice(1, -1)));
      expect(section).toContain(JSON.stringify(option.help).slice(1, -1));
      expect(section).toContain(JSON.stringify(option.example).slice(1, -1));
    }
  });

  it("names the commands whose services are not set up, and where to read why", () => {
    const alone = { intelligence: false, gateway: true, jurisdictions: false };
    const first = helpView(commands, alone);
    const missing = "Not set up here: `/ask`, `/watchlists`, `/company`. `/bellwether status` says what’s missing.";
    expect(wordsOf(first)).toContain(missing);
    expect(first.text).toContain(missing.replaceAll("`", ""));
    expect(wordsOf(helpView(commands, alone, "more"))).toContain(
      "Not set up here: `/bellwether channels`, `/bellwether jurisdictions`.",
    );
    expect(wordsOf(helpView(commands, alone, "ask"))).toContain("It isn’t set up here.");
    for (const verb of [undefined, "more", "ask"])
      expect(helpView(commands, all, verb).text).not.toMatch(/not set up/i);
  });

  it("says if there is no such command", async () => {
    expect(await hintOf(help, asking("weather"), sourceServices())).toBe(
      "There’s no such command. `/bellwether help` lists them all.",
    );
    expect(await hintOf(help, asking("sumary"), sourceServices())).toContain(
      "Did you mean `/bellwether help summary`?",
    );
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
  ])("is that command if it can be meant, else a question: %s", (verb, meant, others) => {
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
    for (const { verb, examples = [] } of commands) {
      for (const example of examples) expect(example.split(" ")[0]).toBe(verb);
    }
  });
});
