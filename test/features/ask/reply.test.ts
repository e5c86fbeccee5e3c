import { describe, expect, it } from "vitest";

import type { GenerativeMessage } from "../../../src/apis/intelligence/generate.ts";
import { statesOf } from "../../support/answers.ts";
import { asking, credits, streamOf } from "../../support/builders.ts";
import { routesOn } from "../../support/features.ts";

function textOf(message: GenerativeMessage | undefined): string {
  return message && "text" in message.content ? String(message.content.text) : "";
}

/** A bot of which both are known to answer, and how to say something to it in a thread. */
function setUp() {
  const answered: string[] = [];
  const routes = routesOn({
    gateway: {
      models: async () => ({ models: [{ id: "deep-2", name: "Deep Two", isDefault: false }], credits: credits() }),
      async chat({ model = "any", messages }) {
        answered.push(`${model}: ${messages.at(-1)?.content}`);
        return { text: "One.", model, credits: credits({ used: 1, remaining: 41 }) };
      },
    },
    intelligence: {
      generate({ messages }) {
        answered.push(`news: ${textOf(messages.at(-1))}`);
        return streamOf({ type: "text" as const, text: "Because." });
      },
    },
  });
  async function say(line: string, continuation?: "mentioned" | "reply") {
    const { text: _, ...request } = asking("", { surface: "mention", thread: "50.1", line });
    await statesOf(routes.find(line, "mention", continuation).run(request));
  }
  return { answered, say };
}

describe("what is said in a thread and names no command", () => {
  it("is answered by the model that was talked to there, whether the bot is named or not", async () => {
    const { answered, say } = setUp();
    await say("chat --model deep-2 say hello");
    await say("and in French?", "reply");
    await say("and in German?", "mentioned");
    expect(answered).toEqual(["deep-2: say hello", "deep-2: and in French?", "deep-2: and in German?"]);
  });

  it("is answered from the news if the last question went there, until the model is talked to again", async () => {
    const { answered, say } = setUp();
    await say("chat --model deep-2 say hello");
    await say("ask why is gold up?", "reply");
    await say("and silver?", "reply");
    await say("chat shorten that", "mentioned");
    await say("again", "reply");
    expect(answered.slice(1)).toEqual([
      "news: why is gold up?",
      "news: and silver?",
      "deep-2: shorten that",
      "deep-2: again",
    ]);
  });

  it("is repeated by a button as it was said; typed with its verb, it is a question like any other", () => {
    const routes = routesOn();
    const { line } = routes.find("news of that?", "mention", "reply");
    expect(routes.find(line, "button")).toMatchObject({ name: "reply", line });
    expect(routes.find("reply to him", "mention")).toMatchObject({ name: "ask", line: "ask reply to him" });
  });
});
