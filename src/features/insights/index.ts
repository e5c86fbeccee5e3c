import type { Feature } from "../feature.ts";
import { insights } from "./commands.ts";

/** Topics that the gateway follows. */
export const insightsFeature: Feature = { name: "insights", commands: [insights] };
