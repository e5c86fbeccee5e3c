import type { Feature } from "../feature.ts";
import { jurisdictions } from "./commands.ts";

/** Who regulates where. */
export const jurisdictionsFeature: Feature = { name: "jurisdictions", commands: [jurisdictions] };
