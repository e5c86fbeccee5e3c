import type { z } from "zod";
import type { Log } from "../../log.ts";
import type { Http } from "../call.ts";
import { UnexpectedAnswer, UsageError } from "../errors.ts";
import type { LooseList } from "../loose.ts";
import {
  agenciesSchema,
  contributorsSchema,
  jurisdictionsSchema,
  lookupSchema,
  regionsSchema,
  sourcesSchema,
} from "./schema.ts";
import type { Lookup, Member, Named, Place, Source } from "./schema.ts";

/**
 * The jurisdiction database: at one glance, or step by step by the UUIDs that each step gives, where a UUID that does
 * not exist throws UsageError. Every signal is honoured by throwing its reason.
 */
export interface Jurisdictions {
  /** All regions and their jurisdictions, with counts. */
  lookup(signal?: AbortSignal): Promise<Lookup>;
  regions(signal?: AbortSignal): Promise<Named[]>;
  jurisdictions(regionId: string, signal?: AbortSignal): Promise<Place[]>;
  agencies(jurisdictionId: string, signal?: AbortSignal): Promise<Member[]>;
  contributors(jurisdictionId: string, signal?: AbortSignal): Promise<Member[]>;
  sources(contributorId: string, signal?: AbortSignal): Promise<Source[]>;
}

export interface JurisdictionsOptions {
  http: Http;
  key: string;
  log?: Pick<Log, "warn"> | undefined;
}

interface Step<T> {
  operation: string;
  path: string;
  schema: z.ZodType<LooseList<T>>;
  signal?: AbortSignal | undefined;
}

interface Parent {
  /** Whether it still exists; missing where the look-up does not tell. */
  isIn?: (lookup: Lookup) => boolean;
  /** What the reader is told otherwise. */
  missing: string;
}

function regionOf(id: string): Parent {
  const isIn = ({ regions }: Lookup) => regions.some((region) => region.id === id);
  return { isIn, missing: "The jurisdiction database does not have this region any more. Look it up again." };
}

function jurisdictionOf(id: string): Parent {
  const isIn = ({ regions }: Lookup) => regions.some(({ jurisdictions }) => jurisdictions.some((one) => one.id === id));
  return { isIn, missing: "The jurisdiction database does not have this jurisdiction any more. Look it up again." };
}

const contributor: Parent = { missing: "The jurisdiction database has no sources of this contributor." };

/** Builds the client for one key. */
export function createJurisdictions({ http, key, log }: JurisdictionsOptions): Jurisdictions {
  async function list<T>(step: Step<T>): Promise<T[]> {
    const { value } = await http.json({ ...step, method: "GET", token: key });
    report(step.operation, value.dropped);
    return value.items;
  }

  async function lookup(signal?: AbortSignal): Promise<Lookup> {
    const path = "/api/jurisdictions/lookup";
    const call = { operation: "lookup", method: "GET", path, token: key, schema: lookupSchema, signal } as const;
    const { value } = await http.json(call);
    report("lookup", value.dropped);
    return value.lookup;
  }

  async function children<T>(parent: Parent, step: Step<T>): Promise<T[]> {
    try {
      return await list(step);
    } catch (error) {
      // Documented as "does not exist", which is no unexpected answer: records come and go between two looks. How an
      // existing parent without children is answered is not shown, so that this may be it as well.
      if (!(error instanceof UnexpectedAnswer) || error.status !== 404) throw error;
      if (parent.isIn?.(await lookup(step.signal)) === true) return [];
      throw new UsageError(parent.missing, { cause: error });
    }
  }

  function report(operation: string, dropped: number): void {
    if (dropped > 0) log?.warn("jurisdictions.dropped", { operation, dropped });
  }

  return {
    lookup,
    regions: (signal) => list({ operation: "regions", path: "/api/regions", schema: regionsSchema, signal }),
    jurisdictions(regionId, signal) {
      const path = `/api/regions/${encodeURIComponent(regionId)}/jurisdictions`;
      return children(regionOf(regionId), { operation: "jurisdictions", path, schema: jurisdictionsSchema, signal });
    },
    agencies(jurisdictionId, signal) {
      const path = `/api/jurisdictions/${encodeURIComponent(jurisdictionId)}/agencies`;
      return children(jurisdictionOf(jurisdictionId), { operation: "agencies", path, schema: agenciesSchema, signal });
    },
    contributors(jurisdictionId, signal) {
      const path = `/api/jurisdictions/${encodeURIComponent(jurisdictionId)}/contributors`;
      return children(jurisdictionOf(jurisdictionId), {
        operation: "contributors",
        path,
        schema: contributorsSchema,
        signal,
      });
    },
    sources(contributorId, signal) {
      const path = `/api/contributors/${encodeURIComponent(contributorId)}/sources`;
      return children(contributor, { operation: "sources", path, schema: sourcesSchema, signal });
    },
  };
}
