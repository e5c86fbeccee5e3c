import { Unavailable } from "../../../src/apis/errors.ts";
import type { Alert } from "../../../src/features/alerts/alert.ts";
import { alerts, saveFilled } from "../../../src/features/alerts/commands.ts";
import type { Sample } from "../../../src/features/sources/samples.ts";
import type { Ask, Message } from "../../../src/features/feature.ts";
import { answerOf } from "../../support/answers.ts";
import { asking, now } from "../../support/builders.ts";
import { type GivenAlerts, alertServices, sample, trend } from "./setting.ts";

const person = { type: "Person", mentions: 6, average: 2, score: 1.6 };

/** A company that rises, one that does not, and a person. */
const today = sample(now, [trend("Northwind Energy"), trend("Alba Steel", { score: 1 }), trend("Ada Byron", person)]);

/** A desk where this is trending, the newest last, for somebody in London. */
export function desk(samples: Sample[] = [today], about: GivenAlerts = {}) {
  const gone = new Unavailable({ api: "intelligence", operation: "trending" });
  return alertServices({
    directory: { search: () => ({ near: [] }), find: async () => ({ near: [] }) },
    people: { timeZone: async () => "Europe/London", name: async () => "Ana" },
    samples: {
      take: async () => samples.at(-1) ?? Promise.reject(gone),
      since: async (at) => samples.filter((each) => each.at >= at),
      history: async () => [],
    },
    ...about,
  });
}

export type AlertDesk = ReturnType<typeof desk>;

/** The same with an alert, by what is typed after `/alerts add`. */
export async function deskWith(line: string, about: Partial<Ask> = {}): Promise<AlertDesk> {
  const to = desk();
  await say(`add ${line}`, to, about);
  return to;
}

/** What is answered to a line after `/alerts`. */
export function say(text: string, to: AlertDesk, about: Partial<Ask> = {}): Promise<Message> {
  return answerOf(alerts, asking(text, about), to);
}

/** What is answered to the window of an alert once it is filled in. */
export function fill(fields: Record<string, string>, to: AlertDesk, state = ""): Promise<Message> {
  return saveFilled({ fields, state }, asking("", { surface: "form" }), to);
}

/** An alert as it is written down. */
export async function saved(to: AlertDesk, number = 1): Promise<Alert> {
  const found = await to.alerts.get({ team: "T1", number });
  if (!found) throw new Error(`no alert ${number}`);
  return found;
}
