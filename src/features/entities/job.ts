import type { Job } from "../feature.ts";

/** Keeps the directory of names complete, so that a name typed for the first time is found at once. */
export const learnNames: Job = {
  name: "learn names",
  every: "17 */6 * * *",
  async run({ configured, directory, intelligence }) {
    if (configured.intelligence) await directory.learn(intelligence);
  },
};
