/**
 * `npm run test:page [FOLDER]`: uses the workspace page in headless Chromium as a person would, at desk and phone width,
 * and fails on a missing answer, an error in the console or a page wider than its window. Pictures go to FOLDER.
 */
import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";

import { type Browser, type Locator, type Page, chromium } from "playwright-core";

import { parseConfig } from "../../src/config.ts";
import { type Local, startAll } from "../../src/local.ts";
import { createLog } from "../../src/log.ts";
import { playTour } from "../../src/tour.ts";
import type { Workspace } from "../../src/workspace/server.ts";

const folder = process.argv[2];
const sizes = { desk: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } };
/** Without these, Chromium looks for hosts of its maker at every start. */
const quiet = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"];

const log = createLog({ level: "warn" });
const local = await startAll({ config: parseConfig({}), log, port: 0, wordDelayMs: 5 });
const browser = await chromium.launch({ executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium", args: quiet });
try {
  if (folder) await mkdir(folder, { recursive: true });
  assert(await playTour(local.workspace, () => {}), "the tour was not answered as it should be");
  for (const name of ["desk", "phone"] as const) {
    for (const colorScheme of ["light", "dark"] as const) await visit(browser, local, { name, colorScheme });
  }
  console.log("4 passed, 0 failed");
} finally {
  await browser.close();
  await local.stop();
}

interface Visit {
  name: keyof typeof sizes;
  colorScheme: "light" | "dark";
}

async function visit(from: Browser, { workspace }: Local, { name, colorScheme }: Visit): Promise<void> {
  const page = await from.newPage({ viewport: sizes[name], colorScheme, reducedMotion: "reduce" });
  const complaints: string[] = [];
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  const newsroom = workspace.state().conversations.find((conversation) => conversation.name === "newsroom")?.id;
  await page.goto(`${workspace.url}/#${newsroom}`);
  await type(page, "/news chip export");
  await last(page, /News: chip export/).waitFor();
  await type(page, "@Bellwether why are chip makers in the news?");
  const question = page.getByRole("log").getByRole("article").filter({ hasText: "why are chip makers" }).last();
  await question.getByText(/1 reply/).waitFor();
  await picture(page, `${name}-${colorScheme}-channel`);
  // The page scrolls while the answer grows, and a click that the scrolling meets goes nowhere.
  await workspace.until(() => isAnswered(workspace, newsroom ?? ""), 30_000);
  await question.getByText(/1 reply/).click();
  await page
    .getByRole("complementary", { name: "Thread" })
    .getByText(/Sources/)
    .waitFor();
  await picture(page, `${name}-${colorScheme}-thread`);
  const width = await page.evaluate("document.documentElement.scrollWidth");
  assert(Number(width) <= sizes[name].width, `${name} ${colorScheme}: the page is ${String(width)} wide`);
  assert.deepEqual(complaints, [], `${name} ${colorScheme}: errors in the console`);
  await page.close();
}

/** Whether the newest question has its whole answer. */
function isAnswered(workspace: Workspace, channel: string): boolean {
  const messages = workspace.messages(channel);
  const question = messages.findLast(({ user, text }) => user === workspace.me && text.includes("why are chip makers"));
  const answer = messages.find(({ user, thread_ts: root }) => user !== workspace.me && root === question?.ts);
  return /Sources/.test(JSON.stringify(answer?.blocks ?? []));
}

function last(page: Page, text: RegExp): Locator {
  return page.getByText(text).last();
}

async function type(page: Page, line: string): Promise<void> {
  const composer = page.getByRole("textbox").last();
  await composer.click();
  await composer.pressSequentially(line);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Enter");
}

async function picture(page: Page, name: string): Promise<void> {
  if (folder) await page.screenshot({ path: `${folder}/${name}.png` });
}
