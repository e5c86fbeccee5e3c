import { configureGlobal } from "fast-check";

// Tests of the page are checked as code of a browser, which knows no process.
const { process } = globalThis as { process?: { env: Record<string, string | undefined> } };

/** Property tests try the same cases every time; `SEED=random npm test` looks for new ones, `SEED=17` for others. */
const seed = process?.env["SEED"] ?? "1";
if (seed !== "random") configureGlobal({ seed: Number(seed) });

export * from "fast-check";
