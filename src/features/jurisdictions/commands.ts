import { UsageError } from "../../apis/errors.ts";
import type { Jurisdictions } from "../../apis/jurisdictions/client.ts";
import type { JurisdictionLookup, NamedRecord } from "../../apis/jurisdictions/schema.ts";
import { type Log, describe } from "../../log.ts";
import type { Ask, Command, Configured, Feature, Message } from "../feature.ts";
import { queryWords } from "../options.ts";
import { findByName, foldName, isSentence } from "../list.ts";
import { type Area, jurisdictionView, membersView, overviewView, regionView, whichAreaView } from "./view.ts";

/** A step that a button takes: what to show, of what, and which page of it. */
const step = /^(in|at|agencies|contributors|sources) ([\da-f-]{36})(?: (\d{1,4}))?$/i;

/** Places that a name may mean. */
const suggestions = 8;

/** What jurisdictions are looked up with. */
interface JurisdictionDependencies {
  jurisdictions: Jurisdictions;
  configured: Configured;
  log: Log;
}

export const jurisdictions: Command<JurisdictionDependencies> = {
  verb: "jurisdictions",
  group: "find",
  usage: "[NAME]",
  summary: "Browse who regulates where: regions, jurisdictions, agencies, contributors and sources",
  examples: ["jurisdictions", "jurisdictions France"],
  needs: ["jurisdictions"],
  isSlash: false,
  working: "Looking up jurisdictions…",
  fits: (text) => step.test(text) || (text.split(/\s+/).length <= 3 && !isSentence(text)),
  async run(ask, needs) {
    const [, what, id = "", page] = step.exec(ask.text.trim()) ?? [];
    if (what !== undefined) return showStep({ what, id, page: Number(page ?? 1) }, ask, needs);
    const name = queryWords(ask.text, {
      usage: "/bellwether jurisdictions NAME",
      example: "/bellwether jurisdictions France",
    });
    const lookup = await needs.jurisdictions.lookup(ask.signal);
    if (!name) return overviewView(lookup);
    const areas = lookup.regions.flatMap((region): Area[] => [
      { region },
      ...region.jurisdictions.map((jurisdiction) => ({ region, jurisdiction })),
    ]);
    const nameOf = ({ region, jurisdiction }: Area) => (jurisdiction ?? region).name;
    const found = findByName(name, areas, nameOf);
    const called = found.match ? [] : areas.filter((area) => isShortFor(name, nameOf(area)));
    const { match, near } = called.length > 0 ? { match: undefined, near: called } : found;
    if (!match) return whichAreaView(name, near.slice(0, suggestions));
    // Asked for by name, it is an answer like any other; browsing is what a window is for.
    const { window: _, ...message } = await areaView(match, ask, needs);
    return message;
  },
};

/** Names for the same, of which a list has one and people type another. */
const sameNames = [
  ["us", "usa", "united states", "united states of america"],
  ["uk", "united kingdom", "great britain", "britain"],
  ["eu", "european union"],
];

/** Whether a listed name begins with another word for what was typed, as “US federal” does for “United States”. */
function isShortFor(typed: string, listed: string): boolean {
  const wanted = foldName(typed).replace(/^the /, "");
  const names = sameNames.find((same) => same.includes(wanted)) ?? [];
  return names.some((same) => `${foldName(listed)} `.startsWith(`${same} `));
}

interface BrowseStep {
  what: string;
  id: string;
  page: number;
}

async function showStep({ what, id, page }: BrowseStep, ask: Ask, needs: JurisdictionDependencies): Promise<Message> {
  if (what === "sources") return sourcesView(id, page, ask, needs);
  const lookup = await needs.jurisdictions.lookup(ask.signal);
  const area = what === "in" ? regionWith(lookup, id) : jurisdictionWith(lookup, id);
  if (!area) throw new UsageError("That’s no longer listed. `/bellwether jurisdictions` shows what is.");
  if (what === "in") return regionView(area.region, page);
  const { jurisdiction } = area;
  if (what === "at" || !jurisdiction) return areaView(area, ask, needs);
  const list = { of: jurisdiction.name, page, line: `jurisdictions ${what} ${id}`, back: `jurisdictions at ${id}` };
  if (what === "agencies") {
    return membersView({ ...list, kind: "Agencies", members: await needs.jurisdictions.agencies(id, ask.signal) });
  }
  const members = await needs.jurisdictions.contributors(id, ask.signal);
  const further = { placeholder: "Sources of…", line: (member: NamedRecord) => `jurisdictions sources ${member.id}` };
  return membersView({ ...list, kind: "Contributors", members, further });
}

function regionWith({ regions }: JurisdictionLookup, id: string): Area | undefined {
  const region = regions.find((each) => each.id === id);
  return region && { region };
}

function jurisdictionWith({ regions }: JurisdictionLookup, id: string): Required<Area> | undefined {
  for (const region of regions) {
    const jurisdiction = region.jurisdictions.find((each) => each.id === id);
    if (jurisdiction) return { region, jurisdiction };
  }
  return undefined;
}

async function areaView({ region, jurisdiction }: Area, ask: Ask, needs: JurisdictionDependencies): Promise<Message> {
  if (!jurisdiction) return regionView(region, 1);
  const { agencyCount, contributorCount, id } = jurisdiction;
  const api = needs.jurisdictions;
  const [agencies, contributors] = await Promise.all([
    agencyCount !== 0 ? readNames(api.agencies(id, ask.signal), needs) : [],
    contributorCount !== 0 ? readNames(api.contributors(id, ask.signal), needs) : [],
  ]);
  return jurisdictionView({ region, jurisdiction, agencies, contributors, hasNews: needs.configured.intelligence });
}

/** Nothing where they cannot be had: the jurisdiction itself is worth showing. */
async function readNames(
  asked: Promise<NamedRecord[]>,
  { log }: JurisdictionDependencies,
): Promise<NamedRecord[] | undefined> {
  try {
    return await asked;
  } catch (error) {
    log.warn("jurisdictions.names", { error: describe(error) });
    return undefined;
  }
}

/** A source names what it belongs to, which the step to it cannot: a menu holds no more than one ID. */
async function sourcesView(
  id: string,
  page: number,
  { signal }: Ask,
  { jurisdictions: api }: JurisdictionDependencies,
): Promise<Message> {
  const [members, lookup] = await Promise.all([api.sources(id, signal), api.lookup(signal)]);
  const [first] = members;
  const all = lookup.regions.flatMap((region) => region.jurisdictions);
  const parent = all.find(({ name }) => name === first?.jurisdiction);
  const back = parent ? `jurisdictions contributors ${parent.id}` : "jurisdictions";
  return membersView({
    kind: "Sources",
    of: first?.contributor ?? "this contributor",
    members,
    page,
    line: `jurisdictions sources ${id}`,
    back,
  });
}

/** Who regulates where. */
export const jurisdictionsFeature: Feature<JurisdictionDependencies> = {
  name: "jurisdictions",
  commands: [jurisdictions],
};
