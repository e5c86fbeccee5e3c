import { UsageError } from "../../apis/errors.ts";
import type { Ask, Services } from "../feature.ts";
import { byLink, namesTyped, notFound, withIds } from "./place.ts";

/**
 * A line in which each channel goes by its ID that somebody called by its name; throws a UsageError that says what to type
 * instead where the name tells nothing. Found are channels that they are in: elsewhere they may send nothing anyway.
 */
export async function withPlacesNamed(text: string, ask: Ask, { places }: Services): Promise<string> {
  const ids = new Map<string, string>();
  for (const name of new Set(namesTyped(text))) {
    const found = await places.named(ask, name);
    if (!found) throw new UsageError(`Slack does not tell me now which channels you are in. ${byLink}`);
    const [id] = found;
    if (id === undefined) throw new UsageError(notFound(name));
    ids.set(name, id);
  }
  return ids.size > 0 ? withIds(text, ids) : text;
}
