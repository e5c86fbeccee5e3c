import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Client } from "pg";

interface Place {
  storeUrl: string;
  remove: () => Promise<unknown>;
}

/** An empty store: a file, or a schema in the database that STORE_URL names. */
export async function createPlace(url = process.env["STORE_URL"]): Promise<Place> {
  if (url?.startsWith("postgres")) return createSchema(url);
  const folder = await mkdtemp(join(tmpdir(), "bench-"));
  return { storeUrl: `sqlite:${join(folder, "store.sqlite")}`, remove: () => rm(folder, { recursive: true }) };
}

async function createSchema(url: string): Promise<Place> {
  const name = `bench_${randomUUID().replaceAll("-", "")}`;
  const run = async (sql: string) => {
    const client = new Client(url);
    await client.connect();
    await client.query(sql);
    await client.end();
  };
  await run(`CREATE SCHEMA ${name}`);
  return {
    storeUrl: `${url}${url.includes("?") ? "&" : "?"}options=-c%20search_path%3D${name}`,
    remove: () => run(`DROP SCHEMA ${name} CASCADE`),
  };
}
