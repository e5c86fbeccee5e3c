import type { Feature } from "../feature.ts";
import { digests } from "./commands.ts";
import { follow } from "./setup/follow.ts";
import { digestForm } from "./forms.ts";
import { postDigests } from "./job.ts";

/** What is new in what somebody follows, at the times that they said. */
export const digestsFeature: Feature = {
  name: "digests",
  commands: [digests, follow],
  jobs: [postDigests],
  forms: [digestForm],
};
