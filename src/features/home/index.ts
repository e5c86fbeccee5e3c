import type { Feature } from "../feature.ts";
import { prompt, promptForm } from "./commands.ts";
import { homePage } from "./page.ts";

/** The bot's own page in Slack. */
export const homeFeature: Feature = { name: "home", commands: [prompt], forms: [promptForm], home: homePage };
