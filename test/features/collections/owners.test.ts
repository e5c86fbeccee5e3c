import { describe, expect, it } from "vitest";

import type { Gateway } from "../../../src/apis/gateway/client.ts";
import type { NewsCollection } from "../../../src/apis/gateway/schema.ts";
import { withOwnCollections } from "../../../src/features/collections/owners.ts";
import { fakeGateway, memory } from "../../support/builders.ts";

/** One key with a collection that was not made in Slack, as two workspaces use it. */
function setUp() {
  const all: NewsCollection[] = [{ id: "c0", name: "Made elsewhere" }];
  const credits = { test: true };
  const gateway: Gateway = {
    ...fakeGateway(),
    collections: async () => ({ collections: all, credits }),
    collection: async (id) => ({ collection: { id, name: id }, credits }),
    runCollection: async () => ({ articles: [], total: 0, credits }),
    async createCollection({ name }) {
      const collection = { id: `c${all.length}`, name };
      all.push(collection);
      return { collection, credits };
    },
  };
  const owners = memory<{ owner: string }>();
  const gatewayFor = withOwnCollections(() => gateway, owners);
  return ["T1", "T2"].map((team) => gatewayFor({ team }));
}

describe("a collection", () => {
  it("is seen and run by the workspace that made it, and by no other one", async () => {
    const [one, other] = setUp();
    if (!one || !other) throw new Error("no gateways");
    const { collection } = await one.createCollection({ name: "Project Falcon" });
    const names = async (gateway: Gateway) => (await gateway.collections()).collections.map(({ name }) => name);
    expect(await names(one)).toEqual(["Made elsewhere", "Project Falcon"]);
    expect(await names(other)).toEqual(["Made elsewhere"]);
    expect((await one.runCollection(collection.id)).total).toBe(0);
    await expect(other.runCollection(collection.id)).rejects.toThrow(/couldn’t find/);
    await expect(other.collection(collection.id)).rejects.toThrow(/couldn’t find/);
  });
});
