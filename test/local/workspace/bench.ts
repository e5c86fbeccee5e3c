import { readFileSync } from "node:fs";
import { App, LogLevel } from "@slack/bolt";
import { onTestFinished } from "vitest";
import type { Block, WorkspaceMessage } from "../../../local/workspace/protocol.ts";
import { startWorkspace, type Workspace, type WorkspaceOptions } from "../../../local/workspace/server.ts";

/** The manifest that the tests run with. */
export const MANIFEST = readFileSync(new URL("manifest.yml", import.meta.url), "utf8");

export const NEWSROOM = "C0NEWSROOM";
export const RANDOM = "C0RANDOMXX";
export const DEAL_ROOM = "C0DEALROOM";
export const REGULATORS = "C0REGULATE";
export const MARA = "U0MARALIN1";
export const ELLIS = "U0ELLISHA1";
export const DIRECT = "D0MARALIN1";

/** A workspace that stops with the test. */
export async function open(options: Partial<WorkspaceOptions> = {}): Promise<Workspace> {
  const workspace = await startWorkspace({ manifest: MANIFEST, ...options });
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
  const body: unknown = await response.json();
  const fields = typeof body === "object" && body !== null ? { ...body } : {};
  return { ...fields, status: response.status, retryAfter: response.headers.get("retry-after") };
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

export function section(text: string): Block {
  return { type: "section", text: { type: "mrkdwn", text } };
}

export function button(action_id: string, extra: Record<string, unknown> = {}): Block {
  return { type: "button", action_id, text: plain("Press"), ...extra };
}

/** Waits for a message that starts with the text. */
export function seen(workspace: Workspace, channel: string, start: string): Promise<WorkspaceMessage> {
  return workspace.until(() => workspace.messages(channel).find((one) => one.text.startsWith(start)));
}

/** Notices as they come. */
export function notices(workspace: Workspace): string[] {
  const texts: string[] = [];
  workspace.watch((event) => {
    if (event.type === "notice") texts.push(event.text);
  });
  return texts;
}

/** A clock and timers that a test moves by hand. */
export function manualTime(start = Date.UTC(2026, 2, 2, 9)) {
  let at = start;
  const timers = new Set<{ due: number; run: () => void }>();
  return {
    now: () => at,
    after: (ms: number, run: () => void): (() => void) => {
      const timer = { due: at + ms, run };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    pass: (ms: number): void => {
      const end = at + ms;
      for (;;) {
        const next = [...timers].filter((one) => one.due <= end).toSorted((a, b) => a.due - b.due)[0];
        if (!next) break;
        timers.delete(next);
        at = next.due;
        next.run();
      }
      at = end;
    },
  };
}
