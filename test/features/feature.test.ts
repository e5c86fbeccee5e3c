import { describe, expect, it } from "vitest";

import type { Gateway } from "../../src/apis/gateway/client.ts";
import { type Feature, bind } from "../../src/features/feature.ts";
import { asking, fakeGateway } from "../support/builders.ts";

/** A feature whose parts note whose gateway they got. */
function setUp() {
  const used: unknown[] = [];
  const own = fakeGateway();
  const paid = new Map<Gateway, string>([[own, "nobody’s"]]);
  const gatewayFor = ({ user }: { user: string }) => {
    const gateway = { ...own };
    paid.set(gateway, `${user}’s`);
    return gateway;
  };
  const note = ({ gateway }: { gateway: Gateway }) => void used.push(paid.get(gateway));
  const feature: Feature<{ gateway: Gateway }> = {
    name: "example",
    commands: [
      {
        verb: "example",
        usage: "",
        summary: "",
        examples: [],
        isSlash: false,
        working: "",
        run(_, deps) {
          note(deps);
          return { text: "" };
        },
      },
    ],
    jobs: [{ name: "example", every: "* * * * *", run: async (deps) => note(deps) }],
    forms: [
      {
        name: "example",
        read: () => ({ line: "" }),
        check: async (_filled, _asker, deps) => (note(deps), {}),
        rebuild: async (_filled, _asker, deps) => (note(deps), { text: "" }),
      },
    ],
    pickers: [{ name: "example", choices: async (_typed, _person, deps) => (note(deps), []) }],
    home: async (_, deps) => (note(deps), []),
    channelChanged: async (_place, _change, deps) => note(deps),
  };
  return { used, bound: bind(feature, { gateway: own }, gatewayFor) };
}

describe("a feature that has what it needs", () => {
  it("lets whoever asks pay for what they ask, in commands, forms, lists and on their own page", async () => {
    const { used, bound } = setUp();
    const person = { team: "T1", user: "U7" };
    const filled = { fields: {}, state: "" };
    await bound.commands[0]?.run(asking("", person));
    await bound.forms[0]?.check(filled, { ...person, channel: "C1", surface: "form" });
    await bound.forms[0]?.rebuild(filled, person);
    await bound.pickers[0]?.choices("", person);
    await bound.home(person);
    expect(used).toEqual(Array.from({ length: 5 }, () => "U7’s"));
  });

  it("runs jobs, and hears of channels, in nobody’s name", async () => {
    const { used, bound } = setUp();
    await bound.jobs[0]?.run();
    await bound.channelChanged({ team: "T1", channel: "C1" }, "archived");
    expect(used).toEqual(["nobody’s", "nobody’s"]);
  });
});
