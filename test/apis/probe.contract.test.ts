import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { diagnosis } from "../../src/apis/probe/diagnosis.ts";
import { sandboxWorld, wireWorld } from "../support/wire.ts";
import type { World } from "../support/wire.ts";
import { differences, found, probeOf, probeWorld } from "./probing.ts";

const INTELLIGENCE = ["login", "trending", "channels", "channel", "articles", "entities", "generate"];
const FREE = ["me", "models", "collections", "collection", "insight channels", "usage"];
const JURISDICTIONS = ["lookup", "regions", "jurisdictions", "agencies", "contributors", "sources"];

describe.each([
  ["recorded answers", wireWorld, []],
  ["the sandbox", sandboxWorld, ["search", "trending", "summary"]],
])("probes over %s", (_, start, paid) => {
  let world: World;
  let probes: Awaited<ReturnType<typeof probeWorld>>;
  beforeAll(async () => {
    world = await start();
    probes = await probeWorld(world);
  });
  afterAll(() => world.stop());

  it("ask every endpoint that is free, and what costs credits only with a key of the test kind", () => {
    const operations = Object.values(probes).map((all) => all.map(({ operation }) => operation));
    expect(operations).toEqual([INTELLIGENCE, [...FREE, ...paid], JURISDICTIONS]);
  });

  it("are answered everywhere, and show something of every answer", () => {
    for (const probe of Object.values(probes).flat()) {
      expect(probe.outcome).toBe("ok");
      expect(probe.findings.length).toBeGreaterThan(1);
    }
  });

  it("name paths as the documents do, without anybody's ID", () => {
    expect(probeOf(probes.intelligence, "articles").path).toBe("/news/user/{user_id}/query");
    expect(probeOf(probes.gateway, "collection").path).toBe("/api/v1/collections/:id");
    expect(probeOf(probes.jurisdictions, "sources").path).toBe("/api/contributors/:contributorId/sources");
  });

  it("show no key, no login and nobody's data", () => {
    const { credentials, gatewayKey, jurisdictionsKey } = world.access;
    const shown = JSON.stringify(probes);
    for (const secret of [...Object.values(credentials), gatewayKey, jurisdictionsKey, "wire-token-81c2"]) {
      expect(shown).not.toContain(secret);
    }
    expect(shown).not.toMatch(/Wire Desk|Harbour Desk|desk@|u-77|7301|Ostmark|Westmark/);
  });

  it("find the names in the stream of a generated text", () => {
    expect(found(probeOf(probes.intelligence, "generate"))).toMatchObject({
      "the answer comes as": "events",
      "names of events": "`message`",
      "values of `type`": expect.stringMatching(/^`tool_start`, `tool_finish`, `ai_part`/),
      "text stands in": "`message.content.text`",
      "kinds of content": "`text`, `svc_news`",
    });
  });
});

describe("the probes' findings on the sandbox", () => {
  let probes: Awaited<ReturnType<typeof probeWorld>>;
  beforeAll(async () => {
    const world = await sandboxWorld();
    probes = await probeWorld(world);
    await world.stop();
  });

  it("say that it keeps to its documents", () => {
    for (const probe of Object.values(probes).flat()) expect([probe.operation, ...differences(probe)]).toHaveLength(1);
  });

  it("tell the names of what the documents leave open", () => {
    const { intelligence, gateway } = probes;
    expect(found(probeOf(intelligence, "articles"))).toMatchObject({
      "an article's ID": "`id`, a number",
      "time of publication": "`published`, ISO text",
      "further fields": "`language`",
    });
    expect(found(probeOf(intelligence, "trending"))["an entity's ID"]).toBe("not there");
    expect(found(probeOf(gateway, "me"))).toMatchObject({
      credits: "`credits`, an object",
      "credits: what is left": "`remaining`, a number",
    });
    expect(found(probeOf(gateway, "usage"))).toMatchObject({
      "the period comes as": "an object under `period`",
      "an entry: endpoint": "`endpoint`",
    });
    expect(found(probeOf(gateway, "summary"))).toMatchObject({
      "names of events": "`summary.sources`, `summary.delta`, `summary.done`",
      "text stands in": "`text`",
      "articles in the stream": "there",
      "credits in the stream": "there",
    });
  });

  it("leave nothing to be done", () => {
    expect(Object.values(probes).flatMap((all) => all.flatMap(({ advice }) => advice))).toEqual([]);
  });

  it("count what comes beside the answers", () => {
    expect(diagnosis("gateway", probes.gateway)).toEqual({
      advice: [],
      findings: [
        { matter: "a request's ID", found: "in 8 of 8 answers", isDocumented: true },
        { matter: "rate limit in headers", found: "in 9 of 9 answers", isDocumented: true },
        { matter: "rate limit in the envelope", found: "in 8 of 8 answers", isDocumented: true },
        { matter: "credits in the envelope", found: "in 8 of 8 answers", isDocumented: true },
      ],
    });
    expect(diagnosis("jurisdictions", probes.jurisdictions).findings).toEqual([
      { matter: "a request's ID", found: "not there" },
      { matter: "rate limit in headers", found: "not there" },
    ]);
  });
});

describe("the probes' findings on recorded answers", () => {
  let probes: Awaited<ReturnType<typeof probeWorld>>;
  beforeAll(async () => {
    const world = await wireWorld();
    probes = await probeWorld(world);
    await world.stop();
  });

  it("tell every name and format that occurs, and how often", () => {
    expect(found(probeOf(probes.intelligence, "articles"))).toMatchObject({
      elements: "3",
      "an article's ID": "`article_id`, a number or `id`, a number as text or a number",
      "time of publication": "`published`, ISO text or epoch seconds or epoch milliseconds",
      source: "`source`, an object (in 1 of 3)",
      "elements that Bellwether cannot read": "1",
    });
    expect(found(probeOf(probes.intelligence, "channels"))).toMatchObject({
      name: "`title` (in 1 of 2)",
      "a channel's ID": "`id`, a number or a number as text",
      "further fields": "`owner`",
    });
    expect(found(probeOf(probes.gateway, "models"))).toMatchObject({
      "the list comes as": "a list under `data`",
      elements: "4, each an object or text or nothing",
      "size of the context": "`context_length`, a number as text (in 1 of 2)",
    });
    expect(found(probeOf(probes.gateway, "me"))["the user comes as"]).toBe("an object under `user`");
    expect(found(probeOf(probes.gateway, "collection"))["the collection comes as"]).toBe(
      "an object under `collection`",
    );
    expect(found(probeOf(probes.gateway, "usage"))).toMatchObject({
      "start of the period": "`period_start`, epoch seconds",
      "end of the period": "`period_end`, ISO text",
      "entries per endpoint": "`endpoints`, an object",
      "an entry: requests": "`calls`, a number",
    });
  });

  it("warn of words in a stream that no reader gets to see", () => {
    expect(diagnosis("intelligence", probes.intelligence).advice).toEqual([
      "Words in `ai_thought` of `/generative/generate` reach no reader. Tell Bellwether's developers, so that no text is lost.",
    ]);
  });

  it("mark what differs from the documents", () => {
    expect(differences(probeOf(probes.intelligence, "generate"))).toEqual(["values of `type`"]);
    expect(differences(probeOf(probes.jurisdictions, "agencies"))).toEqual(["ID"]);
    expect(diagnosis("gateway", probes.gateway).findings).toContainEqual({
      matter: "rate limit in headers",
      found: "not there",
      isDocumented: false,
    });
  });
});
