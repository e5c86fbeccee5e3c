import { adviceOnClock } from "./advice.ts";
import type { Api } from "../errors.ts";
import type { Probe } from "../probe.ts";
import type { Finding } from "./shape.ts";
import type { Signs } from "./signs.ts";

/** What the probes of one API show together. */
interface Diagnosis {
  findings: Finding[];
  /** What an operator should do, each sentence once. */
  advice: string[];
}

/** Sums the probes of one API up. */
export function diagnosis(api: Api, probes: readonly Probe[]): Diagnosis {
  const signs = probes.flatMap((probe) => probe.signs ?? []);
  const ahead = signs.flatMap(({ clockAhead }) => clockAhead ?? []);
  const clock = adviceOnClock(median(ahead));
  const own = probes.flatMap(({ advice }) => advice);
  return { findings: signs.length === 0 ? [] : common(api, signs), advice: [...new Set([...own, ...clock])] };
}

function common(api: Api, signs: readonly Signs[]): Finding[] {
  const isGateway = api === "gateway";
  const share = (matter: string, sign: (signs: Signs) => boolean | undefined): Finding[] => {
    const told = signs.map(sign).filter((has) => has !== undefined);
    if (told.length === 0) return [];
    const count = told.filter(Boolean).length;
    const found = count === 0 ? "not there" : `in ${count} of ${told.length} answers`;
    return [{ matter, found, ...(isGateway ? { isDocumented: count === told.length } : {}) }];
  };
  const envelope = [
    ...share("rate limit in the envelope", ({ hasRateInEnvelope }) => hasRateInEnvelope),
    ...share("credits in the envelope", ({ hasCredits }) => hasCredits),
  ];
  const again = signs.filter(({ attempts }) => attempts > 1).length;
  return [
    ...share("a request's ID", ({ hasRequestId }) => hasRequestId),
    ...share("rate limit in headers", ({ hasRateInHeaders }) => hasRateInHeaders),
    ...(isGateway ? envelope : []),
    ...(again === 0 ? [] : [{ matter: "had to be asked again", found: `${again} of ${signs.length} calls` }]),
  ];
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0;
}
