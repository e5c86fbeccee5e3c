import type { Article } from "../../apis/article.ts";
import type { Intelligence } from "../../apis/intelligence/client.ts";
import { type GenerateEvent, stagesOfSearch } from "../../apis/intelligence/generate.ts";
import type { Stage } from "../../apis/intelligence/schema.ts";
import { type Log, describe } from "../../log.ts";
import { withDeadline } from "../../slack/timer.ts";

/** Names the articles that a model retrieved: it gives their IDs only, and the news service has no look-up by ID. */

interface RetrievedDependencies {
  intelligence: Pick<Intelligence, "articles" | "articlesKnown">;
  log: Pick<Log, "warn">;
  after: (ms: number, call: () => void) => () => void;
}

/** Queries for one answer; each is free. */
const mostQueries = 3;
/** A finished answer waits no longer for headlines. */
const longestWaitMs = 1_000;

/** Looks up what one answer's searches brought, while the answer is written. */
export function createRetrieved(
  { intelligence, log, after }: RetrievedDependencies,
  { stages: base = [], signal }: { stages?: Stage[] | undefined; signal: AbortSignal },
) {
  const argsOf = new Map<string | undefined, Record<string, unknown>>();
  const queries = new Map<string, Promise<unknown>>();

  function query(stages: Stage[]): void {
    const key = JSON.stringify(stages);
    if (stages.length === 0 || queries.has(key) || queries.size >= mostQueries) return;
    const read = intelligence
      .articles(stages, signal)
      .catch((error: unknown) => log.warn("sources.read.failed", { error: describe(error) }));
    queries.set(key, read);
  }

  const known = (ids: number[]): Article[] => [...intelligence.articlesKnown(ids).values()];

  return {
    /** Takes note of a search; if it brought articles that are not known, the same filters are queried. */
    follow(event: GenerateEvent): void {
      if (event.type === "text" || queries.size >= mostQueries) return;
      if (event.type === "tool_start") for (const { id, args } of event.calls) argsOf.set(id, args);
      if (event.type !== "tool_finish" || known(event.articleIds).length === event.articleIds.length) return;
      const found = stagesOfSearch(argsOf.get(event.callId));
      // The arguments may be long, and a call has one result.
      argsOf.delete(event.callId);
      query(found.length > 0 ? found : base);
    },
    known,
    /** Resolves when the queries are through, or after a second. */
    async settle(): Promise<void> {
      if (queries.size === 0) return;
      await withDeadline<unknown>({ after }, longestWaitMs, Promise.all(queries.values()), () => undefined);
    },
  };
}
