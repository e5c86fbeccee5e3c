import { UsageError } from "../../../apis/errors.ts";
import type { Services } from "../../feature.ts";
import type { Standing } from "../conversation.ts";
import { channelOf } from "./channel.ts";
import type { Flags } from "./flags.ts";
import type { Changes } from "./rule.ts";

interface ChangeOptions {
  standing: Standing | undefined;
  services: Pick<Services, "intelligence">;
  signal: AbortSignal;
}

/** What the flags of a question change in its thread; rejects with UsageError where that cannot be done. */
export async function changesFor(flags: Flags, { standing, services, signal }: ChangeOptions): Promise<Changes> {
  const { since, channel, isOnly = isWider(flags) ? false : undefined } = flags;
  if (isOnly && !standing) {
    throw new UsageError("No articles were chosen for this thread. Press “Ask about these” under a list first.");
  }
  return {
    ...(since && { since: since === "all" ? undefined : since }),
    ...(channel && { channel: isAll(channel) ? undefined : await found(channel, services, signal) }),
    ...(isOnly !== undefined && { isOnly }),
  };
}

/** To say where to search is to say that it may be searched. */
function isWider({ since, channel }: Flags): boolean {
  return since !== undefined || channel !== undefined;
}

function isAll(channel: string): boolean {
  return /^(all|any)$/i.test(channel);
}

async function found(name: string, services: Pick<Services, "intelligence">, signal: AbortSignal) {
  const channel = await channelOf(name, services, signal);
  return { id: channel.id, name: channel.name, stages: channel.stages };
}
