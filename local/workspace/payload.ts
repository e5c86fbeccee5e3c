import type { Delivery, Outcome } from "./delivery.ts";
import type { Desk } from "./desk.ts";
import type { Fields } from "./fields.ts";
import { shownActor } from "./identity.ts";
import type { Conversation } from "./protocol.ts";
import { Refusal } from "./refusal.ts";
import type { Responses } from "./respond.ts";
import { APP, TEAM } from "./seed.ts";
import { canSee } from "./world.ts";

/** What people's deeds need besides the desk. */
export interface Acting {
  desk: Desk;
  delivery: Delivery;
  responses: Responses;
  /** The verification token that old payloads still carry. */
  token: string;
  /** Resolves when the app has seen, or missed, what just happened in the world. */
  settled: () => Promise<void>;
  /** Sends an event that no change of the world stands behind. */
  tell: (event: Fields) => Promise<void>;
}

/** Says a line only one person sees, in a conversation or view, or with an empty name wherever the person is. */
export function notice(desk: Desk, at: string, text: string, user: string): void {
  desk.feed.publish({ type: "notice", channel: at, text }, user);
}

/** The conversation a person acts in; throws where they are not in it. */
export function needMember(desk: Desk, channel: string, user: string): Conversation {
  const place = desk.world.conversation(channel);
  if (!place || !canSee(place, user)) throw new Refusal("channel_not_found");
  if (!place.members.includes(user)) throw new Refusal("not_in_channel");
  return place;
}

/** What every interaction carries. */
export function sharedPayload(to: Acting, user: string): Fields {
  return {
    user: shownActor(to.desk.world, user),
    api_app_id: APP.id,
    token: to.token,
    trigger_id: to.desk.triggers.issue(user),
    team: { id: TEAM.id, domain: TEAM.domain },
    enterprise: null,
    is_enterprise_install: false,
  };
}

const UNANSWERED = {
  operation_timeout: "did not answer in time. Please try again.",
  dispatch_failed: "is not connected, so nothing happened. Please try again when it is online.",
};

/** Sends an interaction and says so, at a conversation or view, where the app did not take it in time. */
export async function interact(to: Acting, payload: Fields, place: { at: string; user: string }): Promise<Outcome> {
  const { desk } = to;
  if (!desk.manifest.interactivity) throw new Refusal("interactivity_disabled");
  const outcome = await to.delivery.request("interactive", payload);
  if (!outcome.acked) {
    notice(desk, place.at, `${desk.manifest.name} ${UNANSWERED[outcome.reason]}`, place.user);
  }
  return outcome;
}
