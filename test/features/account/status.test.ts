import { describe, expect, it } from "vitest";

import { onlyReplica } from "../../../src/replicas/replicas.ts";
import { NotAllowed } from "../../../src/apis/errors.ts";
import { status } from "../../../src/features/account/commands.ts";
import { answerOf, wordsOf } from "../../support/answers.ts";
import { type GivenSources, asking, credits, sourceServices, newsChannel } from "../../support/builders.ts";

const totals = { jurisdictions: 12, agencies: 34, contributors: 5, sources: 6 };

function statusWith({ replicas = onlyReplica, operator, ...given }: GivenStatus = {}) {
  const { intelligence, gateway, jurisdictions, configured, now } = sourceServices({
    intelligence: { channels: async () => [newsChannel()] },
    gateway: { me: async () => ({ credits: credits() }) },
    jurisdictions: { lookup: async () => ({ regions: [], totals }) },
    ...given,
  });
  const health = { wrong: async () => [] };
  return { intelligence, gateway, jurisdictions, configured, now, health, replicas, operator };
}

type GivenStatus = GivenSources &
  Pick<Parameters<typeof status.run>[1], "operator"> & {
    replicas?: Parameters<typeof status.run>[1]["replicas"];
  };

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

  it("says how to set up a missing service, without calling it", async () => {
    const missing = { intelligence: false, gateway: false, jurisdictions: false };
    const { text } = await answerOf(status, asking(""), statusWith({ configured: missing }));
    expect(text).toContain(
      "News service isn’t set up. An operator can set INTELLIGENCE_URL and INTELLIGENCE_CREDENTIALS.",
    );
    expect(text).toContain("GATEWAY_URL and GATEWAY_API_KEY");
    expect(text).toContain("JURISDICTIONS_URL and JURISDICTIONS_API_KEY");
  });

  describe("with several replicas", () => {
    const url = "http://10.0.0.5:3000";
    const facts = (shards: number) => ({
      replica: "0b7e4c1a-1111-4222-8333-123456789abc",
      unserved: 32 - shards,
      replicas: [
        { replica: "0b7e4c1a-1111-4222-8333-123456789abc", shards: 32, since: Date.UTC(2026, 10, 23, 9, 12) },
        { replica: "9f000000-1111-4222-8333-123456789abc", url, shards, since: Date.UTC(2026, 10, 23, 9, 13) },
        { replica: "a1000000-1111-4222-8333-123456789abc", shards: 0 },
      ],
    });
    const shared = (shards = 32, operator = { team: "T0DEMO", channel: "C9" }) =>
      statusWith({ operator, replicas: { facts: () => facts(shards) } });
    const inOperators = asking("", { team: "T0DEMO", channel: "C9" });

    it("says in the operator's channel which of them holds how much since when, and which serves the workspace", async () => {
      const { text } = await answerOf(status, inOperators, shared());
      expect(text).toContain(
        "Replicas\n" +
          "• 0b7e4c1a · 32 shards since 23 Nov, 09:12 UTC · serves this workspace\n" +
          "• a1000000 · 0 shards\n" +
          "• http://10.0.0.5:3000 · 32 shards since 23 Nov, 09:13 UTC\n",
      );
    });

    it("says how many shards nobody serves yet", async () => {
      const { text } = await answerOf(status, inOperators, shared(30));
      expect(text).toContain("\n2 shards not served yet\n");
    });

    it.each([
      ["in another channel", asking("", { team: "T0DEMO", channel: "C1" }), undefined],
      ["in another workspace", asking("", { team: "T0OTHER", channel: "C9" }), undefined],
      ["where the operator has no channel", asking("", { team: "T0DEMO", channel: "C9" }), null],
    ])("says nothing of the replicas %s", async (_, request, operator) => {
      const dependencies = shared();
      const { text } = await answerOf(
        status,
        request,
        operator === null ? { ...dependencies, operator: undefined } : dependencies,
      );
      expect(text).not.toMatch(/replica|shard|10\.0\.0/i);
    });
  });

  it("names the service that fails and still shows the others", async () => {
    const refused = new NotAllowed({ api: "gateway", operation: "me", status: 401 });
    const me = () => Promise.reject(refused);
    const { text } = await answerOf(status, asking(""), statusWith({ gateway: { me } }));
    expect(text).toContain(
      "Search service refuses our access (status 401). An operator checks GATEWAY_URL and GATEWAY_API_KEY.",
    );
    expect(text).toContain("Jurisdictions service answers");
  });
});
