import { UsageError } from "../../../apis/errors.ts";
import { button, context, header, row, section, sectionWith } from "../../../slack/text/blocks.ts";
import type { Message } from "../../../slack/text/message.ts";
import { escape, inCode, shorten, spoken, when } from "../../../slack/text/mrkdwn.ts";
import { turnAction } from "../../../slack/incoming/request.ts";
import type { Ask, Services } from "../../feature.ts";
import { pageOf } from "../../list.ts";
import { type Act, idleWords, trialWords } from "../../subscriptions/commands.ts";
import { figure, numbers } from "../../trending/view.ts";
import { plural } from "../../text.ts";
import { meantIn, shared } from "../acts.ts";
import type { Alert, Episode, Sample } from "../alert.ts";
import { evaluate } from "../rule/evaluate.ts";
import { leadsToShow } from "../post/leads.ts";
import { matcherOf, prepare } from "../rule/prepare.ts";
import { isQuiet } from "../rule/quiet.ts";
import { cardOf, makerOf } from "../post/render.ts";
import { type Subject, similarTo, subjectsNamed, unknownSubject } from "./subjects.ts";
import { samplesNow } from "../live.ts";
import { closer, severalView } from "../view.ts";
import { reasonsView, toldView } from "./why.ts";
import { entityLines, isRising, readAloud } from "../words.ts";

/** Entities of one screen. */
const pageSize = 5;
/** Alerts that one answer explains. */
const explained = 3;

/** What would be posted now, to whoever asks alone. */
export async function test(text: string, ask: Ask, services: Services): Promise<Message> {
  const { number } = shared.numberIn(text, "test");
  const standing = await shared.standingOf(number, ask, services);
  const alert: Alert = { ...standing, state: "active" };
  const sample = (await samplesNow(services)).at(-1);
  if (!sample) throw new UsageError("I could not see what is trending. Try again in a minute.");
  // As if it had watched for a while and nothing had been told yet.
  const unmet = {
    ...alert,
    baseline: { at: 0, entities: [] },
    episodes: [],
    held: [],
    pending: [],
    quietHours: undefined,
  };
  const rule = { ...alert.rule, ticks: 1 };
  const { alert: after, decisions } = evaluate({ ...unmet, rule }, prepare(sample), sample.at);
  const [decision] = decisions;
  const trial = { ...standing, noun: "alert", now: services.now() };
  if (!decision) return nothingView(alert, sample, idleWords(trial));
  const episodes = after.episodes.filter(({ entity }) => decision.entities.includes(entity));
  const by = await makerOf(alert, services);
  const [first] = episodes;
  const shown =
    episodes.length === 1 && first
      ? await closerLook(alert, first, services)
      : severalView({ alert, episodes, more: decision.more, now: services.now(), by });
  const held = alert.rule.ticks > 1 ? `, once it has held ${alert.rule.ticks} times in a row` : "";
  return below(trialWords(trial, `${held}, had it told of nothing before`), shown);
}

/** A message below a line of ours. */
function below(lead: string, message: Message): Message {
  const { text, blocks = [], instead } = message;
  return {
    text: `${spoken(lead)}\n${text}`,
    blocks: [section(lead), ...blocks],
    ...(instead && { instead: [section(lead), ...instead] }),
  };
}

function nothingView(alert: Alert, { entities }: Sample, idle: string): Message {
  const { number, filter, rule } = alert;
  const reading = prepare({ at: 0, entities });
  const fits = matcherOf(filter) ?? (() => true);
  const [best] = [...reading.items.values()].filter(fits);
  const nearest = best
    ? ` The nearest is ${escape(shorten(best.name, 60))}: ${numbers(best.figures).join(" · ")}; it needs score ${figure(rule.score)}, ${plural(rule.mentions, "mention")} and ${figure(rule.ratio)}× usual.`
    : " Nothing that it watches is trending.";
  const words = `Alert ${number} would post nothing now.${nearest}${idle}`;
  return { text: readAloud(words), blocks: [section(words)] };
}

/** One entity of an alert with everything that is known of it. */
export async function show(text: string, ask: Ask, services: Services): Promise<Message> {
  const { what, alerts, samples } = await meantIn(text, ask, services);
  for (const subject of subjectsNamed(what, { alerts, samples })) {
    for (const alert of alerts) {
      const episode =
        alert.episodes.find(({ entity }) => entity === subject.entity) ?? passing(subject, samples.at(-1));
      if (episode) return closerLook(alert, episode, services);
    }
  }
  throw new UsageError("It is not trending any more, and I do not keep what has passed. `/trending` shows what is.");
}

/** What was told of among others has no articles yet. */
async function closerLook(alert: Alert, episode: Episode, services: Services): Promise<Message> {
  const list = episode.list ?? (await leadsToShow(episode, services));
  return cardOf({ alert, episode: { ...episode, list }, by: await makerOf(alert, services) }, services);
}

/** An entity as it is now, of which nothing was told. */
function passing({ entity }: Subject, sample: Sample | undefined): Episode | undefined {
  const seen = sample?.entities.find((each) => each.entity === entity);
  if (!seen || !sample) return undefined;
  const { at } = sample;
  const { name, type, mentions, average, score } = seen;
  const figures = { at, mentions, average, score };
  return { entity, name, type, state: "pending", since: at, streak: 0, changedAt: at, peak: figures, last: figures };
}

/** Everything that an alert finds rising now, a screen at a time. */
export async function rising(text: string, ask: Ask, services: Services): Promise<Message> {
  const [, number = "", page = "1"] = /^#?(\d{1,9})(?:\s+(\d{1,4}))?$/.exec(text.trim()) ?? [];
  const alert = await shared.standingOf(shared.numberIn(number, "now").number, ask, services);
  const strength = ({ last: { score = 0 } }: Episode) => score;
  const active = alert.episodes
    .filter((episode) => isRising(episode) && episode.state !== "pending")
    .toSorted((one, other) => strength(other) - strength(one));
  if (active.length === 0) {
    const words = alert.last
      ? `Nothing rises enough for alert ${alert.number} now.`
      : `Alert ${alert.number} has not looked yet.`;
    return { text: words, blocks: [section(words)] };
  }
  return risingView(alert, active, { page: Number(page), now: services.now() });
}

function risingView(alert: Alert, active: Episode[], { page, now }: { page: number; now: number }): Message {
  const { number } = alert;
  const { shown, at, last } = pageOf(active, page, pageSize);
  const title = `Rising now by alert ${number}`;
  const small = [
    ...(alert.last ? [`As of ${when(alert.last.at)}`] : []),
    `${active.length.toLocaleString("en")} in all`,
    ...(last > 1 ? [`page ${at} of ${last}`] : []),
  ].join(" · ");
  const turn = (label: string, to: number) =>
    button({
      action: `${turnAction}:${label.toLowerCase()}`,
      label,
      value: `alerts now ${number} ${to}`,
      spoken: `${label}, page ${to} of ${last}`,
    });
  const turns = [...(at > 1 ? [turn("Previous", at - 1)] : []), ...(at < last ? [turn("Next", at + 1)] : [])];
  const lines = shown.map((episode) => entityLines(alert, episode, now));
  return {
    text: [title, spoken(small), ...lines.map(spoken)].join("\n"),
    blocks: [
      header(title),
      ...shown.map((episode, index) => sectionWith(lines[index] ?? "", closer(alert, episode, index))),
      context(small),
      ...(turns.length > 0 ? [row(...turns)] : []),
    ],
  };
}

function similarHint(what: string, samples: Sample[]): string[] {
  const names = similarTo(what, samples).map((name) => `\`${inCode(shorten(name, 60))}\``);
  const lead = "No such name has trended lately; names are spelt as in `/trending`.";
  return [names.length > 0 ? `${lead} Did you mean ${names.join(", ")}?` : lead];
}

/** Stories come with digests. */
function refuseAddress(text: string): void {
  const [, url] = /^<?(https?:\/\/[^\s<>|]+)/i.exec(text.trim()) ?? [];
  if (url === undefined) return;
  const line = `/digests why-not ${inCode(shorten(url, 200))}`;
  throw new UsageError(`An alert tells of names. To hear why a story did not come, type \`${line}\`.`);
}

/** What is said of an entity to each alert that is meant. */
function explaining(view: typeof reasonsView): Act<Services> {
  return async (text, ask, services) => {
    refuseAddress(text);
    const { what, alerts, samples } = await meantIn(text, ask, services);
    if (!what) throw new UsageError("About whom? Type `/alerts why-not NAME`, for example `/alerts why-not BASF`.");
    const found = subjectsNamed(what, { alerts, samples });
    const subject = found[0] ?? unknownSubject(what, alerts) ?? { entity: `|${what}`, name: what, type: "" };
    const about = { subject, sample: samples.at(-1), now: services.now() };
    const explain = (alert: Alert) => view({ ...about, alert, isQuiet: isQuiet(alert, services.now()) });
    const shown = alerts.slice(0, explained).map(explain);
    const hints = found.length > 0 ? [] : similarHint(what, samples);
    return {
      text: [...shown.map((message) => message.text), ...hints.map(spoken)].join("\n\n"),
      blocks: [...shown.flatMap(({ blocks = [] }) => blocks), ...hints.map((hint) => context(hint))],
    };
  };
}

/** Why an alert does not tell of an entity now. */
export const whyNot: Act<Services> = explaining(reasonsView);

/** Why an alert has told of an entity. */
export const why: Act<Services> = explaining(toldView);
