import { UsageError } from "../../../apis/errors.ts";
import type { NewsChannel } from "../../../apis/intelligence/schema.ts";
import { escape, shorten } from "../../../slack/mrkdwn.ts";
import { alike } from "../../alike.ts";
import type { Services } from "../../feature.ts";
import { channelMeant } from "../../saved.ts";

/** Saved channels that a hint names; more does not fit on a phone. */
const listed = 10;

/** The channel that a question names; rejects where none is meant clearly, naming those there are. */
export async function channelOf(
  name: string,
  { intelligence }: Pick<Services, "intelligence">,
  signal: AbortSignal,
): Promise<NewsChannel> {
  const channels = await intelligence.channels(signal);
  const found = await channelMeant(name, channels, { intelligence, signal });
  if (found) return found;
  const within = channels.filter((channel) => channel.name.toLowerCase().includes(name.toLowerCase()));
  const near = within.length > 0 ? within : alike(name, channels, (channel) => channel.name);
  throw unknown(name, near.length > 0 ? near : channels);
}

function unknown(name: string, channels: NewsChannel[]): UsageError {
  const lead = `No saved channel is called “${escape(shorten(name, 60))}”.`;
  const names = channels.slice(0, listed).map((channel) => `• ${escape(shorten(channel.name, 60))} (${channel.id})`);
  const more = channels.length > listed ? [`and ${channels.length - listed} more`] : [];
  const hint = 'Type for example `--channel "Central banks"`; `/bellwether channels` lists all.';
  return new UsageError([`${lead} ${hint}`, ...names, ...more].join("\n"));
}
