import type { Job, Services } from "../../feature.ts";
import type { Digest } from "../compose.ts";
import { isWanted, travelled } from "./rule.ts";

/** Looks where the readers are of what comes soon and keeps their hours. */
export const followReaders: Job = {
  name: "readers",
  every: "* * * * *",
  async run(services) {
    const now = services.now();
    const isOurs = (each: Digest) => isWanted(each, now) && services.isInstalled(each.team);
    for (const digest of await services.digests.those(isOurs)) {
      await withItsReader(digest, services);
    }
  },
};

/** A digest as it stands where its reader is, which is written down. */
export async function withItsReader(
  digest: Digest,
  { digests, people, now }: Pick<Services, "digests" | "people" | "now">,
): Promise<Digest | undefined> {
  const zone = await people.timeZone(digest.team, digest.channel);
  if (travelled(digest, zone, now()) === digest) return digest;
  return digests.update(digest, (current) =>
    current.nextRun === digest.nextRun ? travelled(current, zone, now()) : current,
  );
}
