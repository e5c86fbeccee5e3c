import { describe } from "../../../log.ts";
import type { Message } from "../../../slack/text/message.ts";
import type { Services } from "../../feature.ts";
import type { Alert, Episode } from "../alert.ts";
import { alertView } from "../view.ts";

const hourMs = 60 * 60_000;
/** How far back a message shows an entity's numbers. */
const historyMs = 24 * hourMs;
/** Nobody's name is waited for longer. */
const nameMs = 2_000;

interface Card {
  alert: Alert;
  episode: Episode;
  by?: string | undefined;
}

/** One entity with its course over the kept samples, and its leading articles where they are kept. */
export async function cardOf({ alert, episode, by }: Card, { samples, lists, now }: Services): Promise<Message> {
  const { entity, list: key } = episode;
  const history = await samples.history(entity, now() - historyMs);
  const list = key === undefined ? undefined : await lists.get(key);
  return alertView({ alert, episode, history, now: now(), by, ...(list && { list, key }) });
}

/** What others call whoever asked for an alert; nothing where it comes to them alone, or nobody can say. */
export async function makerOf({ team, channel, maker }: Alert, services: Services): Promise<string | undefined> {
  if (channel === maker) return undefined;
  const late = Promise.withResolvers<undefined>();
  const cancel = services.after(nameMs, () => late.resolve(undefined));
  try {
    const name = await Promise.race([services.people.name(team, maker), late.promise]);
    return name === maker ? undefined : name;
  } catch (error) {
    services.log.warn("alert.maker", { error: describe(error) });
    return undefined;
  } finally {
    cancel();
  }
}
