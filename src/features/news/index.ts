import type { Feature } from "../feature.ts";
import { news } from "./commands.ts";

/** Articles: searched, or from a saved channel. */
export const newsFeature: Feature = { name: "news", commands: [news] };
