import type { z } from "zod";
import type { Log } from "../../log.ts";
import { UnexpectedAnswer, UsageError } from "../errors.ts";
import type { LooseList } from "../fields.ts";
import type { Http } from "../http.ts";
import * as schemas from "./schema.ts";

/**
 * The jurisdiction database: at one glance, or step by step by the UUIDs that each step gives, if a UUID that does not
 * exist throws UsageError. Every signal is honoured by throwing its reason.
 */
export type Jurisdictions = ReturnType<typeof createJurisdictions>;

interface JurisdictionsOptions {
  http: Http;
  key: string;
  log?: Pick<Log, "warn"> | undefined;
}

interface ListCall<T> {
  operation: string;
  path: string;
  schema: z.ZodType<LooseList<T>>;
  signal?: AbortSignal | undefined;
}

/** Builds the client for one key. */
export function createJurisdictions({ http, key, log }: JurisdictionsOptions) {
  function reportDropped(operation: string, dropped: number): void {
    if (dropped > 0) log?.warn("jurisdictions.dropped", { operation, dropped });
  }

  async function list<T>(call: ListCall<T>): Promise<T[]> {
    const { items, dropped } = await http.json({ ...call, method: "GET", token: key });
    reportDropped(call.operation, dropped);
    return items;
  }

  /** The records below a parent; `missing` is the error message if the parent does not exist. */
  async function children<T>(missing: string, call: ListCall<T>): Promise<T[]> {
    try {
      return await list(call);
    } catch (error) {
      // Documented as "does not exist", which is no unexpected answer: records come and go. The answer for an existing
      // parent without children is not shown; it is taken to be an empty list.
      if (!(error instanceof UnexpectedAnswer) || error.status !== 404) throw error;
      throw new UsageError(`The jurisdictions service ${missing}`, { cause: error });
    }
  }

  const below = (path: string, id: string) => path.replace(":id", encodeURIComponent(id));

  return {
    /** All regions and their jurisdictions, with counts. */
    async lookup(signal?: AbortSignal) {
      const path = "/api/jurisdictions/lookup";
      const schema = schemas.lookupSchema;
      const call = { operation: "lookup", method: "GET", path, token: key, schema, signal } as const;
      const { lookup, dropped } = await http.json(call);
      reportDropped("lookup", dropped);
      return lookup;
    },
    regions: (signal?: AbortSignal) =>
      list({ operation: "regions", path: "/api/regions", schema: schemas.regionsSchema, signal }),
    jurisdictions(regionId: string, signal?: AbortSignal) {
      const path = below("/api/regions/:id/jurisdictions", regionId);
      return children(noRegion, { operation: "jurisdictions", path, schema: schemas.jurisdictionsSchema, signal });
    },
    agencies(jurisdictionId: string, signal?: AbortSignal) {
      const path = below("/api/jurisdictions/:id/agencies", jurisdictionId);
      return children(noJurisdiction, { operation: "agencies", path, schema: schemas.agenciesSchema, signal });
    },
    contributors(jurisdictionId: string, signal?: AbortSignal) {
      const path = below("/api/jurisdictions/:id/contributors", jurisdictionId);
      return children(noJurisdiction, { operation: "contributors", path, schema: schemas.contributorsSchema, signal });
    },
    sources(contributorId: string, signal?: AbortSignal) {
      const path = below("/api/contributors/:id/sources", contributorId);
      return children(noSources, { operation: "sources", path, schema: schemas.sourcesSchema, signal });
    },
  };
}

const noRegion = "does not have this region any more. Look it up again.";
const noJurisdiction = "does not have this jurisdiction any more. Look it up again.";
const noSources = "has no sources of this contributor.";
