import type { Feature } from "../feature.ts";
import { doctor, status } from "./commands.ts";
import { tellOperator } from "./health/job.ts";
import { usage } from "./usage/commands.ts";

/** What is set up, whether it answers and what it costs. */
export const accountFeature: Feature = { name: "account", commands: [usage, status, doctor], jobs: [tellOperator] };
