import { describe, expect, it } from "vitest";

import { UsageError } from "../src/apis/errors.ts";
import { commands } from "../src/features.ts";
import type { Request } from "../src/slack/incoming/request.ts";
import { statesOf } from "./support/answers.ts";
import { asking, credits, streamOf } from "./support/builders.ts";
import { routesOn } from "./support/features.ts";

/** What a line leads to: the verb and the text after it, as the services see it. */
async function reached(line: string, surface: Request["surface"]) {
  const seen: string[] = [];
  const to = routesOn({
    directory: { offer: () => [], search: () => ({ near: [] }) },
    gateway: {
      async search(query) {
        seen.push(query);
        return { query, articles: [], total: 0, credits: credits() };
      },
    },
    intelligence: {
      trending: async () => [],
      generate({ messages }) {
        seen.push(JSON.stringify(messages.at(-1)?.content));
        return streamOf();
      },
    },
    configured: { intelligence: false, gateway: false, jurisdictions: false },
  });
  const { text: _, ...request } = asking("", { surface });
  const route = to.find(line, surface);
  await statesOf(route.run(request));
  return [route.name, ...seen].join(" ");
}

const routes = routesOn({ directory: { search: () => ({ near: [] }) } });

function complaint(line: string): string {
  try {
    routes.find(line, "slash");
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  return "none";
}

describe("a line", () => {
  it.each([
    ["slash", "/news oil supply"],
    ["slash", "/bellwether news oil supply"],
    ["slash", "/bellwether /news oil supply"],
    ["slash", "/NEWS   oil supply"],
    ["mention", "news oil supply"],
    ["mention", "News oil supply"],
    ["mention", "bellwether news oil supply"],
    ["direct", "news oil supply"],
    ["direct", "/news\noil supply"],
    ["button", "news oil supply"],
  ] as const)("means the same on every surface: %s “%s”", async (surface, line) => {
    expect(await reached(line, surface)).toBe("news oil supply");
  });

  it.each([
    ["direct", "help"],
    ["direct", "Help!"],
    ["mention", "help news"],
    ["slash", "/bellwether"],
    ["slash", "/bellwether help"],
    ["button", "help"],
  ] as const)("that asks for help gets it: %s “%s”", async (surface, line) => {
    expect(await reached(line, surface)).toBe("help");
  });

  it.each([
    ["mention", "trending", "trending"],
    ["direct", "Trending?", "trending"],
    ["mention", "trending companies", "trending"],
    ["direct", "status", "status"],
    ["slash", "/bellwether status please", "status"],
  ] as const)("leads to the command that it begins with: %s “%s”", async (surface, line, verb) => {
    expect(await reached(line, surface)).toBe(verb);
  });

  it.each([
    "why is gold rising?",
    "help me understand the chip ban",
    "status of the merger between the two banks?",
    "trending topics explained in one sentence please",
    "chat about the chip ban",
    "/why",
  ])("to the bot that fits no command is a question, whole: %s", async (line) => {
    for (const surface of ["mention", "direct"] as const) {
      expect(await reached(line, surface)).toBe(`ask ${JSON.stringify({ type: "text", text: line })}`);
    }
  });

  it("that is asked by its verb goes without it", async () => {
    expect(await reached("ask why?", "mention")).toBe(`ask ${JSON.stringify({ type: "text", text: "why?" })}`);
  });
});

describe("small talk", () => {
  it.each(["", "hi", "what can you do?", "thanks", "stop", "https://news.example/a"])(
    "is answered by no model, however it is said: “%s”",
    async (line) => {
      for (const continuation of [undefined, "mentioned", "inLine"] as const) {
        const route = routes.find(line, "direct", continuation);
        expect(route).toMatchObject({ name: "talk", isQuestion: false });
      }
      expect(() => routes.find(line, "mention", "mentioned").run(asking(""))).not.toThrow();
    },
  );

  it("leaves commands and questions alone", () => {
    for (const line of ["talk to me about oil", "thanks, and gas?", "stop-loss orders"]) {
      expect(routes.find(line, "direct", "inLine")).toMatchObject({ name: "reply", isQuestion: true });
    }
    expect(routes.find("trending?", "direct", "inLine").name).toBe("trending");
    expect(routes.find("", "slash").name).toMatch("help");
  });
});

describe("a language model without the news", () => {
  it.each(["chat draft a holding statement", "chat : draft a holding statement", "chat"])(
    "is talked to wherever “%s” is typed",
    (line) => {
      for (const surface of ["mention", "direct"] as const) expect(routes.find(line, surface).name).toBe("chat");
    },
  );
});

describe("a slash command that does not exist", () => {
  it.each([
    ["/bellwether nwes oil", "Did you mean `/news oil`?"],
    ["/bellwether sumary a & b", "Did you mean `/summary a &amp; b`?"],
    ["/bellwether stats", "Did you mean `/bellwether status`?"],
    ["/bellwether why is gold rising", "type `/ask why is gold rising`"],
    ["/bellwether tell me about gold", "type `/ask tell me about gold`"],
    ["/bellwether <!channel>", "There’s no command “&lt;!channel&gt;”"],
  ])("is answered with the likeliest: %s", (line, words) => {
    expect(complaint(line)).toContain(words);
    expect(complaint(line)).toContain("`/bellwether help`");
  });

  it("is answered in a few words however long it is", () => {
    expect(complaint(`/bellwether ${"x".repeat(10_000)}`).length).toBeLessThan(400);
    expect(complaint(`/bellwether nwes ${"x ".repeat(10_000)}`).length).toBeLessThan(400);
  });
});

describe("the routes", () => {
  it("are every command with a slash of its own, and /bellwether for the rest", () => {
    const own = commands.filter(({ isSlash }) => isSlash).map(({ verb }) => `/${verb}`);
    expect(routes.slashes).toEqual([...own, "/bellwether"]);
  });

  it("say what a command is doing while it works", () => {
    for (const { verb, working = "" } of commands)
      expect(routes.find(verb, "button")).toMatchObject({ name: verb, working });
  });
});

describe("a line that is longer than any command takes", () => {
  const hint = "That’s 38,000 characters long, and I read 8,000 at most. Send only the part that matters";

  it.each(["slash", "mention", "direct", "button", "form"] as const)(
    "is refused before it is read: by %s",
    async (surface) => {
      const line = "alerts mute a".padEnd(37_999) + "z";
      const { text: _, ...request } = asking("", { surface });
      const route = routesOn().find(line, surface);
      expect(await statesOf(route.run({ ...request, line }))).toMatchObject({
        error: expect.objectContaining({ name: "UsageError", message: expect.stringContaining(hint) }),
      });
      expect(route.line.length).toBeLessThan(100);
    },
  );

  it("may be as long as the longest question with its options, and the longest chat", () => {
    const question = `ask --in-source entity "${"a".repeat(100)}" --since 7d ${"why? ".repeat(600)}`;
    expect(routesOn().find(question, "mention").line).toBe(question.trim());
    expect(routesOn().find(`chat ${"hm. ".repeat(1_500)}`, "mention").name).toBe("chat");
  });
});

describe("the line that asks the same again", () => {
  it.each([
    ["help me understand gold", "mention", "ask help me understand gold"],
    ["news oil", "direct", "news oil"],
    ["/news oil", "slash", "news oil"],
    ["/bellwether models", "slash", "models"],
    ["why?", "direct", "ask why?"],
  ] as const)("of “%s” by %s is “%s”", (line, surface, again) => {
    expect(routesOn().find(line, surface).line).toBe(again);
  });
});

describe("an option that a command does not have", () => {
  it.each([
    ["ask why? --sinse 7d", "`--sinse` isn’t an option here. Did you mean `--since`?"],
    [
      "chat --until 2d hello",
      "`--until` isn’t an option here. There’s `--model`. Type `/bellwether chat [--model NAME] TEXT`.",
    ],
    ["models --all", "`--all` isn’t an option here"],
    ["trending --limit 5", "`--limit` isn’t an option here"],
    ["collections list --all", "`--all` isn’t an option here"],
    ["channels --all", "`--all` isn’t an option here"],
    ["threads off --here", "`--here` isn’t an option here"],
  ])("is refused before anything is asked for: %s", (line, hint) => {
    const route = routesOn().find(line, "slash");
    expect(() => route.run(asking("", { line }))).toThrow(hint);
  });
});

describe("words that could begin with a command, said in a thread", () => {
  it.each([
    "summary in one line please",
    "summary of both, please",
    "summary",
    "news from Japan too",
    "news?",
    "models of electric cars that sold best?",
    "alerts on this?",
    "alert me if it falls",
    "digest it for me",
    "status of the merger?",
    "home prices in Spain?",
    "help me understand that",
    "about silver?",
    "follow up on silver",
    "feedback from analysts?",
    "chat about the second point",
    "and silver?",
  ])("is a question there, with the bot's name and without: %s", (line) => {
    for (const continuation of ["mentioned", "reply"] as const) {
      expect(routes.find(line, "mention", continuation)).toMatchObject({ name: "reply", line: `reply ${line}` });
    }
    expect(routes.find(line, "direct", "mentioned").name).toBe("reply");
  });

  it.each([
    ["news oil", "news"],
    ['news "this is us"', "news"],
    ['news channel "Central banks"', "news"],
    ["summary data breach", "summary"],
    ["entity Novalith Semiconductor", "entity"],
    ["chat draft a reply to them", "chat"],
    ["trending", "trending"],
    ["trending?", "trending"],
    ["alerts", "alerts"],
    ["jurisdictions South Africa", "jurisdictions"],
  ])("is a command if the bot is named, and a question if it is not: %s", (line, verb) => {
    expect(routes.find(line, "mention", "mentioned").name).toBe(verb);
    expect(routes.find(line, "direct", "mentioned").name).toBe(verb);
    expect(routes.find(line, "mention", "reply")).toMatchObject({ name: "reply", line: `reply ${line}` });
  });

  it.each([
    ["help", "help"],
    ["help news", "help"],
    ["threads off", "threads"],
    ["status", "status"],
    ["ask why?", "ask"],
  ])("is a command if it is exactly one that asks no service, or asks the news: %s", (line, verb) => {
    for (const continuation of ["mentioned", "reply"] as const) {
      expect(routes.find(line, "mention", continuation)).toMatchObject({ name: verb, line });
    }
  });
});

describe("a window whose values are saved", () => {
  const fields = { kind: "search", "source-search": 'gold & "silver"', when: "hourly" };
  const read = routes.read("digest", { fields, state: "" });
  const line = "line" in read ? read.line : "";

  it("is one line that a button can run again, with its values as they are", () => {
    expect(routes.find(line, "form")).toMatchObject({ name: "digest", line });
    expect(JSON.parse(line.replace("save ", ""))).toEqual({ form: "digest", fields, state: "" });
  });

  it("searches for names that nobody has met before", () => {
    const unmet = routes.read("digest", {
      fields: { kind: "entity", "source-entity": "?silver", when: "hourly" },
      state: "",
    });
    expect("line" in unmet && unmet.line).toMatch(/^find "silver" save \{/);
  });

  it("is a question like any other if somebody types it to the bot", () => {
    expect(routes.find(line, "mention").name).not.toBe("digest");
  });
});
