import { describe, expect, it } from "vitest";

import { UsageError } from "../../src/apis/errors.ts";
import { digests } from "../../src/features/digests/commands.ts";
import type { Services } from "../../src/features/feature.ts";
import { asking, hintOf, services, wordsOf } from "../support/builders.ts";
import { say } from "./digests-talk.ts";

type Api = keyof Services["configured"];
const apis: Api[] = ["intelligence", "gateway", "jurisdictions"];

/** A desk where these services are set up; each of the others says that it is not. */
function desk(...configured: Api[]): Services {
  const missing = (api: Api) => async () => Promise.reject(new UsageError(`${api} is not set up here.`));
  return services({
    configured: Object.fromEntries(apis.map((api) => [api, configured.includes(api)])),
    intelligence: { channels: missing("intelligence") },
    gateway: { collections: missing("gateway") },
    jurisdictions: { lookup: missing("jurisdictions") },
    people: { timeZone: async () => "UTC" },
  });
}

describe("the window of a new digest", () => {
  it.each<[Api[], string[], RegExp]>([
    [["gateway"], ["search", "collection", "trending"], /Not set up here: saved channels and jurisdictions\./],
    [["intelligence"], ["channel", "trending"], /Not set up here: searches, collections, and jurisdictions\./],
    [["intelligence", "jurisdictions"], ["channel", "jurisdiction", "trending"], /searches and collections\./],
    [apis, ["search", "channel", "collection", "jurisdiction", "trending"], /^(?![^]*Not set up)/],
  ])("offers with %j what can be read, and says what cannot", async (configured, kinds, hint) => {
    const message = await say("add", desk(...configured));
    const [field] = message.blocks?.filter(({ block_id: name }) => name === "kind") ?? [];
    const element = field?.type === "input" && field.element.type === "static_select" ? field.element : undefined;
    expect(element?.options?.map(({ value }) => value)).toEqual(kinds);
    expect(element?.initial_option?.value).toBe(kinds[0]);
    expect(wordsOf({ ...message, blocks: field ? [field] : [] })).toMatch(hint);
  });

  it.each<[Api[]]>([[[]], [["jurisdictions"]]])(
    "does not open where there is nothing to read, with %j",
    async (with_) => {
      for (const surface of ["slash", "mention"] as const) {
        const hint = await hintOf(digests, asking("add", { surface }), desk(...with_));
        expect(hint).toBe("intelligence is not set up here.");
      }
    },
  );
});

describe("a digest of what cannot be read here", () => {
  it.each<[string, Api[], Api]>([
    ["search oil", ["intelligence", "jurisdictions"], "gateway"],
    ["search oil daily", ["intelligence", "jurisdictions"], "gateway"],
    ["collection desk daily", ["intelligence", "jurisdictions"], "gateway"],
    ["channel 501", ["gateway", "jurisdictions"], "intelligence"],
    ["jurisdiction Germany daily", ["gateway", "jurisdictions"], "intelligence"],
    ["jurisdiction Germany daily", ["gateway", "intelligence"], "jurisdictions"],
    ["trending all daily", ["jurisdictions"], "intelligence"],
  ])("`%s` with %j is answered with how to set up the %s", async (line, configured, missing) => {
    const to = desk(...configured);
    expect(await hintOf(digests, asking(`add ${line}`), to)).toBe(`${missing} is not set up here.`);
    expect(await to.digests.ofTeam("T1")).toEqual([]);
  });
});
