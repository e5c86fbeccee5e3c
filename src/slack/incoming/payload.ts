import type { Context, ReceiverEvent } from "@slack/bolt";

/** A payload of any kind, as Bolt's types have it. */
export type Payload = ReceiverEvent["body"];

/**
 * The workspace that a payload is for; nothing if it is for none. If the app is installed on an organisation, Slack may name
 * that as what has the app, and the workspace only as where somebody comes from.
 */
export function workspaceOfPayload(payload: Payload): string | undefined {
  const ids = [
    payload["authorizations"]?.[0]?.team_id,
    payload["view"]?.app_installed_team_id,
    payload["team_id"],
    payload["team"]?.id,
    payload["user"]?.team_id,
    payload["enterprise"]?.id,
  ].filter((id): id is string => typeof id === "string" && id !== "");
  return ids.find((id) => id.startsWith("T")) ?? ids[0];
}

/** The workspace that something happens in, as Bolt found it unless that is an organisation. */
export function teamOf({ teamId }: Context, body: Payload): string {
  return teamId?.startsWith("T") ? teamId : (workspaceOfPayload(body) ?? teamId ?? "");
}
