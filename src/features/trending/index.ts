import type { Feature } from "../feature.ts";
import { trending } from "./commands.ts";

/** Who and what is written about more than usual. */
export const trendingFeature: Feature = { name: "trending", commands: [trending] };
