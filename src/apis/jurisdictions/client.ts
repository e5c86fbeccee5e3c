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

/** Builds the client for one key. */
export function createJurisdictions({ http, key, log }: JurisdictionsOptions): Jurisdictions {
  async function list<T>(step: Step<T>): Promise<T[]> {
    const { value } = await http.json({ ...step, method: "GET", token: key });
    report(step.operation, value.dropped);
    return value.items;
  }

  async function children<T>(parent: string, step: Step<T>): Promise<T[]> {
    return list(step).catch((error: unknown) => {
      // Documented as "does not exist", so it is no unexpected answer; and an empty list would say that it does exist.
      // It is for the reader to look the parent up again: records come and go between two looks.
      if (!(error instanceof UnexpectedAnswer) || error.status !== 404) throw error;
      throw new UsageError(`The jurisdiction database does not have this ${parent} any more. Look it up again.`, {
        cause: error,
      });
    });
  }

  function report(operation: string, dropped: number): void {
    if (dropped > 0) log?.warn("jurisdictions.dropped", { operation, dropped });
  }

  return {
    async lookup(signal) {
      const path = "/api/jurisdictions/lookup";
      const call = { operation: "lookup", method: "GET", path, token: key, schema: lookupSchema, signal } as const;
      const { value } = await http.json(call);
      report("lookup", value.dropped);
      return value.lookup;
    },
    regions: (signal) => list({ operation: "regions", path: "/api/regions", schema: regionsSchema, signal }),
    jurisdictions(regionId, signal) {
      const path = `/api/regions/${encodeURIComponent(regionId)}/jurisdictions`;
      return children("region", { operation: "jurisdictions", path, schema: jurisdictionsSchema, signal });
    },
    agencies(jurisdictionId, signal) {
      const path = `/api/jurisdictions/${encodeURIComponent(jurisdictionId)}/agencies`;
      return children("jurisdiction", { operation: "agencies", path, schema: agenciesSchema, signal });
    },
    contributors(jurisdictionId, signal) {
      const path = `/api/jurisdictions/${encodeURIComponent(jurisdictionId)}/contributors`;
      return children("jurisdiction", { operation: "contributors", path, schema: contributorsSchema, signal });
    },
    sources(contributorId, signal) {
      const path = `/api/contributors/${encodeURIComponent(contributorId)}/sources`;
      return children("contributor", { operation: "sources", path, schema: sourcesSchema, signal });
    },
  };
}
