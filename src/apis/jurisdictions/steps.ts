import { type Log, describe } from "../../log.ts";
import { Unavailable, UnexpectedAnswer } from "../errors.ts";
import type { Jurisdictions } from "./client.ts";
import type { JurisdictionLookup, NamedRecord } from "./schema.ts";

type Steps = Pick<Jurisdictions, "lookup" | "regions" | "jurisdictions">;

/**
 * The same database, whose look-up is put together from the hierarchy while its own endpoint fails: the same regions
 * and jurisdictions without counts. Rejects with the look-up's error if the hierarchy cannot be read either.
 */
export function withHierarchy(api: Jurisdictions, log: Pick<Log, "warn">): Jurisdictions {
  return {
    ...api,
    async lookup(signal) {
      try {
        return await api.lookup(signal);
      } catch (error) {
        signal?.throwIfAborted();
        if (!isOfEndpoint(error)) throw error;
        const found = await readHierarchy(api, log, signal);
        if (!found) throw error;
        log.warn("jurisdictions.look-up.failed", { jurisdictions: found.totals.jurisdictions, error: describe(error) });
        return found;
      }
    },
  };
}

/** True if other endpoints may answer all the same: not if the key is refused, nobody answers or we ask too much. */
function isOfEndpoint(error: unknown): boolean {
  if (error instanceof UnexpectedAnswer) return true;
  if (!(error instanceof Unavailable)) return false;
  return error.status === undefined ? error.reason !== "connection" : error.status >= 500;
}

/** The part of it that can be read region by region; nothing if no region can be read. */
async function readHierarchy(
  api: Steps,
  log: Pick<Log, "warn">,
  signal: AbortSignal | undefined,
): Promise<JurisdictionLookup | undefined> {
  const missed = (error: unknown) => {
    signal?.throwIfAborted();
    log.warn("jurisdictions.step.failed", { error: describe(error) });
    return undefined;
  };
  const listed = await api.regions(signal).catch(missed);
  if (!listed) return undefined;
  const read = async (region: NamedRecord) => {
    const jurisdictions = await api.jurisdictions(region.id, signal).catch(missed);
    return jurisdictions ? [{ ...region, jurisdictions }] : [];
  };
  // One after the other: there are few regions, and a service that has just failed is not to be crowded.
  const regions: JurisdictionLookup["regions"] = [];
  for (const region of listed) regions.push(...(await read(region)));
  if (regions.length === 0 && listed.length > 0) return undefined;
  return { regions, totals: { jurisdictions: regions.flatMap((region) => region.jurisdictions).length } };
}
