import type { z } from "zod";
import type { Log } from "../../log.ts";
import { UnexpectedAnswer, UsageError } from "../errors.ts";
import type { LooseList } from "../fields.ts";
import type { Http } from "../http.ts";
import * as schemas from "./schema.ts";
import type { Lookup, Named, NamedJurisdiction, NamedMember, NamedSource } from "./schema.ts";

/**
 * The jurisdiction database: at one glance, or step by step by the UUIDs that each step gives, where a UUID that does
 * not exist throws UsageError. Every signal is honoured by throwing its reason.
 */
export interface Jurisdictions {
  /** All regions and their jurisdictions, with counts. */
  lookup(signal?: AbortSignal): Promise<Lookup>;
  regions(signal?: AbortSignal): Promise<Named[]>;
  jurisdictions(regionId: string, signal?: AbortSignal): Promise<NamedJurisdiction[]>;
  agencies(jurisdictionId: string, signal?: AbortSignal): Promise<NamedMember[]>;
  contributors(jurisdictionId: string, signal?: AbortSignal): Promise<NamedMember[]>;
  sources(contributorId: string, signal?: AbortSignal): Promise<NamedSource[]>;
}

export interface JurisdictionsOptions {
  http: Http;
  key: string;
  log?: Pick<Log, "warn"> | undefined;
}

interface Level<T> {
  operation: string;
  path: string;
  schema: z.ZodType<LooseList<T>>;
  signal?: AbortSignal | undefined;
}

interface Parent {
  /** Whether it still exists; missing where the look-up does not say. */
  isIn?: (lookup: Lookup) => boolean;
  /** What the reader is told otherwise. */
  missing: string;
}

/** Builds the client for one key. */
export function createJurisdictions({ http, key, log }: JurisdictionsOptions): Jurisdictions {
  async function lookup(signal?: AbortSignal): Promise<Lookup> {
    const path = "/api/jurisdictions/lookup";
    const call = {
      operation: "lookup",
      method: "GET",
      path,
      token: key,
      schema: schemas.lookupSchema,
      signal,
    } as const;
    const { value } = await http.json(call);
    reportDropped("lookup", value.dropped);
    return value.lookup;
  }

  async function list<T>(level: Level<T>): Promise<T[]> {
    const { value } = await http.json({ ...level, method: "GET", token: key });
    reportDropped(level.operation, value.dropped);
    return value.items;
  }

  async function children<T>(parent: Parent, level: Level<T>): Promise<T[]> {
    try {
      return await list(level);
    } catch (error) {
      // Documented as "does not exist", which is no unexpected answer: records come and go between two looks. How an
      // existing parent without children is answered is not shown, so that this may be it as well.
      if (!(error instanceof UnexpectedAnswer) || error.status !== 404) throw error;
      if (parent.isIn?.(await lookup(level.signal)) === true) return [];
      throw new UsageError(parent.missing, { cause: error });
    }
  }

  function reportDropped(operation: string, dropped: number): void {
    if (dropped > 0) log?.warn("jurisdictions.dropped", { operation, dropped });
  }

  function ofJurisdiction<T>(id: string, operation: string, schema: Level<T>["schema"], signal?: AbortSignal) {
    const path = `/api/jurisdictions/${encodeURIComponent(id)}/${operation}`;
    return children(jurisdictionWith(id), { operation, path, schema, signal });
  }

  return {
    lookup,
    regions: (signal) => list({ operation: "regions", path: "/api/regions", schema: schemas.regionsSchema, signal }),
    jurisdictions(regionId, signal) {
      const path = `/api/regions/${encodeURIComponent(regionId)}/jurisdictions`;
      const schema = schemas.jurisdictionsSchema;
      return children(regionWith(regionId), { operation: "jurisdictions", path, schema, signal });
    },
    agencies: (id, signal) => ofJurisdiction(id, "agencies", schemas.agenciesSchema, signal),
    contributors: (id, signal) => ofJurisdiction(id, "contributors", schemas.contributorsSchema, signal),
    sources(contributorId, signal) {
      const path = `/api/contributors/${encodeURIComponent(contributorId)}/sources`;
      const parent = { missing: "The jurisdiction database has no sources of this contributor." };
      return children(parent, { operation: "sources", path, schema: schemas.sourcesSchema, signal });
    },
  };
}

function regionWith(id: string): Parent {
  const isIn = ({ regions }: Lookup) => regions.some((region) => region.id === id);
  return { isIn, missing: "The jurisdiction database does not have this region any more. Look it up again." };
}

function jurisdictionWith(id: string): Parent {
  const isIn = ({ regions }: Lookup) => regions.some(({ jurisdictions }) => jurisdictions.some((one) => one.id === id));
  return { isIn, missing: "The jurisdiction database does not have this jurisdiction any more. Look it up again." };
}
