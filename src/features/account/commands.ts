import type { Api } from "../../apis/errors.ts";
import { type Log, describe } from "../../log.ts";
import type { Command, Services } from "../feature.ts";
import { plural } from "../words.ts";
import type { Doctor } from "./doctor.ts";
import { type Check, type Configured, type Diagnosis, apis, doctorView, statusView } from "./view.ts";

export const status: Command = {
  verb: "status",
  usage: "",
  summary: "Which services are set up, whether they answer, and the credits left",
  examples: ["status"],
  isSlash: false,
  working: "Asking the services…",
  fits: (text) => text === "",
  async run({ signal }, services) {
    const { intelligence, gateway, jurisdictions } = services;
    const checks = await Promise.all([
      check("intelligence", services, async () => {
        const { length } = await intelligence.channels(signal);
        return plural(length, "saved channel");
      }),
      check("gateway", services, async () => {
        const { credits } = await gateway.me(signal);
        if (credits.test) return "test key: calls cost nothing";
        return credits.remaining === undefined ? "live key" : `${plural(credits.remaining, "credit")} left`;
      }),
      check("jurisdictions", services, async () => {
        const { totals } = await jurisdictions.lookup(signal);
        const agencies = totals.agencies === undefined ? [] : [agenciesOf(totals.agencies)];
        return [plural(totals.jurisdictions, "jurisdiction"), ...agencies].join(", ");
      }),
    ]);
    const wrong = await services.health.wrong();
    signal.throwIfAborted();
    return statusView(checks, wrong);
  },
};

function agenciesOf(count: number): string {
  return count === 1 ? "1 agency" : `${count.toLocaleString("en")} agencies`;
}

async function check(api: Check["api"], { configured, now }: Services, ask: () => Promise<string>): Promise<Check> {
  if (!configured[api]) return { api, state: "missing" };
  const since = now();
  try {
    const detail = await ask();
    return { api, state: "ok", detail, ms: now() - since };
  } catch (error) {
    return { api, state: "failing", error };
  }
}

interface DoctorDependencies {
  doctor: Doctor;
  configured: Configured;
  log: Pick<Log, "error">;
}

export const doctor: Command = {
  verb: "doctor",
  usage: "",
  summary: "Calls every endpoint once: which work, how fast, and what to do about the others",
  examples: ["doctor"],
  isSlash: false,
  working: "Checking services…",
  fits: (text) => text === "",
  async run({ signal }, { doctor: by, configured, log }: DoctorDependencies) {
    const diagnose = async (api: Api): Promise<Diagnosis> => {
      if (!configured[api]) return { api, state: "missing" };
      try {
        return { api, state: "examined", checks: await by.examine(api, signal) };
      } catch (error) {
        // One that cannot be examined is no reason to say nothing of the others.
        log.error("doctor.failed", { api, error: describe(error) });
        return { api, state: "unknown" };
      }
    };
    const all = await Promise.all(apis.map(diagnose));
    signal.throwIfAborted();
    return doctorView(all, configured);
  },
};
