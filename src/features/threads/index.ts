import type { Feature } from "../feature.ts";
import { threads } from "./commands.ts";

/** Where the bot answers without being mentioned. */
export const threadsFeature: Feature = { name: "threads", commands: [threads] };
