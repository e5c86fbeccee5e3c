import { UsageError } from "../../../apis/errors.ts";
import type { NewsChannel } from "../../../apis/intelligence/schema.ts";
import { channelMeant } from "../../list.ts";
import { channelHint } from "./view.ts";

type Access = Parameters<typeof channelMeant>[2];

/** The channel that somebody means; rejects where none is meant clearly, naming those that are saved. */
export async function channelNamed(name: string, channels: NewsChannel[], access: Access): Promise<NewsChannel> {
  const channel = await channelMeant(name, channels, access);
  if (!channel) throw new UsageError(channelHint(name, channels));
  return channel;
}
