import { describe } from "../../log.ts";
import type { Services } from "../feature.ts";
import type { Sample } from "./alert.ts";

/** Slack opens a window for three seconds; a name of a type is not worth more of them. */
const liveMs = 1_200;

/** Where a look costs a credit, what was seen so recently is as good. */
const recentMs = 15 * 60_000;

/** What is trending now, where that can be had in time, behind what is kept; the newest last. */
export async function samplesNow({ samples, gateway, configured, log, after, now }: Services): Promise<Sample[]> {
  const kept = await samples.since(0);
  const isRecent = (kept.at(-1)?.at ?? 0) > now() - recentMs;
  if (isRecent && !configured.intelligence) return kept;
  const late = Promise.withResolvers<undefined>();
  const cancel = after(liveMs, () => late.resolve(undefined));
  try {
    await Promise.race([samples.take(gateway), late.promise]);
  } catch (error) {
    log.warn("alerts.live", { error: describe(error) });
  } finally {
    cancel();
  }
  return samples.since(0);
}
