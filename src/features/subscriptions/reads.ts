import type { Article } from "../../apis/article.ts";
import type { Gateway } from "../../apis/gateway/client.ts";
import type { Health } from "../account/health.ts";
import { type Arrivals, candidatesOf } from "./arrivals.ts";
import { readSource, sourceKey, sourceKindOf } from "../sources/index.ts";
import type { Source, SourceArticles, SourceDependencies } from "../sources/source.ts";
import { createConcurrencyLimit, memoize, watchRead } from "./jobs.ts";
import type { Name, Subscription } from "./model.ts";

/** Sources that are read at once: upstream may be slow, and this machine has other work. */
const readAtOnce = 8;

/** A source as it was read for its subscriptions. */
export interface SourceRead extends SourceArticles {
  /** The time of the read, and the arrival of each article. */
  at: number;
  arrivals: ReadonlyMap<Article, number>;
  /** The subscription whose owner paid; for the others it cost nothing. */
  paidBy: Name;
}

/** A subscription to articles. */
export type SourceFollower = Pick<Subscription, "team" | "number" | "owner"> & { source: Source };

/** The gateway that pays for what is read for a subscription; throws if nobody may any more. */
export type Payer = (subscription: Pick<Subscription, "team" | "owner">) => Gateway;

export interface ReadDependencies extends SourceDependencies {
  arrivals: Arrivals;
  health: Pick<Health, "saw">;
  now: () => number;
}

interface ReadOptions {
  payer: Payer;
  signal?: AbortSignal | undefined;
}

/** The key under which a source is read and remembered: per workspace if it costs credits, else shared by all. */
export function readKey({ source, team }: Pick<SourceFollower, "source" | "team">): string {
  return `${sourceKindOf(source).api === "gateway" ? team : ""} ${sourceKey(source)}`;
}

/** Reads each source once for all who follow it, such as those that are due in one tick; whoever comes first pays. */
export function createSourceReads(deps: ReadDependencies, { payer, signal }: ReadOptions) {
  const limited = createConcurrencyLimit(readAtOnce);
  const reads = new Map<string, Promise<SourceRead>>();
  return (follower: SourceFollower): Promise<SourceRead> => {
    const { source, team, number } = follower;
    const key = readKey(follower);
    return memoize(reads, key, () =>
      limited(async () => {
        const payingNeeds = { ...deps, gateway: payer(follower) };
        const found = await watchRead(sourceKindOf(source).api, deps.health, () =>
          readSource(source, payingNeeds, signal),
        );
        const at = deps.now();
        const arrivals = await deps.arrivals.of(key, candidatesOf(found.articles), at);
        return { ...found, at, arrivals, paidBy: { team, number } };
      }),
    );
  };
}
