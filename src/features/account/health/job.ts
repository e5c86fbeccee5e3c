import type { Job } from "../../feature.ts";

/** Sends the operator what Slack has not taken yet. */
export const tellOperator: Job = {
  name: "tell operator",
  every: "* * * * *",
  atOnce: true,
  run: ({ health }) => health.tell(),
};
