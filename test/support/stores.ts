/** Places for a store that are gone again when the test ends. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { onTestFinished } from "vitest";

import { createSchema, postgresUrl, whyNoPostgres } from "./postgres.ts";

/** A new folder. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "bellwether-test-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** The URL of a file that does not exist yet, below a folder that does not exist either. */
export async function newFileUrl(): Promise<string> {
  return `sqlite:${join(await temporaryFolder(), "data/state.sqlite")}`;
}

/** The URL of an empty schema in PostgreSQL. */
export async function newSchemaUrl(): Promise<string> {
  return (await createSchema()).url;
}

/** The places that a bot can keep its state in, for tests that hold in each. */
export const storePlaces = [
  { kind: "a file", makeUrl: newFileUrl, isThere: true },
  { kind: `PostgreSQL${whyNoPostgres}`, makeUrl: newSchemaUrl, isThere: postgresUrl !== undefined },
];
