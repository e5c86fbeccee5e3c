import type { Feature } from "../feature.ts";
import { digests, follow } from "./commands.ts";
import { digestForm } from "./options.ts";
import { postDigests } from "./job.ts";

/** What is new in what somebody follows, at the times that they said. */
export const digestsFeature: Feature = {
  name: "digests",
  commands: [digests, follow],
  jobs: [postDigests],
  forms: [digestForm],
};
