import type { Feature } from "../feature.ts";
import { ask } from "./commands.ts";

/** Questions and their threads: answers that appear as they are written and stand on named articles. */
export const chatFeature: Feature = { name: "chat", commands: [ask] };
