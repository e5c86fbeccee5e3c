import { z } from "zod";

import { UsageError } from "../../apis/errors.ts";
import type { Ask } from "../feature.ts";
import type { FormAsker } from "../../slack/incoming/request.ts";
import type { Option } from "../options.ts";
import type { CommandDependencies } from "../subscriptions/commands.ts";
import { resolveChannel, readPlace } from "../subscriptions/destination.ts";
import { isPerson, needReach, permit } from "../subscriptions/permission.ts";
import type { Alert } from "./alert.ts";

/** Who else hears of an escalation: the ID of a channel or a person, or `S0123@desk`, a user group with its name. */
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

/** What calls a user group or a person in a message; nothing for a channel. */
export function mentionOf(to: string | undefined): string | undefined {
  const group = groupIn(to);
  if (group) return `<!subteam^${group.id}>`;
  return to !== undefined && isPerson(to) ? `<@${to}>` : undefined;
}

/**
 * Who hears of an alert's escalations beside whoever reads its channel: another channel, or a user group or a person, who
 * is mentioned in the alert's own thread. Nobody where that would be the same place, or calls nobody.
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

/** Where escalations go from now on, where whoever asks may send them there; throws a UsageError that says why not. */
export async function readEscalation(typed: string | undefined, { alert, before, ask, deps }: EscalationRequest) {
  if (typed === undefined || typed === "off" || typed === before) return typed;
  const to = groupIn(typed) || isPerson(typed) ? typed : await resolveChannel(typed, ask, deps, "--escalate-to");
  if (to === alert.channel) {
    throw new UsageError(
      "The alert’s own channel sees escalations already. Choose another channel, a person or a group.",
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

/** Throws a UsageError where a group or a person is not to be mentioned in an alert's thread, or would not see it there. */
async function permitMention(to: string, { alert, ask, deps }: Omit<EscalationRequest, "before">): Promise<void> {
  const { channel, owner } = alert;
  if (isPerson(channel)) {
    throw new UsageError("People are mentioned in the alert’s channel, and this one posts in a direct message.");
  }
  if (groupIn(to)) {
    if (owner === ask.user) return;
    throw new UsageError("Only the person who created an alert can have a group mentioned. Add one of your own.");
  }
  if (to !== ask.user && deps.subscribing === "admins" && !(await deps.people.isAdmin(ask.team, ask.user))) {
    throw new UsageError("In this workspace, only admins choose whom escalations go to. Ask one of them.");
  }
  if ((await deps.slackChannels.isIn({ team: ask.team, user: to }, channel)) === false) {
    throw new UsageError(`They’re not in <#${channel}>, so they wouldn’t see it. Choose somebody who is.`);
  }
}
