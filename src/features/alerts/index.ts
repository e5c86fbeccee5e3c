import type { Feature } from "../feature.ts";
import { createPlaceKeeper } from "../subscriptions/places.ts";
import { importForm } from "../subscriptions/portable.ts";
import { alerts } from "./commands.ts";
import { alertForm } from "./forms.ts";
import { takeSamples, watchTrends } from "./job.ts";
import { alertKind } from "./kind.ts";

const places = createPlaceKeeper(alertKind);

/** Who is written about more than usual, told where and as readily as somebody said. */
export const alertsFeature: Feature = {
  name: "alerts",
  commands: [alerts],
  jobs: [watchTrends, takeSamples, ...places.jobs],
  forms: [alertForm, importForm("alert")],
  placeChanged: places.placeChanged,
  placeRenamed: places.placeRenamed,
};
