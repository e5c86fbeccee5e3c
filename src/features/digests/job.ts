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
} from "../subscriptions/delivery.ts";
import { isLate } from "../subscriptions/model.ts";
import { sourceProblem } from "../subscriptions/view.ts";
import { claim } from "./post/claim.ts";
import { type Digest, type Outcome, type Pending, afterRead, emptyWords, quietAfter } from "./compose.ts";
import { emptyNote } from "./post/view.ts";
import { asReady } from "./read/ready.ts";
import { type Draft, type Reads, createReads } from "./read/reads.ts";
import { rankingFor } from "./ranked/draft.ts";
import { changesIn } from "./ranked/rule.ts";
import { rankedNote } from "./ranked/view.ts";
import { send } from "./post/send.ts";

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
  return claim(digest, digests, { isSame, change: (current) => afterRead(current, outcome) });
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
