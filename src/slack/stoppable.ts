import { randomUUID } from "node:crypto";

import type { Posted } from "./text/message.ts";
import { type Request, Stopped } from "./incoming/request.ts";

type Who = Pick<Request, "team" | "user">;
type Place = Who & Pick<Request, "channel" | "thread">;

/** Answers that can be stopped from outside while they are under way. */
export function createStoppable() {
  const underway = new Map<string, Place & { ending: AbortController }>();
  return {
    /** Gives the key that stops an answer, good until `leave`, and takes where it stands: a root begins a thread. */
    enter({ team, user, channel, thread }: Place, ending: AbortController) {
      const stopKey = randomUUID();
      const answer = { team, user, channel, thread, ending };
      underway.set(stopKey, answer);
      return {
        stopKey,
        stands: (at: Posted) => void Object.assign(answer, { channel: at.channel, thread: thread ?? at.ts }),
        leave: () => void underway.delete(stopKey),
      };
    },
    ways: {
      /** Ends one answer with what is written, for whoever asked; says whose it is, or nothing where it has ended. */
      stopOne(key: string, { team, user }: Who): string | undefined {
        const found = underway.get(key);
        if (!found || found.team !== team) return undefined;
        if (found.user === user) found.ending.abort(new Stopped("stopped by the asker"));
        return found.user;
      },
      /** Whether any answer is under way in a thread. */
      isAnswering: (place: Omit<Place, "user">): boolean =>
        [...underway.values()].some((answer) => isIn(answer, place)),
      /** Ends every answer in a thread that this person asked for, and says how many these were. */
      stopThread(place: Place): number {
        const found = [...underway.values()].filter((answer) => answer.user === place.user && isIn(answer, place));
        for (const { ending } of found) ending.abort(new Stopped("stopped by the asker"));
        return found.length;
      },
    },
  };
}

function isIn(answer: Place, { team, channel, thread }: Omit<Place, "user">): boolean {
  return answer.team === team && answer.channel === channel && answer.thread === thread;
}
