import type { Feature } from "../feature.ts";
import { collectionForm, collections } from "./commands.ts";

/** Queries that the gateway keeps, and what is new in them. */
export const collectionsFeature: Feature = { name: "collections", commands: [collections], forms: [collectionForm] };
