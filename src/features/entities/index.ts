import type { Feature } from "../feature.ts";
import { entity } from "./commands.ts";
import { learnNames } from "./job.ts";

/** Companies, people, regions and topics: looked up. */
export const entitiesFeature: Feature = { name: "entities", commands: [entity], jobs: [learnNames] };
