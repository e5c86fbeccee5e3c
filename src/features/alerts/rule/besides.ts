import { type Alert, type PendingAlert, isTelling, muteOf } from "../alert.ts";
import { isActive } from "./evaluate.ts";

/** An alert among those that come to the same place. */
export interface Company {
  alert: Pick<Alert, "number">;
  /** Those that come there. */
  all: Alert[];
  now: number;
}

/**
 * The other alert that has told of what an entity does now, or may have, and goes on telling: nobody should read of one rise
 * twice in a place.
 */
export function tellerOf(entity: string, { alert, all, now }: Company): Alert | undefined {
  return all.find((other) => other.number !== alert.number && tellsOf(other, entity, now));
}

function tellsOf(other: Alert, entity: string, now: number): boolean {
  if (other.state !== "active" || muteOf(other, entity, now)) return false;
  const mayStand = ({ kind, entities, sentAt }: PendingAlert) =>
    sentAt !== undefined && isTelling(kind) && entities.includes(entity);
  const has = other.episodes.some(
    (episode) => episode.entity === entity && episode.posted !== undefined && episode.state !== "cooled",
  );
  return has || other.pending.some(mayStand);
}

/** Whom a message that is not sent yet leaves to other alerts; a line of a thread goes on what its own alert has told. */
export function leftToOthers({ kind, entities, sentAt }: PendingAlert, company: Company): string[] {
  if (sentAt !== undefined || !isTelling(kind)) return [];
  return entities.filter((entity) => tellerOf(entity, company) !== undefined);
}

/** What an alert sees rising and others tell of, by their numbers. */
export function leftRising(alert: Alert, company: Omit<Company, "alert">): { name: string; teller: number }[] {
  return alert.episodes.flatMap(({ entity, name, state, posted, told }) => {
    if (posted || told === undefined || !isActive(state)) return [];
    const teller = tellerOf(entity, { ...company, alert });
    return teller ? [{ name, teller: teller.number }] : [];
  });
}
