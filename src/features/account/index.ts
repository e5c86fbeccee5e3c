import type { Feature, Job } from "../feature.ts";
import { type AccountDependencies, doctor, status, usage } from "./commands.ts";
import type { Health } from "./health.ts";

interface OperatorDependencies {
  health: Pick<Health, "tell">;
}

/** Posts to the operator's channel what is due, or what Slack has not taken yet. */
const tellOperator: Job<OperatorDependencies> = {
  name: "tell operator",
  every: "* * * * *",
  atOnce: true,
  run: ({ health }) => health.tell(),
};

/** What is set up, whether it answers and what it costs. */
export const accountFeature: Feature<AccountDependencies & OperatorDependencies> = {
  name: "account",
  commands: [usage, status, doctor],
  jobs: [tellOperator],
};
