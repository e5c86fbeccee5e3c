import type { SummaryEvent } from "../../src/apis/gateway/client.ts";
import type { Caps, Spent } from "../../src/features/account/spending/rule.ts";
import { createSpending } from "../../src/features/account/spending/spending.ts";
import type { Services } from "../../src/features/feature.ts";
import { createLog } from "../../src/log.ts";
import type { Collection } from "../../src/store/collection.ts";
import { credits, memory, now, services } from "../support/builders.ts";

/** What a search finds, with its bill. */
export const found = (about = credits()) => ({ query: "oil", articles: [], total: 0, credits: about });
/** Two who ask in the same channel. */
export const ann = { team: "T1", channel: "C1", user: "UANN", what: "news" };
export const bob = { ...ann, user: "UBOB" };

interface Setting {
  gateway?: Partial<Services["gateway"]>;
  caps?: Caps;
  isTest?: boolean;
  days?: Collection<Spent>;
  zone?: string;
  now?: () => number;
  configured?: Services["configured"];
}

/** Spending on a gateway of which every search is found and paid; every other call fails the test. */
export function spendingWith({ gateway, ...about }: Setting = {}) {
  const lines: string[] = [];
  const spending = createSpending({
    gateway: services({ gateway: { search: async () => found(), ...gateway } }).gateway,
    isTest: false,
    days: memory(),
    caps: {},
    zone: "UTC",
    configured: { intelligence: true, gateway: true, jurisdictions: true },
    now: () => now,
    log: createLog({ level: "error", write: (line) => lines.push(line) }),
    ...about,
  });
  return { ...spending, lines };
}

/** What became of a call: `ok`, or the words of its error. */
export async function outcomeOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return "ok";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** What became of a stream that is read to its end. */
export async function readAll(events: AsyncIterable<SummaryEvent>): Promise<string> {
  return outcomeOf(
    (async () => {
      for await (const _ of events);
    })(),
  );
}
