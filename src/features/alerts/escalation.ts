import { z } from "zod";

import { UsageError } from "../../apis/errors.ts";
import type { Ask } from "../feature.ts";
import type { FormAsker } from "../../slack/incoming/request.ts";
import type { Option } from "../options.ts";
import type { SubscriptionDependencies } from "../subscriptions/commands.ts";
import { meantChannel, readPlace } from "../subscriptions/destination.ts";
import { isPerson, needReach, permit } from "../subscriptions/permission.ts";
import { escalatedTo } from "../subscriptions/view.ts";
import type { Alert } from "./alert.ts";

/** Where else an escalation is posted: the ID of a channel or a person, or `S0123@desk`, a user group with its name. */
export const escalateToOption: Option<string> = {
  name: "escalate-to",
  value: "#channel|@group|@person|off",
  bare: { "escalate to": "" },
  help: "Who else hears when a spike keeps growing",
  example: "alerts edit 2 --escalate-to #desk",
  schema: z.string(),
  read(typed) {
    const text = typed.trim();
    if (/^(off|none|no)$/i.test(text)) return "off";
    const id = text.replace(/^@(?=[SUW][A-Z0-9]{2,20}(@|$))/, "");
    if (groupIn(id)) return id;
    if (text.startsWith("@") && id === text) {
      throw new UsageError(
        "I can’t tell who that is. After `--escalate-to`, type `@` and choose the person or the user group from Slack’s list. In a window, only channels can be chosen.",
      );
    }
    return readPlace(id, "--escalate-to");
  },
  write: String,
};

/** A user group of Slack, as it is written down. */
export function groupIn(to: string | undefined): { id: string; name?: string | undefined } | undefined {
  const [, id, name] = /^(S[A-Z0-9]{2,20})(?:@(\S{1,80}))?$/.exec(to ?? "") ?? [];
  return id !== undefined && (name !== undefined || /\d/.test(id)) ? { id, name } : undefined;
}

/** Where an alert's escalations go beside its own channel; nothing where that would be the same place, or calls nobody. */
export function escalationOf({ options: { escalateTo }, channel }: Pick<Alert, "options" | "channel">) {
  if (escalateTo === undefined || escalateTo === "off" || escalateTo === channel) return undefined;
  return groupIn(escalateTo) && isPerson(channel) ? undefined : escalateTo;
}

/** What an alert's history says when a person has stopped getting its escalations. */
export const declined = "stopped getting its escalations";

/** The person who chose where escalations go, from the alert's history; its creator, if the history doesn't say. */
export function chooserOf({ changed, maker }: Pick<Alert, "changed" | "maker">, to: string): string {
  const isChoice = ({ what, by }: Alert["changed"][number]) =>
    escalatedTo.exec(what)?.[1] === to || (by === to && /\bescalate[- ]to[ =]+me\b/.test(what));
  return changed.find(isChoice)?.by ?? maker;
}

interface EscalationRequest {
  /** The alert as it will be, and where its escalations went before. */
  alert: Pick<Alert, "channel" | "maker"> & Partial<Pick<Alert, "changed">>;
  before?: string | undefined;
  ask: Pick<Ask, keyof FormAsker>;
  needs: SubscriptionDependencies;
}

/** Where escalations go from now on, where whoever asks may send them there; throws a UsageError that says why not. */
export async function readEscalation(typed: string | undefined, { alert, before, ask, needs }: EscalationRequest) {
  if (typed === undefined || typed === "off" || typed === before) return typed;
  if (groupIn(typed)) {
    if (isPerson(alert.channel)) {
      throw new UsageError("A group is mentioned in the alert’s channel, and this one posts in a direct message.");
    }
    if (alert.maker === ask.user) return typed;
    throw new UsageError("Only the person who created an alert can have a group mentioned. Add one of your own.");
  }
  if (isPerson(typed) && typed !== ask.user) {
    if (needs.subscribing === "admins" && !(await needs.people.isAdmin(ask.team, ask.user))) {
      throw new UsageError("In this workspace, only admins choose whom escalations go to. Ask one of them.");
    }
    if (alert.changed?.some(({ by, what }) => by === typed && what === declined)) {
      throw new UsageError("They stopped this alert’s escalations, so only they can choose themselves again.");
    }
    if ((await needs.slackChannels.look(ask.team, typed)) !== "closed") return typed;
    throw new UsageError("That person has left the workspace. Choose somebody else.");
  }
  const place = await meantChannel(typed, ask, needs, "--escalate-to");
  if (place === alert.channel) {
    throw new UsageError(
      "The alert’s own channel sees escalations already. Choose another channel, a person or a group.",
    );
  }
  const toMe = "type `--escalate-to me`";
  await permit("add", { channel: place, maker: ask.user }, { ask, needs, toMe });
  await needReach(place, { ask, needs, toMe });
  return place;
}
