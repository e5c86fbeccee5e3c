import { digests } from "../../src/features/digests/commands.ts";
import type { Digest } from "../../src/features/digests/digest.ts";
import type { Ask, Message, Services } from "../../src/features/feature.ts";
import { answerOf, asking, credits, newsChannel, services } from "../support/builders.ts";
import { problemsOf } from "./slack-limits.ts";

/** A desk with a saved channel or two and a collection. */
export function desk(about: Parameters<typeof services>[0] = {}): Services {
  return services({
    people: { timeZone: async () => "Europe/London" },
    intelligence: {
      channel: async (id) => newsChannel({ id, name: "Gold wire" }),
      channels: async () => [newsChannel({ id: 501, name: "Gold wire" }), newsChannel({ id: 502, name: "Gold & Co" })],
    },
    gateway: {
      collections: async () => ({ collections: [{ id: "c-1", name: "Gold desk" }], credits: credits() }),
    },
    ...about,
  });
}

/** The answer to what somebody types after the verb. */
export const say = (text: string, to: Services, about: Partial<Ask> = {}) => answerOf(digests, asking(text, about), to);
export const saved = async (to: Services, number = 1) => (await to.digests.get({ team: "T1", number })) as Digest;

/** What Slack would refuse; the channel that a digest goes to is linked on purpose. */
export const slackRefuses = (message: Message) =>
  problemsOf(message).filter((problem) => !problem.endsWith(" with <#C1>"));
