import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { describe, expect, it } from "vitest";
import { z } from "zod";

import { StoreError } from "../../src/store/errors.ts";
import { openStoreExclusively } from "../../src/store/lock.ts";
import { openStore } from "../../src/store/store.ts";
import { storeVersion } from "../../src/store/version.ts";
import { createSchema, postgresUrl, whyNoPostgres } from "../support/postgres.ts";
import { temporaryFolder } from "../support/stores.ts";

async function inFile() {
  const path = join(await temporaryFolder(), "store.sqlite");
  const change = async (sql: string) => {
    const database = new DatabaseSync(path);
    database.exec(sql.replaceAll("TABLE", "keyv"));
    database.close();
  };
  return { url: `sqlite:${path}`, change };
}

async function inPostgres() {
  const schema = await createSchema();
  return { url: schema.url, change: (sql: string) => schema.client.query(sql.replaceAll("TABLE", "bellwether")) };
}

/** What a store's first start leaves, with one record. */
async function fill(url: string): Promise<void> {
  const store = await openStore(url);
  await store.collection("notes", z.string()).set("k", "kept");
  await store.close();
}

const options = { after: (_: number, call: () => void) => setImmediate(call), log: quiet() };
function quiet() {
  return { info: () => undefined, warn: () => undefined, error: () => undefined };
}

describe.each([
  { kind: "a file", make: inFile, isThere: true },
  { kind: `PostgreSQL${whyNoPostgres}`, make: inPostgres, isThere: postgresUrl !== undefined },
])("a store in $kind", ({ make, isThere }) => {
  it.skipIf(!isThere).each([
    [
      "a newer",
      `UPDATE TABLE SET value = '{"value":${storeVersion + 1}}' WHERE namespace = 'versions'`,
      /by a newer Bellwether\. Start that one again/,
    ],
    [
      "an earlier",
      "DELETE FROM TABLE WHERE namespace = 'versions'",
      /by an earlier Bellwether, .*Start the earlier one again, or name another store/,
    ],
    ["no", `UPDATE TABLE SET value = 'garbage' WHERE namespace = 'versions'`, /by an earlier Bellwether/],
  ])(
    "of %s version is refused before anything is read, with what to do, and left as it is",
    async (_, sql, message) => {
      const { url, change } = await make();
      await fill(url);
      await change(sql);
      for (const open of [() => openStore(url), () => openStoreExclusively(url, options)]) {
        const error: unknown = await open().catch((failed: unknown) => failed);
        expect(error).toBeInstanceOf(StoreError);
        expect(String(error)).toMatch(message);
        expect(String(error)).not.toMatch(/\n|password/);
      }
      await change(`DELETE FROM TABLE WHERE namespace = 'versions'`);
      await change(
        `INSERT INTO TABLE (namespace, key, value) VALUES ('versions', 'digests', '{"value":${storeVersion}}')`,
      );
      const store = await openStore(url);
      expect(await store.collection("notes", z.string()).get("k")).toBe("kept");
      await store.close();
    },
  );
});
