import type { Feature } from "../feature.ts";
import { status } from "./commands.ts";

/** What is set up, whether it answers and what it costs. */
export const accountFeature: Feature = { name: "account", commands: [status] };
