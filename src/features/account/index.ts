import type { Feature, Job } from "../feature.ts";
import { doctor, status, usage } from "./commands.ts";
import type { Health } from "./health.ts";

/** Posts to the operator's channel what is due, or what Slack has not taken yet. */
const tellOperator: Job = {
  name: "tell operator",
  every: "* * * * *",
  atOnce: true,
  run: ({ health }: { health: Pick<Health, "tell"> }) => health.tell(),
};

/** What is set up, whether it answers and what it costs. */
export const accountFeature: Feature = { name: "account", commands: [usage, status, doctor], jobs: [tellOperator] };
