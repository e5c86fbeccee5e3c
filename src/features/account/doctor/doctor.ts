import type { Api } from "../../../apis/errors.ts";
import type { Probe } from "../../../apis/probe.ts";
import { diagnosis } from "../../../apis/probe/diagnosis.ts";
import type { Finding } from "../../../apis/probe/shape.ts";

/** What the endpoints of one API answered, each asked once. */
export interface Examination {
  api: Api;
  probes: Probe[];
  /** What its answers have in common. */
  findings: Finding[];
  /** What an operator should do, as sentences. */
  advice: string[];
  ms: number;
  /** When it ended, in epoch milliseconds. */
  at: number;
  /** Time ran out before every endpoint was asked. */
  isCut: boolean;
}

/** Examines the services that are set up. */
export interface Doctor {
  /** Takes at most 25 seconds; whoever asks meanwhile gets the same. Rejects where the API is not set up. */
  examine(api: Api, signal: AbortSignal): Promise<Examination>;
  /** The last examination, if it is not older than ten minutes. */
  last(api: Api): Examination | undefined;
}

export interface DoctorOptions {
  /** How each API that is set up is probed. */
  probes: Partial<Record<Api, (signal: AbortSignal) => AsyncIterable<Probe>>>;
  now: () => number;
  /** A signal that aborts after so many milliseconds. */
  timeLimit?: (ms: number) => AbortSignal;
}

const longestMs = 25_000;
const freshMs = 10 * 60_000;

/** Builds the doctor; it remembers what it has seen, so that its details can be looked through. */
export function createDoctor({ probes, now, timeLimit = (ms) => AbortSignal.timeout(ms) }: DoctorOptions): Doctor {
  const seen = new Map<Api, Examination>();
  const underWay = new Map<Api, Promise<Examination>>();

  async function examined(api: Api, signal: AbortSignal): Promise<Examination> {
    const probe = probes[api];
    if (!probe) throw new Error(`${api} is not set up`);
    const since = now();
    const overtime = timeLimit(longestMs);
    const done: Probe[] = [];
    try {
      for await (const one of probe(AbortSignal.any([signal, overtime]))) done.push(one);
    } catch (error) {
      if (signal.aborted || !overtime.aborted) throw error;
    }
    const at = now();
    const examination = { api, probes: done, ...diagnosis(api, done), ms: at - since, at, isCut: overtime.aborted };
    seen.set(api, examination);
    return examination;
  }

  return {
    examine(api, signal) {
      const joined = underWay.get(api);
      if (joined) return joined;
      const work = examined(api, signal).finally(() => underWay.delete(api));
      underWay.set(api, work);
      return work;
    },
    last(api) {
      const examination = seen.get(api);
      return examination && now() - examination.at < freshMs ? examination : undefined;
    },
  };
}
