import { z } from "zod";

import { UsageError } from "../../apis/errors.ts";
import type { Ask } from "../feature.ts";
import type { FormAsker } from "../../slack/incoming/request.ts";
import type { Option } from "../options.ts";
import type { CommandDependencies } from "../subscriptions/commands.ts";
import { resolveChannel, readPlace } from "../subscriptions/destination.ts";
import { isPerson, needReach, permit } from "../subscriptions/permission.ts";
import type { Alert } from "./alert.ts";

/** The target of escalations: the ID of a channel or a person, or `S0123@desk`, a user group with its name. */
export const escalateToOption: Option<string> = {
  name: "escalate-to",
  value: "#channel|@group|@person|off",
  bare: { "escalate to": "" },
  help: "Who else is notified when a spike escalates",
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

/** The mention of a user group or a person; nothing for a channel. */
export function mentionOf(to: string | undefined): string | undefined {
  const group = groupIn(to);
  if (group) return `<!subteam^${group.id}>`;
  return to !== undefined && isPerson(to) ? `<@${to}>` : undefined;
}

/**
 * The target of an alert's escalations beside its own channel: another channel, or a user group or a person, who
 * is mentioned in the alert's own thread. Nothing if that is the same channel, or a mention that nobody would see.
 */
export function escalationOf({ options: { escalateTo }, channel }: Pick<Alert, "options" | "channel">) {
  if (escalateTo === undefined || escalateTo === "off" || escalateTo === channel) return undefined;
  return mentionOf(escalateTo) && isPerson(channel) ? undefined : escalateTo;
}

interface EscalationRequest {
  /** The alert as it will be, and where its escalations went before. */
  alert: Pick<Alert, "channel" | "owner">;
  before?: string | undefined;
  ask: Pick<Ask, keyof FormAsker>;
  deps: CommandDependencies;
}

/** The new target of escalations; throws a UsageError if the asker may not choose it. */
export async function readEscalation(typed: string | undefined, { alert, before, ask, deps }: EscalationRequest) {
  if (typed === undefined || typed === "off" || typed === before) return typed;
  const to = groupIn(typed) || isPerson(typed) ? typed : await resolveChannel(typed, ask, deps, "--escalate-to");
  if (to === alert.channel) {
    throw new UsageError(
      "Escalations already appear in the alert’s channel. Choose another channel, a person or a group.",
    );
  }
  if (mentionOf(to)) {
    await permitMention(to, { alert, ask, deps });
    return to;
  }
  const toMe = "type `--escalate-to me`";
  await permit("add", { channel: to, owner: ask.user }, { ask, deps, toMe });
  await needReach(to, { ask, deps, toMe });
  return to;
}

/** Throws a UsageError if a group or a person may not be mentioned in an alert's thread, or wouldn't see it there. */
async function permitMention(to: string, { alert, ask, deps }: Omit<EscalationRequest, "before">): Promise<void> {
  const { channel, owner } = alert;
  if (isPerson(channel)) {
    throw new UsageError(
      "Groups and people can only be mentioned in channels, and this alert posts in a direct message.",
    );
  }
  if (groupIn(to)) {
    if (owner === ask.user) return;
    throw new UsageError("Only the alert’s owner can mention a group. Create your own alert for that.");
  }
  if (to !== ask.user && deps.subscribing === "admins" && !(await deps.people.isAdmin(ask.team, ask.user))) {
    throw new UsageError("In this workspace, only admins choose whom escalations go to. Ask one of them.");
  }
  if ((await deps.slackChannels.isIn({ team: ask.team, user: to }, channel)) === false) {
    throw new UsageError(`They’re not in <#${channel}>, so they wouldn’t see it. Choose somebody who is.`);
  }
}
