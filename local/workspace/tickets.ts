import type { Clock } from "./clock.ts";
import type { Ids } from "./ids.ts";

/** Tickets for Socket Mode connections. */
export interface Tickets {
  issue: () => string;
  /** Uses a ticket up; false where it was used, is too old or never existed. */
  spend: (ticket: string) => boolean;
}

const LIFE_MS = 30_000;

/** Builds the tickets: each good for one connection within 30 seconds. */
export function createTickets(clock: Clock, ids: Ids): Tickets {
  const issued = new Map<string, () => void>();
  return {
    issue() {
      const ticket = ids.secret();
      const forget = clock.after(LIFE_MS, () => issued.delete(ticket));
      issued.set(ticket, forget);
      return ticket;
    },
    spend(ticket) {
      issued.get(ticket)?.();
      return issued.delete(ticket);
    },
  };
}
