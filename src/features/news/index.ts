import type { Feature } from "../feature.ts";
import { channels } from "./channels/commands.ts";
import { list, news } from "./commands.ts";

/** Articles: searched, or from a saved channel. */
export const newsFeature: Feature = { name: "news", commands: [news, channels, list] };
