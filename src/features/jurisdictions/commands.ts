import { ApiError, UsageError } from "../../apis/errors.ts";
import type { Intelligence } from "../../apis/intelligence/client.ts";
import type { Jurisdictions } from "../../apis/jurisdictions/client.ts";
import type { JurisdictionLookup } from "../../apis/jurisdictions/schema.ts";
import type { Log } from "../../log.ts";
import { withDeadline } from "../../slack/timer.ts";
import { StepRequired } from "../failure.ts";
import type { Ask, Command, Configured, Feature, Job, Message } from "../feature.ts";
import { queryWords } from "../options.ts";
import { channelOf, readAgencyNews } from "../sources/agency.ts";
import { type Regulators, type RegulatoryRecord, formsOf } from "../sources/regulators.ts";
import {
  type AgencyNews,
  type Area,
  type NamedFound,
  agencyView,
  jurisdictionView,
  membersView,
  overviewView,
  regionView,
  whichView,
} from "./view.ts";
import { alike, foldName, isSentence } from "../names.ts";
import { newestFirst } from "../articles/list.ts";

/** A step that a button takes: what to show, of what, and which page of it. */
const step = /^(in|at|agencies|agency|contributors|sources) ([\da-f-]{36})(?: (\d{1,4}))?$/i;

interface JurisdictionDependencies {
  jurisdictions: Jurisdictions;
  regulators: Regulators;
  intelligence: Pick<Intelligence, "channel" | "entities">;
  configured: Configured;
  log: Log;
  now: () => number;
  after: (ms: number, call: () => void) => () => void;
}

export const jurisdictions: Command<JurisdictionDependencies> = {
  verb: "jurisdictions",
  group: "find",
  usage: "[NAME]",
  summary: "Who regulates where, and what each publishes",
  examples: ["jurisdictions", "jurisdictions France", "jurisdictions Federal Reserve"],
  needs: ["jurisdictions"],
  working: "Looking it up…",
  fits: (text) => step.test(text) || (!isSentence(text) && (text.split(/\s+/).length <= 3 || isTitle(text))),
  async run(ask, deps) {
    const [, what, id = "", page] = step.exec(ask.text.trim()) ?? [];
    if (what !== undefined) return showStep({ what, id, page: Number(page ?? 1) }, ask, deps);
    const name = queryWords(ask.text, {
      usage: "/bellwether jurisdictions NAME",
      example: "/bellwether jurisdictions France",
    });
    const lookup = await deps.jurisdictions.lookup(ask.signal);
    if (!name) return overviewView(lookup);
    const meant = await findNamed(name, lookup, ask, deps);
    const [only] = meant.found;
    if (!only || meant.found.length > 1 || meant.isGuess) return whichView(name, meant);
    // Asked for by name, it is an answer like any other; browsing is what a window is for.
    const { window: _, ...message } = await showNamed(only, ask, deps);
    return message;
  },
};

/** Tells a name, “Board of Governors of the Federal Reserve System”, from a sentence. */
function isTitle(text: string): boolean {
  return text.split(/\s+/).every((word) => /^[\p{Lu}\d(]/u.test(word) || word.length <= 3);
}

/** The longest wait for names that have yet to be read, as after a restart. */
const patienceMs = 20_000;

function learnSoon({ regulators, after }: JurisdictionDependencies): Promise<void> {
  const late = () => Promise.reject(new StepRequired("I’m still reading the names. Try again in a minute."));
  return withDeadline<void>({ after }, patienceMs, regulators.learn(), late);
}

function areasOf({ regions }: JurisdictionLookup): Area[] {
  return regions.flatMap((region) => [
    { region },
    ...region.jurisdictions.map((jurisdiction) => ({ region, jurisdiction })),
  ]);
}

/** The meanings of a name. Those that are only similar to it are guesses. */
async function findNamed(
  name: string,
  lookup: JurisdictionLookup,
  ask: Ask,
  deps: JurisdictionDependencies,
): Promise<NamedFound> {
  const areas = areasOf(lookup);
  const nameOf = ({ region, jurisdiction }: Area) => (jurisdiction ?? region).name;
  const wanted = foldName(name);
  const exact = areas.filter((area) => foldName(nameOf(area)) === wanted);
  if (exact.length > 0) return { found: exact };
  const called = areas.filter((area) => isShortFor(name, nameOf(area)));
  if (called.length > 0) return { found: called, isGuess: true };
  await learnSoon(deps);
  ask.signal.throwIfAborted();
  const records = deps.regulators.search(name);
  if (records.fit === "exact") return { found: records.found };
  const holding = wanted === "" ? [] : areas.filter((area) => foldName(nameOf(area)).includes(wanted));
  const parts = [...holding, ...(records.fit === "part" ? records.found : [])];
  if (parts.length > 0) return { found: parts };
  const near = [...alike(name, areas, nameOf), ...(records.fit === "alike" ? records.found : [])];
  return { found: near, isGuess: true };
}

function showNamed(named: Area | RegulatoryRecord, ask: Ask, deps: JurisdictionDependencies): Promise<Message> {
  if (!("kind" in named)) return areaView(named, ask, deps);
  if (named.kind === "agency") return agencyCard(named, ask, deps);
  return sourcesView((named.contributor ?? named).id, 1, ask, deps);
}

/** Names of one place, of which a list has one and people type another. */
const sameNames = [
  ["us", "usa", "united states", "united states of america"],
  ["uk", "united kingdom", "great britain", "britain"],
  ["eu", "european union"],
];

/** A listed name that begins with another word for what was typed, as “US federal” does for “United States”. */
function isShortFor(typed: string, listed: string): boolean {
  const wanted = foldName(typed).replace(/^the /, "");
  const names = sameNames.find((same) => same.includes(wanted)) ?? [];
  return names.some((same) => `${foldName(listed)} `.startsWith(`${same} `));
}

const goneWords = "That’s no longer listed. `/bellwether jurisdictions` shows what is.";

async function showStep(
  { what, id, page }: { what: string; id: string; page: number },
  ask: Ask,
  deps: JurisdictionDependencies,
): Promise<Message> {
  if (what === "agency") return showAgency(id, ask, deps);
  if (what === "sources") return sourcesView(id, page, ask, deps);
  const lookup = await deps.jurisdictions.lookup(ask.signal);
  const area = areasOf(lookup).find(({ region, jurisdiction }) => (jurisdiction ?? region).id === id);
  if (!area) throw new UsageError(goneWords);
  const { region, jurisdiction } = area;
  if (!jurisdiction) return regionView(region, { page, hasNews: deps.configured.intelligence });
  if (what === "at") return areaView(area, ask, deps);
  const list = { of: jurisdiction.name, page, line: `jurisdictions ${what} ${id}`, back: `jurisdictions at ${id}` };
  if (what === "agencies") {
    const members = await deps.jurisdictions.agencies(id, ask.signal);
    const further = { placeholder: "More about…", step: "agency" };
    return membersView({ ...list, kind: "Agencies", members, further });
  }
  const members = await deps.jurisdictions.contributors(id, ask.signal);
  return membersView({
    ...list,
    kind: "Contributors",
    members,
    further: { placeholder: "Sources of…", step: "sources" },
  });
}

async function areaView({ region, jurisdiction }: Area, ask: Ask, deps: JurisdictionDependencies): Promise<Message> {
  if (!jurisdiction) return regionView(region, { page: 1, hasNews: deps.configured.intelligence });
  const { agencyCount, contributorCount, id } = jurisdiction;
  const api = deps.jurisdictions;
  const [agencies, contributors] = await Promise.all([
    agencyCount !== 0 ? api.agencies(id, ask.signal) : [],
    contributorCount !== 0 ? api.contributors(id, ask.signal) : [],
  ]);
  return jurisdictionView({ region, jurisdiction, agencies, contributors, hasNews: deps.configured.intelligence });
}

async function showAgency(id: string, ask: Ask, deps: JurisdictionDependencies): Promise<Message> {
  await learnSoon(deps);
  ask.signal.throwIfAborted();
  const agency = deps.regulators.get(id);
  if (!agency) throw new UsageError(goneWords);
  return agencyCard(agency, ask, deps);
}

async function agencyCard(agency: RegulatoryRecord, ask: Ask, deps: JurisdictionDependencies): Promise<Message> {
  const { place } = agency;
  const [news, contributors] = await Promise.all([newsAbout(agency, ask, deps), deps.regulators.contributorsIn(place)]);
  const forms = formsOf(agency.name).phrases;
  const twin = contributors.find(({ name }) => forms.includes(foldName(name)));
  return agencyView({ agency, contributor: twin, news, now: deps.now() });
}

async function newsAbout(
  { name, place }: RegulatoryRecord,
  { signal }: Ask,
  deps: JurisdictionDependencies,
): Promise<AgencyNews> {
  const channel = channelOf(place);
  if (channel === undefined || !deps.configured.intelligence) return "none";
  try {
    return newestFirst(await readAgencyNews({ name, channel }, deps, signal));
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return "none";
    throw error;
  }
}

async function sourcesView(
  id: string,
  page: number,
  { signal }: Ask,
  deps: JurisdictionDependencies,
): Promise<Message> {
  const [members] = await Promise.all([deps.jurisdictions.sources(id, signal), learnSoon(deps)]);
  const contributor = deps.regulators.get(id);
  if (!contributor) throw new UsageError(goneWords);
  const { name, place } = contributor;
  return membersView({
    kind: "Sources",
    of: name,
    where: [place.name, place.region.name],
    members,
    page,
    line: `jurisdictions sources ${id}`,
    back: `jurisdictions contributors ${place.id}`,
  });
}

/** Keeps the names of agencies, contributors and sources at hand, so that one typed for the first time is found at once. */
const learnRegulators: Job<JurisdictionDependencies> = {
  name: "learn regulators",
  every: "47 */6 * * *",
  async run({ configured, regulators }) {
    if (configured.jurisdictions) await regulators.learn();
  },
};

export const jurisdictionsFeature: Feature<JurisdictionDependencies> = {
  name: "jurisdictions",
  commands: [jurisdictions],
  jobs: [learnRegulators],
};
