import type { Article } from "../../apis/article.ts";
import type { JurisdictionLookup, NamedRecord } from "../../apis/jurisdictions/schema.ts";
import { type MenuChoice, button, context, header, menu, messageOf, row, section } from "../../slack/text/blocks.ts";
import { limits } from "../../slack/text/limits.ts";
import type { Message } from "../../slack/text/message.ts";
import { bold, escape, inCode, shorten } from "../../slack/text/mrkdwn.ts";
import { postAction, replaceAction } from "../../slack/incoming/request.ts";
import { pageButtons, pageOf } from "../paging.ts";
import { articleLine } from "../articles/view.ts";
import { followButtons } from "../sources/follow.ts";
import { plural, singular } from "../text.ts";
import type { RegulatoryRecord } from "../sources/regulators.ts";

type Region = JurisdictionLookup["regions"][number];
type Jurisdiction = Region["jurisdictions"][number];

/** A region, or a jurisdiction in its region. */
export type Area = { region: Region; jurisdiction?: Jurisdiction };

/** Names of one screen. */
const pageSize = 10;
/** Places of one screen, with two lines each. */
const placesShown = 8;
/** Names of agencies, or of contributors, that a jurisdiction's own screen shows. */
const namesShown = 4;

type ScreenElement = ReturnType<typeof button> | ReturnType<typeof menu>;

/** All regions, with a way into each. */
export function overviewView({ regions, totals }: JurisdictionLookup): Message {
  const { jurisdictions, ...counts } = totals;
  const all = [plural(jurisdictions, "jurisdiction"), ...countWords(counts)].join(" · ");
  const small = `${all} in ${plural(regions.length, "region")}`;
  return browseScreen({
    title: "Who regulates where",
    small,
    lines: regions
      .slice(0, 2 * placesShown)
      .map((region) => `${bold(shorten(region.name, 60))}\n${regionCounts(region)}`),
    steps: [choiceMenu("Choose a region", regions.map(regionChoice))],
  });
}

/** The jurisdictions of a region, and the news of all of them. */
export function regionView(region: Region, { page, hasNews }: { page: number; hasNews: boolean }): Message {
  const isRead = region.jurisdictions.some((each) => each.jurisdictionChannel ?? each.agencyChannel);
  const news = [
    run("Read the news", `news jurisdiction ${region.id}`),
    ...followButtons({ source: `jurisdiction ${region.id}`, name: region.name }),
  ];
  const { shown, at, last } = pageOf(region.jurisdictions, page, placesShown);
  return browseScreen({
    title: region.name,
    small: [regionCounts(region), pageWords(at, last)].filter(Boolean).join(" · "),
    lines: shown.map((jurisdiction) =>
      [bold(shorten(jurisdiction.name, 60)), jurisdictionCounts(jurisdiction)].filter(Boolean).join("\n"),
    ),
    empty: "This region has no jurisdictions.",
    steps: [
      choiceMenu("Choose a jurisdiction", region.jurisdictions.map(jurisdictionChoice)),
      ...(hasNews && isRead ? [news] : []),
    ],
    turns: [
      ...pageButtons({ at, last, line: (to) => `jurisdictions in ${region.id} ${to}` }),
      turn("Back", "jurisdictions"),
    ],
  });
}

interface JurisdictionView {
  region: Region;
  jurisdiction: Jurisdiction;
  agencies: NamedRecord[];
  contributors: NamedRecord[];
  /** The news service is set up, so that the channels can be read. */
  hasNews: boolean;
}

/** One jurisdiction: who regulates there, who reports from there, and its news. */
export function jurisdictionView(view: JurisdictionView): Message {
  const { region, jurisdiction, agencies, contributors, hasNews } = view;
  const { id, name, agencyChannel, jurisdictionChannel } = jurisdiction;
  const listButton = (label: string, count: number | undefined) => {
    const counted = count === undefined ? label : `${label} (${count})`;
    const value = `jurisdictions ${label.toLowerCase()} ${id}`;
    return count === 0 ? [] : [turn(counted, value, `${counted} in ${name}`)];
  };
  const readButton = (label: string, channel: number | undefined, source = `channel ${channel}`) =>
    channel === undefined ? [] : [run(label, `news ${source}`)];
  const reads =
    agencyChannel === jurisdictionChannel
      ? readButton("Read the news", agencyChannel, `jurisdiction ${id}`)
      : [
          ...readButton("Read agency news", agencyChannel),
          ...readButton("Read jurisdiction news", jurisdictionChannel),
        ];
  const follows = reads.length > 0 ? followButtons({ source: `jurisdiction ${id}`, name }) : [];
  return browseScreen({
    title: name,
    small: [shortName(region.name), jurisdictionCounts(jurisdiction)].filter(Boolean).join(" · "),
    lines: [...memberNames("Agencies", agencies), ...memberNames("Contributors", contributors)],
    empty: "No agencies or contributors are listed here.",
    steps: [
      [
        ...listButton("Agencies", jurisdiction.agencyCount),
        ...listButton("Contributors", jurisdiction.contributorCount),
      ],
      hasNews ? [...reads, ...follows] : [],
    ],
    turns: [turn("Back", `jurisdictions in ${region.id}`, `Back to ${region.name}`)],
  });
}

interface MembersView {
  kind: "Agencies" | "Contributors" | "Sources";
  /** The name of their jurisdiction or contributor. */
  of: string;
  members: NamedRecord[];
  page: number;
  /** The line of this list, without a page. */
  line: string;
  back: string;
  /** The step that opens one of them. */
  further?: { placeholder: string; step: string };
  /** The jurisdiction and the region that they lie in. */
  where?: string[];
}

/** Agencies, contributors or sources, a screen at a time. */
export function membersView(view: MembersView): Message {
  const { kind, of, members, page, line, back, further, where = [] } = view;
  const { shown, at, last } = pageOf(members, page, pageSize);
  const choices = shown.map(({ id, name }) => ({
    label: shorten(name, limits.option),
    value: `jurisdictions ${further?.step} ${id}`,
  }));
  return browseScreen({
    title: `${kind}: ${of}`,
    small: [...where.map(shortName), plural(members.length, singular(kind)), pageWords(at, last)]
      .filter(Boolean)
      .join(" · "),
    lines: shown.map(({ name }) => `• ${escape(shorten(name, 100))}`),
    empty: `No ${kind.toLowerCase()} are listed here.`,
    steps: further ? [choiceMenu(further.placeholder, choices)] : [],
    turns: [...pageButtons({ at, last, line: (to) => `${line} ${to}` }), turn("Back", back)],
  });
}

/** An agency's articles; `none` if there is no channel to read. */
export type AgencyNews = Article[] | "none";

interface AgencyView {
  agency: RegulatoryRecord;
  /** The contributor of the same name, which has sources. */
  contributor?: NamedRecord | undefined;
  /** The newest first. */
  news: AgencyNews;
  now: number;
}

/** Articles of an agency's card. */
const newsShown = 3;

/** One agency: its jurisdiction, its latest news, and buttons. */
export function agencyView({ agency, contributor, news, now }: AgencyView): Message {
  const { name, place } = agency;
  const follows =
    news === "none"
      ? []
      : [
          run("Read agency news", `news agency ${agency.id}`),
          ...followButtons({ source: `agency ${agency.id}`, name }),
        ];
  return browseScreen({
    title: name,
    small: ["Agency", shortName(place.name), shortName(place.region.name)].join(" · "),
    lines: [newsWords(news, place.name, now)],
    steps: [follows],
    turns: [
      turn(shorten(place.name, 60), `jurisdictions at ${place.id}`, `About ${place.name}`),
      ...(contributor ? [turn("Its sources", `jurisdictions sources ${contributor.id}`)] : []),
    ],
  });
}

function newsWords(news: AgencyNews, place: string, now: number): string {
  if (news === "none") return `There’s no news channel for ${shortName(place)}.`;
  if (news.length === 0)
    return `Nothing about it in the news of ${shortName(place)} right now. A digest posts new articles when there are some.`;
  return news
    .slice(0, newsShown)
    .map((article) => `• ${articleLine(article, { now })}`)
    .join("\n");
}

/** The regions, jurisdictions and records that a name may mean, the likeliest first. */
export interface NamedFound {
  found: (Area | RegulatoryRecord)[];
  /** They only have a similar name, or another word for it. */
  isGuess?: boolean;
}

/** Names that are offered for one that is not clear. */
const suggestions = 5;

/** The meanings of a name as buttons; without any, a hint. */
export function whichView(name: string, { found, isGuess }: NamedFound): Message {
  const wanted = escape(shorten(name, 80));
  if (found.length === 0) {
    const hint = `I couldn’t find “${wanted}”. \`/bellwether jurisdictions\` lists every region and jurisdiction. Or search the news: \`/news ${inCode(name)}\`.`;
    return messageOf(section(hint));
  }
  const lead = isGuess
    ? `I couldn’t find “${wanted}”. Did you mean ${found.length === 1 ? "this" : "one of these"}?`
    : found.length > suggestions
      ? `“${wanted}” fits ${found.length.toLocaleString("en")} names. Type more of it, or do you mean one of these?`
      : `“${wanted}” can be one of these. Which one do you mean?`;
  const choices = found.slice(0, suggestions).map(choiceOf);
  return messageOf(section(lead), row(...choices.map(({ label, value }) => turn(label, value))));
}

function choiceOf(found: Area | RegulatoryRecord) {
  const choice = (name: string, where: string, step: string) => {
    const first = shorten(name, 46);
    const label = `${first} (${shorten(where, limits.buttonLabel - first.length - 3)})`;
    return { label, value: `jurisdictions ${step}` };
  };
  if (!("kind" in found)) {
    const { region, jurisdiction } = found;
    if (!jurisdiction) return choice(region.name, "region", `in ${region.id}`);
    return choice(jurisdiction.name, region.name, `at ${jurisdiction.id}`);
  }
  const { kind, id, name, place, contributor } = found;
  if (kind === "agency") return choice(name, place.name, `agency ${id}`);
  return choice(name, contributor?.name ?? place.name, `sources ${contributor?.id ?? id}`);
}

interface Screen {
  title: string;
  small: string;
  lines: string[];
  /** Said if there are no lines. */
  empty?: string;
  /** Rows of buttons and menus that lead further. */
  steps: ScreenElement[][];
  /** Buttons to the neighbouring screens. */
  turns?: ScreenElement[];
}

function browseScreen({ title, small, lines, empty, steps, turns = [] }: Screen): Message {
  const body = lines.join("\n") || empty;
  return {
    ...messageOf(
      header(shorten(title, 140)),
      context(small),
      ...(body ? [section(body)] : []),
      ...[...steps, turns].map((elements) => row(...elements)),
    ),
    window: { title: "Jurisdictions" },
    shareable: true,
  };
}

/** A button to another screen; `spoken` says more than its label. */
function turn(label: string, value: string, spoken = label): ScreenElement {
  return button({ action: replaceAction, label, value, accessibleText: spoken });
}

function run(label: string, value: string): ScreenElement {
  return button({ action: postAction, label, value });
}

function choiceMenu(placeholder: string, choices: MenuChoice[]): ScreenElement[] {
  return [menu({ action: `${replaceAction}:into`, placeholder, choices })];
}

function regionChoice(region: Region) {
  const label = `${shorten(region.name, 60)} (${region.jurisdictions.length})`;
  return { label, value: `jurisdictions in ${region.id}` };
}

function jurisdictionChoice({ id, name }: Jurisdiction) {
  return { label: shorten(name, limits.option), value: `jurisdictions at ${id}` };
}

function pageWords(at: number, last: number): string {
  return last > 1 ? `page ${at} of ${last}` : "";
}

function regionCounts({ jurisdictions }: Region): string {
  const counts = jurisdictions.flatMap(({ agencyCount }) => agencyCount ?? []);
  const isWhole = counts.length === jurisdictions.length;
  const agencies = isWhole ? counts.reduce((sum, one) => sum + one, 0) : undefined;
  return [plural(jurisdictions.length, "jurisdiction"), ...countWords({ agencies })].join(" · ");
}

function jurisdictionCounts({ agencyCount, contributorCount, sourceCount }: Jurisdiction): string {
  return countWords({ agencies: agencyCount, contributors: contributorCount, sources: sourceCount }).join(" · ");
}

/** The counts that are known; an unknown count must not look like zero. */
function countWords(counts: Omit<JurisdictionLookup["totals"], "jurisdictions">): string[] {
  const { agencies, contributors, sources } = counts;
  const known = (count: number | undefined, noun: string) => (count === undefined ? [] : [plural(count, noun)]);
  return [...known(agencies, "agency"), ...known(contributors, "contributor"), ...known(sources, "source")];
}

function shortName(name: string): string {
  return escape(shorten(name, 60));
}

function memberNames(label: string, members: NamedRecord[]): string[] {
  if (members.length === 0) return [];
  const names = members.slice(0, namesShown).map(({ name }) => shortName(name));
  const more = members.length - names.length;
  return [`*${label}:* ${names.join(", ")}${more > 0 ? `, and ${more.toLocaleString("en")} more` : ""}`];
}
