import type { Feature } from "../feature.ts";
import { type DigestDependencies, digests, follow } from "./commands.ts";
import { type DigestJobDependencies, postDigests } from "./job.ts";
import { type PickerDependencies, sourcePickers } from "../sources/form.ts";
import { digestForm } from "./options.ts";

/** What is new in what somebody subscribed to, at the times that they said. */
export const digestsFeature: Feature<DigestDependencies & DigestJobDependencies & PickerDependencies> = {
  name: "digests",
  commands: [digests, follow],
  jobs: [postDigests],
  forms: [digestForm],
  pickers: sourcePickers,
};
