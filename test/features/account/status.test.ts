import { describe, expect, it } from "vitest";

import { NotAllowed } from "../../../src/apis/errors.ts";
import { status } from "../../../src/features/account/commands.ts";
import type { FeatureDependencies } from "../../../src/features.ts";
import { answerOf, wordsOf } from "../../support/answers.ts";
import { asking, credits, newsChannel, services } from "../../support/builders.ts";

const totals = { jurisdictions: 12, agencies: 34, contributors: 5, sources: 6 };

function statusWith(about: Parameters<typeof services>[0] = {}): FeatureDependencies {
  return services({
    intelligence: { channels: async () => [newsChannel()] },
    gateway: { me: async () => ({ credits: credits() }) },
    jurisdictions: { lookup: async () => ({ regions: [], totals }) },
    ...about,
  });
}

describe("/bellwether status", () => {
  it("says of each service whether it answers, how fast, and what is left", async () => {
    const times = [0, 0, 0, 12, 12, 12];
    const message = await answerOf(status, asking(""), statusWith({ now: () => times.shift() ?? 0 }));
    expect(wordsOf(message)).toBe(
      "Status\n" +
        ":white_check_mark: *News service* answers in 12 ms · 1 news channel\n" +
        ":white_check_mark: *Search service* answers in 12 ms · 4,999 credits left\n" +
        ":white_check_mark: *Jurisdictions service* answers in 12 ms · 12 jurisdictions, 34 agencies\n" +
        "`/bellwether doctor` says more.",
    );
  });

  it.each([
    [credits({ test: true }), "nothing costs credits"],
    [credits({ remaining: undefined }), "credits unknown"],
    [credits({ remaining: 0 }), "0 credits left"],
  ])("tells what kind of key it is: %j", async (left, words) => {
    const message = await answerOf(
      status,
      asking(""),
      statusWith({ gateway: { me: async () => ({ credits: left }) } }),
    );
    expect(message.text).toContain(words);
  });

  it("says how to set up what is not, without asking it", async () => {
    const missing = { intelligence: false, gateway: false, jurisdictions: false };
    const { text } = await answerOf(status, asking(""), services({ configured: missing }));
    expect(text).toContain(
      "News service isn’t set up. An operator can set INTELLIGENCE_URL and INTELLIGENCE_CREDENTIALS.",
    );
    expect(text).toContain("GATEWAY_URL and GATEWAY_API_KEY");
    expect(text).toContain("JURISDICTIONS_URL and JURISDICTIONS_API_KEY");
  });

  it("names the one that fails and still shows the others", async () => {
    const refused = new NotAllowed({ api: "gateway", operation: "me", status: 401 });
    const me = () => Promise.reject(refused);
    const { text } = await answerOf(status, asking(""), statusWith({ gateway: { me } }));
    expect(text).toContain(
      "Search service refuses our access (status 401). An operator checks GATEWAY_URL and GATEWAY_API_KEY.",
    );
    expect(text).toContain("Jurisdictions service answers");
  });
});
