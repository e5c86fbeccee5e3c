import { type ChildProcess, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";

import { type Workspace, startWorkspace } from "../local/workspace/server.ts";

/** A bot in a process of its own, and its workspace in this process, with 80 ms per call as over the internet. */
export interface Contender {
  workspace: Workspace;
  /** Resident memory of the bot's process in MB. */
  memory: () => Promise<number>;
  stop: () => Promise<void>;
}

/** Starts `script` against a new workspace that enforces Slack's limits; resolves when the bot is connected. */
export async function startContender(script: string, environment: Record<string, string> = {}): Promise<Contender> {
  const manifest = await readFile(new URL("../manifest.yml", import.meta.url), "utf8");
  const workspace = await startWorkspace({ manifest, limits: "window", latencyMs: 80 });
  const child = spawn(process.execPath, [script], {
    env: {
      PATH: process.env["PATH"],
      SLACK_API_URL: workspace.apiUrl,
      SLACK_BOT_TOKEN: workspace.botToken,
      SLACK_APP_TOKEN: workspace.appToken,
      STORE_URL: "sqlite::memory:",
      LOG_LEVEL: "error",
      QUESTIONS_PER_MINUTE: "1000",
      ANSWERS_AT_ONCE: "100",
      ...environment,
    },
    stdio: ["ignore", "ignore", "inherit"],
  });
  await workspace.until(() => workspace.state().app.connected, 20_000);
  return {
    workspace,
    memory: async () => residentMegabytes(child),
    async stop() {
      child.kill("SIGKILL");
      await workspace.stop();
    },
  };
}

/** Resident memory of a process in MB. */
export async function residentMegabytes({ pid }: ChildProcess): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}

/** The value below which `share` of the numbers lie. */
export function percentile(numbers: number[], share: number): number {
  const sorted = numbers.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

/** The mean; NaN of an empty list. */
export function mean(numbers: number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

/** Prints rows as a table with aligned columns, the first row as its head. */
export function printTable(title: string, rows: string[][]): void {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  console.log(`\n${title}\n`);
  for (const row of rows) console.log(`  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")}`);
}
