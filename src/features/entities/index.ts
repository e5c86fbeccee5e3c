import type { Feature } from "../feature.ts";
import { entity, trending } from "./commands.ts";
import { learnNames } from "./job.ts";

/** Companies, people, regions and topics: looked up, and ranked by how much is written about them. */
export const entitiesFeature: Feature = { name: "entities", commands: [trending, entity], jobs: [learnNames] };
