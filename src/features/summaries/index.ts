import type { Feature } from "../feature.ts";
import { sum, summary } from "./commands.ts";

/** Executive summaries that appear as they are written. */
export const summariesFeature: Feature = { name: "summaries", commands: [summary, sum] };
