import { UsageError } from "../../apis/errors.ts";
import { inCode, shorten } from "../../slack/mrkdwn.ts";
import type { Ask, Message, Services } from "../feature.ts";
import { readSpan } from "../subscriptions/span.ts";
import { advanced } from "../subscriptions/model.ts";
import { shared } from "./shared.ts";

/** Brings nothing of a digest for a while; what is new meanwhile comes with the first one after it. */
export async function mute(text: string, ask: Ask, services: Services): Promise<Message> {
  const { rest, span } = readSpan(text.trim());
  const { ms } = span;
  const numbered = meant(rest, "mute");
  if (ms === undefined) return shared.pause(rest, ask, services);
  return shared.change(numbered, ask, services, {
    what: `muted ${span.words}`,
    apply: (current, now) => advanced({ ...current, silentUntil: now + ms }, now),
    words: () => "is muted",
    deed: "end",
  });
}

/** Lets a digest come again at its times. */
export async function unmute(text: string, ask: Ask, services: Services): Promise<Message> {
  return shared.change(meant(text, "unmute"), ask, services, {
    what: "unmuted",
    apply: (current, now) => advanced({ ...current, silentUntil: undefined }, now),
    words: () => "comes at its times again",
  });
}

function meant(text: string, verb: string) {
  if (!text || /^#?\d+(\s|$)/.test(text)) return shared.numberIn(text, verb);
  const name = inCode(shorten(text, 60));
  throw new UsageError(
    `A digest is muted as a whole: \`/digests ${verb} 2${verb === "mute" ? " 1w" : ""}\`, for example. Alerts about one name are muted with \`/alerts ${verb} ${name}\`.`,
  );
}
