import type { Feature } from "../feature.ts";
import { createPlaceKeeper } from "../subscriptions/places.ts";
import { importForm } from "../subscriptions/portable.ts";
import { digests } from "./commands.ts";
import { follow } from "./setup/follow.ts";
import { digestForm } from "./forms.ts";
import { postDigests } from "./job.ts";
import { digestKind } from "./kind.ts";

const places = createPlaceKeeper(digestKind);

/** What is new in what somebody follows, at the times that they said. */
export const digestsFeature: Feature = {
  name: "digests",
  commands: [digests, follow],
  jobs: [postDigests, ...places.jobs],
  forms: [digestForm, importForm("digest")],
  placeChanged: places.placeChanged,
  placeRenamed: places.placeRenamed,
};
