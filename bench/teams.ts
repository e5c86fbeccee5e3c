/** Several workspaces of Slack on one port, and the events that it sends for them. */
import { createHmac } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

import { bearerToken, closeServer, listen, sendJson } from "../local/http.ts";
import type { WorkspaceMessage } from "../local/workspace/protocol.ts";
import type { LimitModel } from "../local/workspace/rates.ts";
import { type Workspace, startWorkspace } from "../local/workspace/server.ts";
import type { Fleet, SlackRequest } from "./fleet.ts";

/** One workspace that the bot is installed in. */
export interface Team {
  id: string;
  workspace: Workspace;
  /** The channels for digests and alerts. */
  desks: string[];
}

interface TeamsOptions {
  count: number;
  /** The number of channels for digests and alerts in each workspace. */
  desks: number;
  limits: LimitModel;
  latencyMs: number;
}

export type Teams = Awaited<ReturnType<typeof startTeams>>;

/** The workspace whose turn it is. */
export function inTurn(teams: Team[], turn: number): Team {
  const team = teams[turn % teams.length];
  if (!team) throw new Error("there are no workspaces");
  return team;
}

/** The channel of a workspace in which people ask. */
export const askedIn = "C0NEWSROOM";

/** Starts workspaces that share one address of the Web API; the bot token of a call decides which workspace gets it. */
export async function startTeams({ count, desks, limits, latencyMs }: TeamsOptions) {
  const manifest = await readFile(new URL("../manifest.yml", import.meta.url), "utf8");
  const channels = Array.from({ length: desks }, (_, index) => `desk-${String(index).padStart(3, "0")}`);
  const teams: Team[] = [];
  for (let number = 1; number <= count; number++) {
    const workspace = await startWorkspace({ manifest, limits, latencyMs, channels });
    const own = workspace.state().conversations.filter(({ name }) => channels.includes(name));
    teams.push({ id: `T0TEAM${String(number).padStart(4, "0")}`, workspace, desks: own.map(({ id }) => id) });
  }
  const byToken = new Map(teams.map(({ workspace }) => [workspace.botToken, workspace]));
  const server = createServer((request, response) => {
    const workspace = byToken.get(bearerToken(request) ?? "");
    if (workspace) workspace.handle(request, response);
    else sendJson(response, { body: { ok: false, error: "invalid_auth" } });
  });
  const port = await listen(server, 0);
  return {
    apiUrl: `http://127.0.0.1:${port}/api/`,
    teams,
    async close() {
      await closeServer(server);
      await Promise.all(teams.map(({ workspace }) => workspace.stop()));
    },
  };
}

export const signingSecret = "a-signing-secret-of-the-bench";

/** A request with a body, signed as Slack does, now. */
export function signed(body: string, more: Record<string, string> = {}): SlackRequest {
  const time = Math.floor(Date.now() / 1_000);
  const signature = createHmac("sha256", signingSecret).update(`v0:${time}:${body}`).digest("hex");
  return {
    body,
    headers: {
      "content-type": "application/json",
      "x-slack-request-timestamp": String(time),
      "x-slack-signature": `v0=${signature}`,
      ...more,
    },
  };
}

let events = 0;

/** An event of a workspace, wrapped as in the Events API. */
function eventOf({ id, workspace }: Team, event: Record<string, unknown>): string {
  const { app, botUser } = workspace.ids;
  return JSON.stringify({
    token: "verification",
    team_id: id,
    context_team_id: id,
    context_enterprise_id: null,
    api_app_id: app,
    event,
    type: "event_callback",
    event_id: `Ev${String(++events).padStart(10, "0")}`,
    event_time: Math.floor(Date.now() / 1_000),
    authorizations: [
      { enterprise_id: null, team_id: id, user_id: botUser, is_bot: true, is_enterprise_install: false },
    ],
    is_ext_shared_channel: false,
  });
}

/** Posts a mention of the bot; resolves with its `ts` and its event. */
export async function mention(team: Team, user: string, words: string): Promise<{ ts: string; event: string }> {
  const { workspace } = team;
  const text = `<@${workspace.ids.botUser}> ${words}`;
  const { ts = "" } = await workspace.say({ user, channel: askedIn, text });
  const event = { type: "app_mention", user, text, ts, channel: askedIn, event_ts: ts };
  return { ts, event: eventOf(team, event) };
}

/** An event that the bot acknowledges and ignores: another bot's message. */
export function idleEvent(team: Team): string {
  const ts = (Date.now() / 1_000).toFixed(6);
  const event = { type: "message", channel: askedIn, channel_type: "channel", text: "Lunch", bot_id: "B0OTHER", ts };
  return eventOf(team, { ...event, event_ts: ts });
}

/** The pauses before an event is sent again, in milliseconds. Slack's own, up to five minutes, would take most of a run. */
const pausesMs = [1_000, 5_000, 15_000, 30_000];

/** Sends an event until it is accepted, as often as Slack would; resolves with the number of attempts, 0 if none was. */
export async function sendEvent(fleet: Fleet, body: string): Promise<number> {
  for (let tries = 1; ; tries++) {
    const retry = tries === 1 ? {} : { "x-slack-retry-num": String(tries - 1), "x-slack-retry-reason": "http_error" };
    if ((await fleet.send(signed(body, retry))) === 200) return tries;
    const pauseMs = pausesMs[tries - 1];
    if (pauseMs === undefined) return 0;
    await sleep(pauseMs);
  }
}

/** The bot's replies to a message, for everybody or for one person, oldest first. */
export function repliesTo({ workspace }: Team, ts: string): WorkspaceMessage[] {
  const { botUser } = workspace.ids;
  return workspace.messages(askedIn).filter((one) => one.user === botUser && one.thread_ts === ts);
}
