import type { Services } from "../../feature.ts";
import type { Digest } from "../compose.ts";

interface Claim {
  isSame: (current: Digest) => boolean;
  change: (current: Digest) => Digest;
}

/** Changes a digest where it is still as it was; nothing where it is not, and then the change is not made. */
export async function claim(
  name: Digest,
  digests: Pick<Services["digests"], "update">,
  { isSame, change }: Claim,
): Promise<Digest | undefined> {
  let isOurs = false;
  const changed = await digests.update(name, (current) => {
    isOurs = isSame(current);
    return isOurs ? change(current) : current;
  });
  return isOurs ? changed : undefined;
}
