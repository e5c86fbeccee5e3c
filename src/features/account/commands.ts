import { type Api, UsageError, apis } from "../../apis/errors.ts";
import type { Gateway } from "../../apis/gateway/client.ts";
import type { Intelligence } from "../../apis/intelligence/client.ts";
import type { Jurisdictions } from "../../apis/jurisdictions/client.ts";
import { type Request, isPublic } from "../../slack/incoming/request.ts";
import type { Command, Configured, Feature, Job } from "../feature.ts";
import { plural } from "../text.ts";
import type { Doctor } from "./doctor.ts";
import type { Health, OperatorPlace } from "./health.ts";
import type { Spending } from "./spending.ts";
import { type Diagnosis, type SharedWork, type StatusCheck, doctorView, statusView, usageView } from "./view.ts";

interface StatusDependencies {
  intelligence: Pick<Intelligence, "channels">;
  gateway: Pick<Gateway, "me">;
  jurisdictions: Pick<Jurisdictions, "lookup">;
  health: Pick<Health, "wrong">;
  /** The replicas, if there are several. */
  replicas: { facts: () => SharedWork | undefined };
  /** The operator’s channel. */
  operator?: OperatorPlace | undefined;
  configured: Configured;
  now: () => number;
}

export const status: Command<StatusDependencies> = {
  verb: "status",
  group: "manage",
  usage: "",
  summary: "Which services answer, and the credits left",
  examples: ["status"],
  working: "Checking services…",
  fits: (text) => text === "",
  async run(request, services) {
    const { text, signal } = request;
    needNothing(text, "status");
    const { configured, now, health, replicas, operator } = services;
    const check = async (api: Api): Promise<StatusCheck> => {
      if (!configured[api]) return { api, state: "missing" };
      const since = now();
      try {
        const detail = await details[api](services, signal);
        return { api, state: "works", detail, ms: now() - since };
      } catch (error) {
        return { api, state: "fails", error };
      }
    };
    const checks = await Promise.all(apis.map(check));
    const wrong = await health.wrong();
    signal.throwIfAborted();
    // Their addresses are nobody else's business.
    const facts = isOperators(request, operator) ? replicas.facts() : undefined;
    return statusView(checks, wrong, facts);
  },
};

/** True for a request from the operator's channel; without a team, that is in the one workspace that there is. */
function isOperators({ team, channel }: Pick<Request, "team" | "channel">, operator?: OperatorPlace): boolean {
  return operator?.channel === channel && (operator.team ?? team) === team;
}

/** The details that each service has, by a call that costs nothing. */
const details: Record<Api, (services: StatusDependencies, signal: AbortSignal) => Promise<string>> = {
  async intelligence({ intelligence }, signal) {
    return plural((await intelligence.channels(signal)).length, "news channel");
  },
  async gateway({ gateway }, signal) {
    const { credits } = await gateway.me(signal);
    if (credits.test) return "nothing costs credits";
    return credits.remaining === undefined ? "credits unknown" : `${plural(credits.remaining, "credit")} left`;
  },
  async jurisdictions({ jurisdictions }, signal) {
    const { totals } = await jurisdictions.lookup(signal);
    const agencies = totals.agencies === undefined ? [] : [plural(totals.agencies, "agency")];
    return [plural(totals.jurisdictions, "jurisdiction"), ...agencies].join(", ");
  },
};

interface DoctorDependencies {
  doctor: Doctor;
  configured: Configured;
}

export const doctor: Command<DoctorDependencies> = {
  verb: "doctor",
  group: "manage",
  usage: "",
  summary: "For operators: which endpoints fail, and what to do",
  examples: ["doctor"],
  working: "Checking services…",
  fits: (text) => text === "",
  async run({ text, signal }, { doctor: by, configured }) {
    needNothing(text, "doctor");
    const diagnoses = apis.map(async (api): Promise<Diagnosis> => {
      return { api, checks: configured[api] ? await by.examine(api, signal) : undefined };
    });
    const all = await Promise.all(diagnoses);
    signal.throwIfAborted();
    return doctorView(all);
  },
};

interface UsageDependencies {
  gateway: Pick<Gateway, "me" | "usage">;
  spending: Pick<Spending, "report">;
}

export const usage: Command<UsageDependencies> = {
  verb: "usage",
  group: "manage",
  usage: "",
  summary: "Credits left, and who spent them",
  examples: ["usage"],
  needs: ["gateway"],
  working: "Adding up credits…",
  fits: (text) => text === "",
  async run(request, { gateway, spending }) {
    const { text, team, signal } = request;
    needNothing(text, "usage");
    const [account, { usage: counted }, report] = await Promise.all([
      gateway.me(signal),
      gateway.usage(signal),
      spending.report(team),
    ]);
    // A message in public would call everybody whom it names.
    return usageView({ account, usage: counted, report, isPublic: isPublic(request) });
  },
};

/** Refuses what is typed behind a command that takes nothing. */
function needNothing(text: string, verb: string): void {
  if (text !== "") throw new UsageError(`Type \`/bellwether ${verb}\` without anything after it.`);
}

/** Posts the lines that are due to the operator's channel, and retries those that Slack refused. */
const tellOperator: Job<{ health: Pick<Health, "tell"> }> = {
  name: "tell operator",
  every: "* * * * *",
  atOnce: true,
  run: ({ health }) => health.tell(),
};

export type AccountDependencies = StatusDependencies & DoctorDependencies & UsageDependencies & { health: Health };

/** Shows what is set up, whether it answers and what it costs. */
export const accountFeature: Feature<AccountDependencies> = {
  name: "account",
  commands: [usage, status, doctor],
  jobs: [tellOperator],
};
