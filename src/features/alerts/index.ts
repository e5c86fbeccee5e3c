import type { Feature } from "../feature.ts";
import { alerts } from "./commands.ts";
import { alertForm } from "./forms.ts";
import { takeSamples, watchTrends } from "./job.ts";

/** Who is written about more than usual, told where and as readily as somebody said. */
export const alertsFeature: Feature = {
  name: "alerts",
  commands: [alerts],
  jobs: [watchTrends, takeSamples],
  forms: [alertForm],
};
