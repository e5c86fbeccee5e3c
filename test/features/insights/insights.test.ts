import { describe, expect, it } from "vitest";

import type { InsightChannel } from "../../../src/apis/gateway/schema.ts";
import { insights } from "../../../src/features/insights/commands.ts";
import { answerOf, wordsOf } from "../../support/answers.ts";
import { asking, credits, fakeGateway } from "../../support/builders.ts";

function show(text: string, channels: InsightChannel[]) {
  const to = { gateway: fakeGateway({ insightChannels: async () => ({ channels, credits: credits() }) }) };
  return answerOf(insights, asking(text), to);
}

const supply: InsightChannel = {
  id: "1",
  name: "Supply chains",
  description: "Ports & <freight>",
  articleCount: 1_234,
};

describe("insights", () => {
  it("lists the gateway's topics, each with a way to its news", async () => {
    const shown = await show("", [supply, { id: "2", name: "Rates" }]);
    expect(wordsOf(shown)).toContain("*Supply chains* · 1,234 articles\nPorts &amp; &lt;freight&gt;\n*Rates*");
    expect(JSON.stringify(shown.blocks)).toContain('"value":"news insight \\"1\\""');
    expect(shown.text).toContain("2 insight channels");
  });

  it("finds topics by name, and says where to look where none has it", async () => {
    const all = [supply, { id: "2", name: "Rates" }];
    expect((await show("supply", all)).text).toMatch(/^Insight channels\nSupply chains[^]*1 of 2 insight channels/);
    expect((await show("gold", all)).text).toBe(
      "I couldn’t find an insight channel called “gold”. /bellwether insights shows all 2. /news gold searches the news.",
    );
  });

  it("says what else to do if there are none", async () => {
    expect((await show("", [])).text).toContain("/news QUERY");
  });
});
