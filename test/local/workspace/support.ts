import { readFileSync } from "node:fs";
import { App, LogLevel } from "@slack/bolt";
import { onTestFinished } from "vitest";
import type { WorkspaceBlock } from "../../../local/workspace/protocol.ts";
import type { FakeClock } from "../../support/clock.ts";
import { startWorkspace, type Workspace, type WorkspaceOptions } from "../../../local/workspace/server.ts";

/** The manifest that the tests run with. */
export const MANIFEST = readFileSync(new URL("manifest.yml", import.meta.url), "utf8");

export const NEWSROOM = "C0NEWSROOM";
export const RANDOM = "C0RANDOMXX";
export const DEAL_ROOM = "C0DEALROOM";
export const REGULATORS = "C0REGULATE";
export const MARA = "U0MARALIN1";
export const ELLIS = "U0ELLISHA1";
export const TOMAS = "U0TOMASOK1";
/** A person of another workspace. */
export const SAM = "U0SAMWHIT1";
export const DIRECT = "D0MARALIN1";

/** How a test wants its workspace; on a clock that the test moves, where it names one. */
export interface OpenOptions extends Partial<WorkspaceOptions> {
  clock?: FakeClock;
}

/** A workspace that stops with the test. */
export async function open({ clock, ...options }: OpenOptions = {}): Promise<Workspace> {
  const time = clock && { now: () => clock.now(), after: (ms: number, run: () => void) => clock.after(ms, run) };
  const workspace = await startWorkspace({ manifest: MANIFEST, ...time, ...options });
  onTestFinished(() => workspace.stop());
  return workspace;
}

/** A real Bolt app on the workspace, connected after `listen` has put its listeners in; stops with the test. */
export async function connect(workspace: Workspace, listen: (app: App) => void): Promise<App> {
  const app = new App({
    token: workspace.botToken,
    appToken: workspace.appToken,
    socketMode: true,
    convoStore: false,
    logLevel: LogLevel.ERROR,
    botId: workspace.ids.bot,
    botUserId: workspace.ids.botUser,
    clientOptions: { slackApiUrl: workspace.apiUrl, retryConfig: { retries: 0 }, rejectRateLimitedCalls: true },
  });
  listen(app);
  onTestFinished(async () => void (await app.stop()));
  await app.start();
  return app;
}

/** Calls the Web API as a form, as the SDK does; `token: null` sends none. */
export async function call(
  workspace: Workspace,
  method: string,
  args: Record<string, unknown> & { token?: string | null } = {},
): Promise<Record<string, unknown> & { status: number; retryAfter: string | null }> {
  const { token = workspace.botToken, ...rest } = args;
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(rest)) {
    form.set(name, typeof value === "string" ? value : JSON.stringify(value));
  }
  const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(workspace.apiUrl + method, { method: "POST", headers, body: form });
  return { ...Object(await response.json()), status: response.status, retryAfter: response.headers.get("retry-after") };
}

/** Posts as the app and answers the message's ts. */
export async function post(workspace: Workspace, args: Record<string, unknown> = {}): Promise<string> {
  const { ts, error } = await call(workspace, "chat.postMessage", { channel: NEWSROOM, text: "hello", ...args });
  if (typeof ts !== "string") throw new Error(`not posted: ${String(error)}`);
  return ts;
}

export function plain(text: string): { type: string; text: string } {
  return { type: "plain_text", text };
}

export function section(text: string): WorkspaceBlock {
  return { type: "section", text: { type: "mrkdwn", text } };
}

export function button(action_id: string, extra: Record<string, unknown> = {}): WorkspaceBlock {
  return { type: "button", action_id, text: plain("Press"), ...extra };
}

/** Notices as they come. */
export function notices(workspace: Workspace): string[] {
  const texts: string[] = [];
  workspace.watch((event) => {
    if (event.type === "notice") texts.push(event.text);
  });
  return texts;
}
