import { UsageError } from "../../../apis/errors.ts";
import { countRuns, nextRuns } from "../../../schedule/runs.ts";
import { inCode } from "../../../slack/text/mrkdwn.ts";
import { isAside } from "../../../slack/incoming/request.ts";
import type { Ask, Message, Services } from "../../feature.ts";
import { channelOf, placeOf, viewerOf, zoneOf } from "../../subscriptions/commands.ts";
import { needOneOf } from "../../sources/index.ts";
import { placeShown } from "../../subscriptions/destination.ts";
import { previewOf } from "../../subscriptions/proposal/preview.ts";
import { proposalView } from "../../subscriptions/proposal/view.ts";
import { type Schedule, readSchedule } from "../../subscriptions/schedule.ts";
import type { Draft } from "../../subscriptions/store.ts";
import { isJustAdded } from "../../subscriptions/model.ts";
import { typeNamed, typesOf } from "../../sources/trending.ts";
import { shared } from "../acts.ts";
import { type Alert, type Sample, isSame } from "../alert.ts";
import { factsOf } from "../card.ts";
import { type Said, readLine, usage } from "./line.ts";
import { samplesNow } from "../live.ts";
import { forecastLine, forecastOf, forecastWords } from "./preview.ts";
import { filterOf, ruleFrom } from "./said.ts";
import { alertWindow, usualWhen } from "./window.ts";

/** Adds an alert; asks in a window for what was not said. */
export async function add(text: string, ask: Ask, services: Services): Promise<Message> {
  await needOneOf(["intelligence", "gateway"], services);
  const early = readLine(text, services.timeZone);
  const isBare = Object.keys({ ...early, ...early.numbers }).every((part) => part === "type" || part === "numbers");
  if (isBare && isAside(ask)) return newWindow(early.type, ask, services);
  if (isBare && early.type === undefined) throw new UsageError(`What should I watch, and when? Type ${usage}.`);
  const { draft, said, samples } = await wantedIn(text, ask, services);
  const { subscription, isNew: isFirst } = await services.alerts.add(draft, services.now(), () =>
    shared.needRoom(draft, { ask, services }),
  );
  const isNew = isFirst || (ask.surface === "button" && isJustAdded(subscription, ask.user, services.now()));
  const lead = isNew ? await addedWords(subscription, ask, services) : sameWords(subscription, said, text);
  const small = isNew ? outlookOf(subscription, samples, services) : undefined;
  return shared.card(subscription, lead, { ask, services }, small);
}

/** What would be added, before it is. */
export async function previewAdd(text: string, ask: Ask, services: Services): Promise<Message> {
  readLine(text, services.timeZone);
  return previewOf({ noun: "alert", number: 0, line: `add ${text}` }, () => proposalOf(text, ask, services));
}

async function proposalOf(text: string, ask: Ask, services: Services): Promise<Message> {
  const { draft, said, samples } = await wantedIn(text, ask, services);
  const all = await services.alerts.ofTeam(ask.team);
  const standing = all.find((each) => isSame(each, draft));
  if (standing) return shared.card(standing, sameWords(standing, said, text), { ask, services });
  await shared.needRoom(draft, { ask, services });
  const alert = drafted(draft);
  const notes = await shared.notes(alert, ask, services);
  const facts = factsOf(alert, await viewerOf([alert], ask, services), outlookOf(alert, samples, services));
  return proposalView({ noun: "alert", number: 0, facts, line: `add ${text}`, notes });
}

/** The window again, with what was filled in. */
export async function changeAdd(text: string, ask: Ask, services: Services): Promise<Message> {
  const said = readLine(text, await zoneOf(ask, services));
  const channel = placeShown(said.place, channelOf(ask));
  const { draft, samples } = await draftIn(said, channel ?? ask.user, { ask, services });
  const forecasts = forecastWords(forecastOf(draft, samples));
  return alertWindow({ alert: drafted(draft), types: typesOf(samples), forecasts, channel });
}

/** With a number that no alert has. */
function drafted(draft: Draft<Alert>): Alert {
  return { ...draft, number: 0, state: "active", changed: [] };
}

async function wantedIn(text: string, ask: Ask, services: Services) {
  const zone = await zoneOf(ask, services);
  const said = readLine(text, zone);
  const channel = await placeOf(said.place, ask, services);
  return { ...(await draftIn(said, channel, { ask, services })), said };
}

async function draftIn(said: Said, channel: string, { ask, services }: { ask: Ask; services: Services }) {
  const zone = await zoneOf(ask, services);
  const samples = await samplesNow(services);
  const about = draftOf(said, { channel, schedule: said.schedule ?? readSchedule(usualWhen, zone) });
  const filter = filterOf(said, typesOf(samples));
  const at = services.now();
  const [nextRun = at] = nextRuns(about.schedule, at, 1);
  const draft: Draft<Alert> = { ...about, filter, team: ask.team, maker: ask.user, nextRun };
  return { draft, samples };
}

/** How often it would come, and what that costs. */
function outlookOf(alert: Alert, samples: Sample[], services: Services): string {
  return [forecastLine(forecastOf(alert, samples, alert.rule)), ...costOf(alert, services)].join("\n");
}

function draftOf(said: Said, place: { channel: string; schedule: Schedule }) {
  const quietHours = said.quietHours === "off" ? undefined : said.quietHours;
  const nothing = { episodes: [], mutes: [], held: [], pending: [] };
  return { ...place, ...nothing, rule: ruleFrom(said), ...(quietHours && { quietHours }) };
}

async function addedWords(alert: Alert, ask: Ask, services: Services): Promise<string> {
  const notes = await shared.notes(alert, ask, services);
  const lead = `Alert ${alert.number} is set. What is trending at its first look is not told, only what rises after it.`;
  return [lead, ...notes].join("\n");
}

const dayMs = 24 * 60 * 60_000;

/** What looking costs, where the news service, which is free, is not set up. */
function costOf({ schedule }: Alert, { configured, now }: Services): string[] {
  if (configured.intelligence || !configured.gateway) return [];
  const daily = countRuns(schedule, now(), now() + dayMs);
  return [
    `Each look costs 1 credit, about ${daily.toLocaleString("en")} a day; alerts that look at the same time share it.`,
  ];
}

function sameWords({ number, state }: Alert, { schedule, word, numbers }: Said, text: string): string {
  const lead = `Alert ${number} watches this for the same place already${state === "paused" ? ", but is paused" : ""}, so I added nothing.`;
  if (!schedule && !word && Object.keys(numbers).length === 0) return lead;
  const wanted = text.replace(/\s*(?:--|[—–])in[ =]\S+/i, "");
  return `${lead} To change it, type \`/alerts edit ${number} ${inCode(wanted)}\`.`;
}

/** Types and forecasts come from what is trending now and was lately. */
async function newWindow(type: string | undefined, ask: Ask, services: Services): Promise<Message> {
  const samples = await samplesNow(services);
  const types = typesOf(samples);
  const named = type === undefined ? undefined : typeNamed(type, types);
  const schedule = readSchedule(usualWhen, services.timeZone);
  const filter = { type: named, include: [], exclude: [] };
  const wanted = { team: ask.team, maker: ask.user, channel: ask.channel, filter, schedule };
  return alertWindow({
    types,
    type: named,
    forecasts: forecastWords(forecastOf(wanted, samples)),
    channel: channelOf(ask),
  });
}
