import { describe, expect, it, onTestFinished, vi } from "vitest";
import { z } from "zod";

import { departedLifeMs, forget, forgetDeparted, handleSubject, readAbout } from "../../src/operate/forget.ts";
import { formerMember } from "../../src/features/subscriptions/model.ts";
import type { Collection } from "../../src/store/collection.ts";
import { openStore } from "../../src/store/store.ts";
import { memory } from "../support/builders.ts";
import { createBridge, createSchema, postgresUrl, whyNoPostgres } from "../support/postgres.ts";
import { newSchemaUrl, storePlaces } from "../support/stores.ts";

/** A store that holds these records, by collection. */
function setUp(records: Record<string, Record<string, unknown>>) {
  const kept = new Map<string, Collection<unknown>>(
    [...Object.keys(records), "departures"].map((name) => [name, memory(Object.entries(records[name] ?? {}))]),
  );
  const all = async () => {
    const found: Record<string, Record<string, unknown>> = {};
    for (const [name, collection] of kept) {
      for await (const [key, value] of collection.entries()) found[name] = { ...found[name], [key]: value };
    }
    return found;
  };
  return { kept, all };
}

const digest = (team: string, channel: string, owner: string) => ({ team, channel, owner, changed: [{ by: owner }] });

const ofAna = {
  "caught-up": { "T1 C1 UANA": { at: 1 }, "T2 C9 UANA": { at: 1 } },
  digests: { "T1 1": digest("T1", "UANA", "UANA"), "T1 2": digest("T1", "C1", "UANA") },
  watchlists: {
    w1: { team: "T1", owner: "UANA", isShared: false },
    w2: { team: "T1", owner: "UANA", isShared: true },
    w3: { team: "T1", owner: "UBEN", isShared: false },
  },
  spending: { "T1 2026-11-23": { total: { credits: 5 }, people: { UANA: { credits: 3 }, UBEN: { credits: 2 } } } },
  conversations: { "T1 D7 in-line": { turns: ["private"] }, "T1 C1 1.5": { turns: ["said in a channel"] } },
  answers: { a1: { team: "T1", user: "UANA" }, a2: { team: "T1", user: "UBEN" } },
};

describe("a person who is forgotten", () => {
  it("is no longer found anywhere in the workspace, and what others use there goes on", async () => {
    const { kept, all } = setUp(ofAna);
    expect(await forget(kept, { id: "UANA", team: "T1" })).toEqual({ deleted: 4, changed: 3 });
    const left = await all();
    expect(JSON.stringify({ ...left, "caught-up": {} })).not.toContain("UANA");
    expect(left["digests"]).toEqual({ "T1 2": digest("T1", "C1", formerMember) });
    expect(Object.keys(left["watchlists"] ?? {})).toEqual(["w2", "w3"]);
    expect(left["spending"]).toEqual({
      "T1 2026-11-23": { total: { credits: 5 }, people: { UBEN: { credits: 2 } } },
    });
    expect(left["caught-up"]).toEqual({ "T2 C9 UANA": { at: 1 } });
    expect(await forget(kept, { id: "UANA" })).toEqual({ deleted: 1, changed: 0 });
  });

  it("is found before by the same search", async () => {
    const { kept } = setUp(ofAna);
    const found = await readAbout(kept, { id: "UANA", team: "T1" });
    expect(Object.keys(found).toSorted()).toEqual(
      ["answers", "caught-up", "digests", "spending", "watchlists"].toSorted(),
    );
  });

  it("takes along the direct message whose ID is given", async () => {
    const { kept, all } = setUp(ofAna);
    await forget(kept, { id: "D7" });
    expect(Object.keys((await all())["conversations"] ?? {})).toEqual(["T1 C1 1.5"]);
  });
});

describe.each(storePlaces)("a store in $kind", ({ makeUrl, isThere }) => {
  it.skipIf(!isThere)("is asked and cleared by an operator's command", async () => {
    const url = await makeUrl();
    const store = await openStore(url);
    for (const [name, records] of Object.entries(ofAna)) {
      await store.collection(name, z.unknown()).setMany(Object.entries(records));
    }
    await store.close();
    const ana = { id: "UANA", team: "T1" };
    const { text, report } = await handleSubject("about", ana, url);
    expect(report).toBe("7 records about UANA.");
    expect(Object.keys(z.record(z.string(), z.unknown()).parse(JSON.parse(text ?? "")))).toContain("digests");
    expect((await handleSubject("forget", ana, url)).report).toBe(
      "Forgot UANA: 4 records deleted, the name taken out of 3.",
    );
    expect((await handleSubject("about", ana, url)).report).toBe("0 records about UANA.");
  });
});

describe(`a store in PostgreSQL${whyNoPostgres}`, () => {
  it.skipIf(!postgresUrl)("is not made by an operator's command", async () => {
    const url = await newSchemaUrl();
    await expect(handleSubject("about", { id: "UANA" }, url)).rejects.toThrow(/^There is no store at postgres:/);
    await expect(handleSubject("forget", { id: "UANA" }, url)).rejects.toThrow(/^There is no store at postgres:/);
  });

  it.skipIf(!postgresUrl)("is waited for, and an operator reads why", async () => {
    const schema = await createSchema();
    const bridge = await createBridge();
    const said = vi.spyOn(console, "error").mockImplementation(() => undefined);
    onTestFinished(() => said.mockRestore());
    await (await openStore(schema.url)).close();
    await bridge.close();
    const asked = handleSubject("about", { id: "UANA" }, schema.through(bridge.host));
    await expect.poll(() => said.mock.calls.flat().join()).toMatch(/^Waiting for postgres:\/\/127\.0\.0\.1:\d+\/\w+: /);
    await bridge.open();
    expect((await asked).report).toBe("0 records about UANA.");
  });
});

describe("a workspace that took the app out", () => {
  const state = {
    ...ofAna,
    installations: { T1: { encrypted: "x" }, T2: { encrypted: "y" } },
    lists: { "random-key": { team: "T1", title: "Secret deal" } },
    interest: { "T1 C1": [{ id: 5, uses: [{ at: 1, how: "asked", part: 1 }] }] },
    events: { "T1 command 1.1": 1, "T1 C1 1.5": 1 },
    entities: { "5": { id: 5, name: "Novalith" } },
  };

  it("is deleted after 30 days, and others are not", async () => {
    const { kept, all } = setUp(state);
    const isInstalled = (team: string) => team === "T2";
    expect(await forgetDeparted(kept, { isServed: () => true, isInstalled, now: 1_000 })).toEqual([]);
    expect(await forgetDeparted(kept, { isServed: () => true, isInstalled, now: departedLifeMs })).toEqual([]);
    expect(await forgetDeparted(kept, { isServed: () => true, isInstalled, now: departedLifeMs + 1_000 })).toEqual([
      "T1",
    ]);
    expect(await all()).toEqual({
      "caught-up": { "T2 C9 UANA": { at: 1 } },
      installations: { T2: { encrypted: "y" } },
      entities: state.entities,
    });
  });

  it("is deleted as well when it was part of an organisation that did, which is then forgotten itself", async () => {
    const { kept, all } = setUp({ ...ofAna, organisations: { T1: { enterprise: "E1" }, T2: { enterprise: "E1" } } });
    const known = { isServed: () => true, isInstalled: (team: string) => team === "T2" };
    await forgetDeparted(kept, { ...known, now: 1_000 });
    await forgetDeparted(kept, { ...known, now: departedLifeMs + 1_000 });
    expect(await all()).toEqual({
      "caught-up": { "T2 C9 UANA": { at: 1 } },
      organisations: { T2: { enterprise: "E1" } },
    });
    expect(await forget(kept, { id: "E1" })).toEqual({ deleted: 1, changed: 0 });
  });

  it("keeps everything if it comes back within that time", async () => {
    const { kept, all } = setUp(state);
    await forgetDeparted(kept, { isServed: () => true, isInstalled: () => false, now: 0 });
    await forgetDeparted(kept, { isServed: () => true, isInstalled: () => true, now: departedLifeMs / 2 });
    expect(await forgetDeparted(kept, { isServed: () => true, isInstalled: () => false, now: departedLifeMs })).toEqual(
      [],
    );
    expect((await all())["digests"]).toEqual(state.digests);
  });
});
