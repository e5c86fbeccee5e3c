import type { Log } from "../../log.ts";
import type { Http } from "../call.ts";
import { lookupSchema } from "./schema.ts";
import type { Lookup } from "./schema.ts";

/** The jurisdiction database; every signal is honoured by throwing its reason. */
export interface Jurisdictions {
  /** All regions and their jurisdictions, with counts. */
  lookup(signal?: AbortSignal): Promise<Lookup>;
}

export interface JurisdictionsOptions {
  http: Http;
  key: string;
  log?: Pick<Log, "warn"> | undefined;
}

/** Builds the client for one key. */
export function createJurisdictions({ http, key, log }: JurisdictionsOptions): Jurisdictions {
  return {
    async lookup(signal) {
      const path = "/api/jurisdictions/lookup";
      const { value } = await http.json({
        operation: "lookup",
        method: "GET",
        path,
        token: key,
        schema: lookupSchema,
        signal,
      });
      if (value.dropped > 0) log?.warn("jurisdictions.dropped", { operation: "lookup", dropped: value.dropped });
      return value.lookup;
    },
  };
}
