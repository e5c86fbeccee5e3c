import { randomUUID } from "node:crypto";

import { describe } from "../../log.ts";
import type { Job, Services } from "../feature.ts";
import {
  type Gate,
  type Patience,
  type Tally,
  createGate,
  createPatience,
  createTally,
  isWritable,
  pauseRefused,
} from "../subscriptions/delivery.ts";
import { isLate, postsMost } from "../subscriptions/model.ts";
import { placeProblem, sourceProblem } from "../subscriptions/view.ts";
import {
  type Digest,
  type Outcome,
  type Pending,
  afterOvertaken,
  afterPost,
  afterRead,
  afterRefusal,
  afterRoot,
  atSend,
  beforePost,
  emptyWords,
  quietAfter,
  unposted,
  unsent,
  withList,
} from "./compose.ts";
import { digestViews, emptyNote, emptyView, noteOf, storiesShown } from "./view.ts";
import { type Draft, type Reads, createReads } from "./draft.ts";
import { changesIn, rankedNote, rankedViews, rankingFor } from "./ranking.ts";
import { SlackRefused, isUnposted } from "../../slack/refusal.ts";
import { Interrupted } from "../failure.ts";
import { Overtaken } from "../subscriptions/announced.ts";
import { digestKind } from "./kind.ts";
import type { Message } from "../../slack/text/message.ts";
import type { ArticleList } from "../news/view.ts";
import type { Article } from "../../apis/article.ts";

/** A tick does not wait longer for its posts; they go on, and those of their places wait for them. */
const tickMs = 50_000;

/** Digests that are written at once: upstream may be slow, and this machine has other work. */
const atOnce = 8;

/** Sources that are read at once for one place. */
const readAtOnce = 4;

/** Looks every minute for digests that are due, and posts what is new. */
export const postDigests: Job = {
  name: "digests",
  every: "* * * * *",
  atOnce: true,
  async run(services) {
    const { busy, patience } = standingOf(services);
    const now = services.now();
    const due = (await services.digests.due(now)).filter((each) => each.pending || !patience.isWaiting(each, now));
    if (!(await isWritable(due, services.digests, services))) return;
    const places = Map.groupBy(due, ({ team, channel }) => `${team} ${channel}`);
    const reads = createReads(services, { payer: (digest) => payerFor(digest, services) });
    const tally = createTally(services.log, "digest.failed");
    const desk = { services, reads, gate: createGate(atOnce), tally };
    const work = [...places].map(async ([place, own]) => {
      // A place whose digests of the last tick still wait for Slack gets the next ones after them.
      if (busy.has(place)) return;
      busy.add(place);
      await oneByOne(own, desk).finally(() => busy.delete(place));
    });
    await Promise.race([Promise.all(work).finally(() => tally.close()), elapsed(services)]);
  },
};

interface Standing {
  /** Places that are being worked on, also by ticks that have ended. */
  busy: Set<string>;
  patience: Patience;
}

const standings = new WeakMap<Services["digests"], Standing>();

/** What one tick leaves to the next. */
function standingOf({ digests }: Services): Standing {
  const standing = standings.get(digests) ?? {
    busy: new Set(),
    patience: createPatience(),
  };
  standings.set(digests, standing);
  return standing;
}

function elapsed({ after }: Services): Promise<void> {
  return new Promise((resolve) => void after(tickMs, resolve));
}

function payerFor({ team, maker: user }: Digest, { spending }: Services): Services["gateway"] {
  return spending.gatewayFor({ team, user });
}

/** What a tick works with. */
interface Desk {
  services: Services;
  reads: Reads;
  gate: Gate;
  tally: Tally;
}

/**
 * Two digests of one place must not show the same article, so the second waits for the first; one whose source is slow
 * lets the others go first. What is written already has chosen its articles, so it goes before all.
 */
async function oneByOne(due: Digest[], desk: Desk): Promise<void> {
  const { pending = [], fresh = [] } = Object.groupBy(due, (each) => (each.pending ? "pending" : "fresh"));
  const works = [...pending, ...fresh].map((each) => () => attempted(each, desk, () => prepared(each, desk)));
  for await (const digest of asReady(works, readAtOnce)) {
    if (digest) await attempted(digest, desk, () => bring(digest, desk));
  }
}

/**
 * Does nothing for a workspace that took the bot out. What fails is told to the operator, and holds up nobody else; as it
 * may have been paid for, it is not tried each minute.
 */
async function attempted<T>(digest: Digest, { services, tally }: Desk, work: () => Promise<T>): Promise<T | undefined> {
  if (!services.isInstalled(digest.team)) return undefined;
  try {
    return await work();
  } catch (error) {
    tally.failed(digest, error);
    standingOf(services).patience.failed(digest, services.now());
    return undefined;
  }
}

/** With its source read, so that nobody waits for that. */
async function prepared(digest: Digest, { reads }: Desk): Promise<Digest> {
  if (!digest.pending && digest.source.kind !== "trending") await reads.ready(digest);
  return digest;
}

async function bring(digest: Digest, { services, reads, gate }: Desk): Promise<void> {
  const written = digest.pending ? digest : await gate(() => write(digest, services, reads));
  if (written?.pending) await send(written, services, gate);
}

/** Reads what is new and writes down what is to be posted, together with when the next digest comes. */
async function write(digest: Digest, services: Services, reads: Reads): Promise<Digest | undefined> {
  if (digest.source.kind === "trending") return writeRanking(digest, services);
  const { digests, now } = services;
  const draft = await attempt(digest, services, () => reads.draft(digest));
  if (!draft) return undefined;
  const { fresh, at } = draft;
  const pending = fresh > 0 ? await pendingOf(digest, draft, services, reads) : emptyOf(digest, now());
  return writeDown(digest, { at, fresh, pending }, digests);
}

/** What was paused or changed meanwhile, or done by somebody else, is left as it is. */
function writeDown(digest: Digest, outcome: Outcome, digests: Services["digests"]): Promise<Digest | undefined> {
  const isSame = ({ state, nextRun, pending }: Digest) => state === "active" && nextRun === digest.nextRun && !pending;
  return updateIf(digest, digests, { isSame, change: (current) => afterRead(current, outcome) });
}

/** The same for what brings a ranking: new is what has changed in it. */
async function writeRanking(digest: Digest, services: Services): Promise<Digest | undefined> {
  const at = services.now();
  const ranking = await attempt(digest, services, () => rankingFor(digest, services, payerFor(digest, services)));
  if (!ranking) return undefined;
  const fresh = changesIn(ranking);
  const isDelayed = noteDelay(digest, services);
  const note = rankedNote({ digest, ranking, isLate: isDelayed });
  const pending = fresh > 0 ? { key: randomUUID(), since: at, ranking, note, tries: 0 } : emptyOf(digest, at);
  return writeDown(digest, { at, fresh, pending }, services.digests);
}

/** Nothing where its source cannot be read, which is written down. */
async function attempt<T>(digest: Digest, services: Services, read: () => Promise<T>): Promise<T | undefined> {
  const { team, number } = digest;
  try {
    return await read();
  } catch (error) {
    services.log.warn("digest.unread", { team, number, error: describe(error) });
    const problem = sourceProblem(error);
    standingOf(services).patience.failed(digest, services.now());
    await services.digests.update(digest, (current) =>
      current.problem === problem ? current : { ...current, problem },
    );
    return undefined;
  }
}

async function pendingOf(
  digest: Digest,
  { list, found, fresh, repeats, bill }: Draft,
  services: Services,
  reads: Reads,
): Promise<Pending> {
  const isDelayed = noteDelay(digest, services);
  const lead = digest.look?.hasLead ? await reads.lead(list, digest) : undefined;
  const costs = [bill, lead?.small].filter((each) => each !== undefined).join(" · ");
  return {
    key: randomUUID(),
    since: services.now(),
    list: await reads.keep(list),
    counts: {
      found,
      fresh,
      since: digest.last?.at,
      ...(isDelayed && { due: digest.nextRun }),
      ...(repeats > 0 && { repeats }),
    },
    ...(lead?.text && { lead: lead.text }),
    ...(costs && { bill: costs }),
    tries: 0,
  };
}

/** Whether it runs later than it should, which the operator is told. */
function noteDelay(digest: Digest, { now, log }: Services): boolean {
  const isDelayed = isLate(digest, now());
  const { team, number, nextRun } = digest;
  if (isDelayed) log.info("digest.late", { team, number, due: new Date(nextRun).toISOString() });
  return isDelayed;
}

/** What is to be said where nothing is new; mostly nothing. */
function emptyOf(digest: Digest, at: number): Pending | undefined {
  const words = emptyWords(digest, at);
  if (!words) return undefined;
  return { key: randomUUID(), since: at, note: emptyNote(digest, words, quietAfter(digest, at)), tries: 0 };
}

/**
 * Gives what works come to as soon as they have, so many of them under way at once; what comes at the same time keeps its
 * order. The works begin in their order and must not fail.
 */
async function* asReady<T>(works: (() => Promise<T>)[], width: number): AsyncGenerator<T> {
  const underway = new Map<number, Promise<void>>();
  const ready = new Map<number, T>();
  let begun = 0;
  for (let left = works.length; left > 0; left--) {
    for (const work of works.slice(begun, begun + width - underway.size)) {
      const at = begun++;
      underway.set(
        at,
        work().then((value) => void ready.set(at, value)),
      );
    }
    if (ready.size === 0) await Promise.race(underway.values());
    // What comes a few turns later has come at the same time.
    await new Promise((resolve) => void setImmediate(resolve));
    const [first] = [...ready].toSorted(([one], [other]) => one - other);
    if (!first) return;
    const [at, value] = first;
    ready.delete(at);
    underway.delete(at);
    yield value;
  }
}

/** A digest that is paused or removed while it waits for its turn. */
class Withdrawn extends Error {
  override readonly name = "Withdrawn";
}

/** Posts what is written down; what became of it is written down too. */
async function send(digest: Digest, services: Services, gate: Gate): Promise<void> {
  const { digests, now } = services;
  const { team, number, pending } = digest;
  if (!pending) return;
  const post = pending.tries < postsMost ? await gate(() => postOf(digest, pending, services)) : "spent";
  if (typeof post === "string") return giveUp(digest, post, services);
  // In memory only: until it goes out, nothing has happened that a crash could undo.
  const claimed = await updateIf(
    digest,
    { update: (...about) => digests.touch(...about) },
    { isSame: (current) => isStill(current, pending) && current.pending?.tries === pending.tries, change: beforePost },
  );
  if (!claimed) return;
  try {
    await sendAll(claimed, post, services);
  } catch (error) {
    // Where the bot is being stopped, it comes when the bot is back.
    if (error instanceof Withdrawn || error instanceof Interrupted) return;
    if (error instanceof Overtaken) return anew(claimed, services, gate);
    return refused(claimed, { post, error }, services);
  }
  await digests.update(digest, (current) => (isStill(current, pending) ? afterPost(current, now()) : current));
  services.log.info("digest.posted", { team, number });
}

/** The same with what is left of it; each time somebody else has told some of it, so that this comes to an giveUp. */
async function anew(digest: Digest, services: Services, gate: Gate): Promise<void> {
  const current = await services.digests.get(digest);
  if (current && digest.pending && isStill(current, digest.pending)) await send(current, services, gate);
}

const endings: Record<"gone" | "spent", string> = {
  gone: "What waited to be posted is too old by now, so I let it go. What is still new comes with the next digest.",
  spent: "The last digest could not be posted, and is not tried again.",
};

/** Nothing of it is posted any more. */
async function giveUp(digest: Digest, why: keyof typeof endings | "overtaken", { digests }: Services): Promise<void> {
  const { pending } = digest;
  await digests.update(digest, (current) => {
    if (current.pending?.key !== pending?.key) return current;
    return why === "overtaken" ? afterOvertaken(current) : { ...unposted(current), problem: endings[why] };
  });
}

function isStill({ state, pending }: Digest, { key }: Pending): boolean {
  return state === "active" && pending?.key === key;
}

/** Posts its message; or the one that leads, then the stories in its thread. */
async function sendAll(digest: Digest, { messages, stories }: Post, services: Services): Promise<void> {
  const { digests, announced, now } = services;
  const [first, ...below] = messages;
  const { team, channel, pending } = digest;
  if (!pending) return;
  const { key, sentAt } = pending;
  const onSend = async () => {
    await announced.announce(digest, stories, { by: key, now: now() });
    const isSame = (current: Digest) => isStill(current, pending);
    const noted = await updateIf(digest, digests, { isSame, change: (current) => atSend(current, now()) });
    if (noted) return;
    await announced.withdraw(digest, stories, key);
    throw new Withdrawn();
  };
  let root = pending.root;
  // Only what may have gone out is looked for.
  if (!root) root = await services.post({ team, channel, key, sentSince: sentAt, onSend }, first);
  const [inThread] = below;
  if (!inThread) return;
  const standing = root;
  if (!pending.root) await digests.update(digest, (current) => afterRoot(current, standing));
  const sentSince = pending.root ? sentAt : undefined;
  const place = { team, channel: root.channel, thread: root.ts, key: `${key} stories`, sentSince, onSend };
  await services.post(place, inThread);
}

const unsure = "Slack did not say whether it took the last digest, so I do not send it a second time.";

interface RefusedPost {
  post: Post;
  error: unknown;
}

async function refused(digest: Digest, { post, error }: RefusedPost, services: Services): Promise<void> {
  const { digests, log, now } = services;
  const { team, number } = digest;
  log.warn("digest.unposted", { team, number, error: describe(error) });
  if (isUnposted(error) && !digest.pending?.root) await giveBack(digest, post, services);
  if (await pauseRefused({ kind: digestKind, subscription: digest, error }, services)) {
    // Its place may be closed for longer than lists are kept.
    if (digest.pending?.list !== undefined) await services.lists.prolong(digest.pending.list);
    return;
  }
  const reaction = error instanceof SlackRefused ? error.reaction : undefined;
  await digests.update(digest, (current) => {
    if (reaction === "unsure") return { ...current, pending: undefined, problem: unsure };
    return afterRefusal(current, placeProblem(error), now());
  });
}

/** What is refused does not hold back its stories: another post may show them meanwhile. */
async function giveBack(digest: Digest, { stories }: Post, { digests, announced }: Services): Promise<void> {
  const { pending } = digest;
  if (!pending) return;
  await digests.update(digest, (current) => (current.pending?.key === pending.key ? unsent(current) : current));
  await announced.withdraw(digest, stories, pending.key);
}

/** A digest as it is posted now. */
interface Post {
  messages: [Message, ...Message[]];
  /** The stories that its channel is shown by it. */
  stories: Article[][];
}

/** Nothing can be posted any more: its list is gone, or other posts have shown all of it. */
type Unwritten = "gone" | "overtaken";

/** What is pending, without what other posts have shown in its channel since it was written down. */
async function postOf(digest: Digest, pending: Pending, services: Services): Promise<Post | Unwritten> {
  const { list: key, ranking, note = "" } = pending;
  if (ranking) return { messages: rankedViews({ digest, ranking, note }), stories: [] };
  if (key === undefined) return { messages: [emptyView(digest, note)], stories: [] };
  const list = await services.lists.get(key);
  if (!list) return "gone";
  const shown = await services.announced.known(digest, list.articles, pending.key);
  if (shown.size === 0) return postWith(list, digest, pending);
  const articles = list.articles.filter((article) => !shown.has(article));
  if (articles.length === 0) return "overtaken";
  const rest = { ...list, articles, total: list.total - shown.size };
  const kept = { list: await services.lists.keep(rest), shown: shown.size };
  const changed = await services.digests.update(digest, (current) => withList(current, pending, kept));
  return changed?.pending ? postWith(rest, changed, changed.pending) : "gone";
}

function postWith(list: ArticleList, digest: Digest, { list: key, counts, note, lead, bill }: Pending): Post {
  const words = (counts ? noteOf(list, counts) : note) || (list.note ?? "");
  return {
    messages: digestViews({ digest, list, key, note: words, lead, bill, repeats: counts?.repeats }),
    stories: storiesShown(digest, list).map(({ lead: first, others }) => [first, ...others]),
  };
}

interface Condition {
  isSame: (current: Digest) => boolean;
  change: (current: Digest) => Digest;
}

/** Changes a digest where it is still as it was; nothing where it is not, and then the change is not made. */
async function updateIf(
  name: Digest,
  digests: Pick<Services["digests"], "update">,
  { isSame, change }: Condition,
): Promise<Digest | undefined> {
  let isOurs = false;
  const changed = await digests.update(name, (current) => {
    isOurs = isSame(current);
    return isOurs ? change(current) : current;
  });
  return isOurs ? changed : undefined;
}
