import { UsageError } from "../../apis/errors.ts";
import { isPublic } from "../../slack/request.ts";
import type { Ask, Services } from "../feature.ts";
import type { Kind } from "./kind.ts";
import { maySee } from "./permission.ts";
import type { Subscription } from "./subscription.ts";

/** Which subscription a line means. */
export interface Numbered {
  number: number;
  /** Of the list that a button was pressed in. */
  page?: number;
}

export type Finder<S extends Subscription> = ReturnType<typeof createFinder<S>>;

/** Finds the subscriptions of a kind that lines mean; what cannot be found is a UsageError. */
export function createFinder<S extends Subscription>(kind: Kind<S>) {
  const { noun } = kind;

  /** The same words whether there is none or not everybody here may see it. */
  function gone(number: number, ask: Ask): UsageError {
    return new UsageError(
      isPublic(ask)
        ? `No ${noun} ${number} comes to this channel. What you can see elsewhere I show to you alone: type \`/${noun}s list\`.`
        : `There is no ${noun} ${number} here. \`/${noun}s list\` shows those of this channel and the ones you made.`,
    );
  }

  return {
    gone,
    /** The one with a number, where everybody who reads the answer may see it. */
    standingOf: async (number: number, ask: Ask, services: Services): Promise<S> => {
      const subscription = await kind.subscriptions(services).get({ team: ask.team, number });
      if (!subscription || !(await maySee(subscription, ask, services))) throw gone(number, ask);
      return subscription;
    },
    numberIn: (text: string, verb: string): Numbered => {
      const [, number, page] = /^#?(\d{1,9})(?:\s+list\s+(\d{1,6}))?$/i.exec(text.trim()) ?? [];
      if (number !== undefined) return { number: Number(number), ...(page && { page: Number(page) }) };
      throw new UsageError(
        `Which ${noun}? \`/${noun}s list\` shows their numbers; then type \`/${noun}s ${verb} 2\`, for example.`,
      );
    },
  };
}
