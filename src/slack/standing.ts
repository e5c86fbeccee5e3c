import { randomUUID } from "node:crypto";

import type { Incoming } from "./answer.ts";
import type { Intent, Ledger } from "./leftovers.ts";
import { markOf } from "./mark.ts";
import type { Message, Posted } from "./text/message.ts";
import { bodyOf } from "./poster.ts";

interface StandingOptions {
  ledger: Ledger;
  since: number;
  /** Told where the answer stands. */
  stands: (at: Posted) => void;
}

/** Where an answer stands, known once it is posted, and noted down from just before that until it has ended. */
export function createStanding(
  { team, channel, thread, user, line, noted: before }: Omit<Incoming, "call">,
  { ledger, since, stands }: StandingOptions,
) {
  const posted = Promise.withResolvers<Posted | undefined>();
  const intent = { team, channel, thread, user, line, key: randomUUID(), since, ...before };
  let stood: Posted | undefined;
  let end: string | undefined;
  let noted = before && Promise.resolve();
  let shown: Intent["shown"];
  let isKept = false;

  /** So that the next process knows where something may stand. Not waited for, either. */
  function shows(next: Intent["shown"]): void {
    if (!before?.aside || shown === next) return;
    shown = next;
    noted = noted?.then(() => ledger.intend({ ...intent, shown }));
  }

  return {
    posted: posted.promise,
    /** Not waited for: the note is made long before Slack has taken the message. Gives the place to post to. */
    intend(again: string) {
      intent.line = again;
      noted ??= ledger.intend(intent);
      shows("place");
      return intent;
    },
    /** Something is about to be shown to the asker alone. */
    show: () => shows("aside"),
    /** Leaves the note to the next process. */
    keep(): void {
      isKept = true;
    },
    settle(at: Posted | undefined): void {
      if (at) stands(at);
      posted.resolve(at);
      stood = at ?? stood;
      if (at) noted = noted?.then(() => ledger.begin({ ...intent, shown, end, ...at }));
    },
    /** The last state is about to be shown, which this message ends: where it stands, the answer is whole. */
    ends(message: Message): void {
      const mark = markOf(bodyOf(message));
      if (end === mark || !stood) return;
      end = mark;
      const at = stood;
      noted = noted?.then(() => ledger.begin({ ...intent, shown, end, ...at }));
    },
    async leave(): Promise<void> {
      posted.resolve(undefined);
      const at = await posted.promise;
      await noted;
      if (noted && !isKept) await ledger.end({ ...intent, ...at });
    },
  };
}
