import { NotAllowed, UnexpectedAnswer, UsageError } from "../apis/errors.ts";
import type { NewsChannel } from "../apis/intelligence/schema.ts";
import type { Services } from "./feature.ts";

interface Access {
  intelligence: Pick<Services["intelligence"], "channel">;
  signal: AbortSignal;
}

/**
 * The channel that a number, a name or a part of a name means: one of those that are saved, or any other of the service
 * by its number. Nothing where none is meant clearly.
 */
export async function channelMeant(
  name: string,
  channels: NewsChannel[],
  access: Access,
): Promise<NewsChannel | undefined> {
  return savedChannel(name, channels) ?? (await channelNumbered(name, access));
}

function savedChannel(name: string, channels: NewsChannel[]): NewsChannel | undefined {
  const wanted = name.toLowerCase();
  const exact =
    channels.find(({ id }) => String(id) === name) ?? channels.find((each) => each.name.toLowerCase() === wanted);
  if (exact) return exact;
  // A part of a number is no number: "50" means neither 501 nor "Top 50".
  if (isNumber(name)) return undefined;
  const near = channels.filter((each) => each.name.toLowerCase().includes(wanted));
  return near.length === 1 ? near[0] : undefined;
}

/** Jurisdictions name channels that nobody has saved. */
async function channelNumbered(name: string, { intelligence, signal }: Access): Promise<NewsChannel | undefined> {
  if (!isNumber(name)) return undefined;
  try {
    return await intelligence.channel(Number(name), signal);
  } catch (error) {
    if (isUnknown(error)) return undefined;
    throw error;
  }
}

function isNumber(name: string): boolean {
  return /^\d{1,15}$/.test(name);
}

function isUnknown(error: unknown): boolean {
  if (error instanceof UsageError || error instanceof NotAllowed) return true;
  return error instanceof UnexpectedAnswer && error.status === 404;
}
