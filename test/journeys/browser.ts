/**
 * `npm run test:page [FOLDER]`: uses the workspace page in headless Chromium as a person would, at desk and phone width, in
 * both colours. Fails on what a person could not do, on an error in the console, on anything that axe-core finds and on
 * anything wider than its window; prints how fast it felt. Pictures go to FOLDER.
 */
import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";

import axe from "axe-core";
import { type Browser, type Locator, type Page, chromium } from "playwright-core";

import { parseConfig } from "../../src/config.ts";
import { startDemo } from "../../local/demo/demo.ts";
import { startAll } from "../../local/start.ts";
import { createLog } from "../../src/log.ts";
import type { WorkspaceMessage } from "../../local/workspace/protocol.ts";
import { isSign } from "../support/journey.ts";
import { saveDigestByWindow, saveWatchlistByWindow } from "./windows.ts";

const folder = process.argv[2];
const sizes = { desk: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } };
/** Without these, Chromium looks for hosts of its maker at every start. */
const quiet = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"];

/** Runs in the page: the boxes that a reader would have to scroll sideways; code and tables may, in boxes of their own. */
const tooWide = `[document.documentElement, ...document.querySelectorAll(".scroller, dialog, dialog *")]
  .filter((box) => box.scrollWidth > box.clientWidth + 1 && (box === document.documentElement || /auto|scroll/.test(getComputedStyle(box).overflowX)))
  .map((box) => box.tagName + "." + box.className + " " + box.scrollWidth + " > " + box.clientWidth)`;

/** Runs in the page, where axe-core has been put: what is wrong with it, and where. */
const complaintsOfAxe = `axe.run(document, {
  runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
  resultTypes: ["violations"],
}).then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html.slice(0, 200)).join(" ")))`;

const log = createLog({ level: "warn" });
// One person stands in for many here.
const config = parseConfig({ QUESTIONS_PER_MINUTE: "1000" });
const local = await startAll({ config, log, port: 0, wordDelayMs: 25 });
const { workspace } = local;
const newsroom = workspace.state().conversations.find(({ name }) => name === "newsroom")?.id ?? "";
const tomas = workspace.state().users.find(({ name }) => name === "tomas")?.id ?? "";
const took: Record<string, number[]> = {};
const browser = await chromium.launch({ executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium", args: quiet });
try {
  if (folder) await mkdir(folder, { recursive: true });
  const thread = await haveThread();
  for (const name of ["desk", "phone"] as const) {
    for (const colorScheme of ["light", "dark"] as const) await look(browser, { name, colorScheme, thread });
  }
  await onNewPage(browser, { name: "desk", colorScheme: "light" }, useAsPerson);
  await onNewPage(browser, { name: "desk", colorScheme: "dark" }, tryEveryCommand);
  await onNewPage(browser, { name: "phone", colorScheme: "light" }, tryEveryCommand);
  await meetDemo();
  for (const [what, all] of Object.entries(took)) console.log(`${what}: ${Math.round(median(all))} ms`);
  console.log("passed");
} finally {
  await browser.close();
  await local.stop();
}

function median(numbers: number[]): number {
  return numbers.toSorted((left, right) => left - right)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

/** How long something took a person, by its name. */
async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const start = performance.now();
  const result = await work();
  (took[what] ??= []).push(performance.now() - start);
  return result;
}

/** A colleague's question that is answered to the end, as the `ts` of its thread. */
async function haveThread(): Promise<string> {
  const question = {
    channel: newsroom,
    text: `<@${workspace.ids.botUser}> why is Paylantic in the news?`,
    user: tomas,
  };
  const { ts = "" } = await workspace.say(question);
  await workspace.until(() => isAnswered(ts));
  return ts;
}

/** Whether the app's reply in a thread has its sources and is done. */
function isAnswered(thread: string): boolean {
  return repliesIn(thread).some(({ blocks }) => /Sources/.test(JSON.stringify(blocks ?? [])));
}

function repliesIn(thread: string): WorkspaceMessage[] {
  const isReply = ({ user, thread_ts: root }: WorkspaceMessage) => user === workspace.ids.botUser && root === thread;
  return workspace.messages(newsroom).filter(isReply);
}

interface PageKind {
  name: keyof typeof sizes;
  colorScheme: "light" | "dark";
}

/** A page of its own, on which nothing may be logged as an error. */
async function onNewPage(from: Browser, kind: PageKind, use: (page: Page, kind: PageKind) => Promise<void>) {
  const page = await from.newPage({
    viewport: sizes[kind.name],
    colorScheme: kind.colorScheme,
    reducedMotion: "reduce",
  });
  const complaints: string[] = [];
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  await use(page, kind);
  assert.deepEqual(complaints, [], `${kind.name} ${kind.colorScheme}: errors in the console`);
  await page.close();
}

/** Every kind of view is whole and accessible. */
async function look(from: Browser, { thread, ...kind }: PageKind & { thread: string }): Promise<void> {
  await onNewPage(from, kind, async (page) => {
    const check = (what: string) => checkView(page, `${kind.name}-${kind.colorScheme}-${what}`);
    await timed("page usable", async () => {
      await page.goto(`${workspace.url}/#${newsroom}`);
      await composer(page).waitFor();
    });
    const trends = await run(page, "/trending");
    await trends.getByRole("img", { name: /bar chart/ }).waitFor();
    await run(page, "/news chip export");
    await check("newsroom");
    await page.goto(`${workspace.url}/#${newsroom}/${thread}`);
    await inThread(page)
      .getByText(/Sources/)
      .waitFor();
    await check("thread");
    await page.goto(`${workspace.url}/#home`);
    await page.getByRole("tabpanel", { name: "Home" }).getByRole("button").first().waitFor();
    await check("home");
    await page.getByRole("tab", { name: "About" }).click();
    await page.getByRole("tabpanel", { name: "About" }).getByText("/digests").first().waitFor();
    await check("about");
    await page.getByRole("tab", { name: "Messages" }).click();
    await openWindow(page, check);
  });
}

/** A window is filled in from its first field on, and leaves the focus where it was. */
async function openWindow(page: Page, check: (what: string) => Promise<void>): Promise<void> {
  await type(page, "/digests add");
  const dialog = page.getByRole("dialog", { name: "New digest" });
  await dialog.locator(":is(input, textarea, .picker-button):focus").waitFor();
  await check("window");
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await page.locator("textarea:focus").waitFor();
  await type(page, "/bellwether jurisdictions");
  const other = page.getByRole("dialog");
  await other.getByRole("heading", { level: 2 }).first().waitFor();
  // Where nothing is to be filled in, no key that is meant for text presses a button.
  await page.keyboard.press("Space");
  await check("window-to-read");
  await page.keyboard.press("Escape");
  await other.waitFor({ state: "detached" });
}

/** What a newcomer does, one thing after the other. */
async function useAsPerson(page: Page): Promise<void> {
  await page.goto(`${workspace.url}/#${newsroom}`);
  await composer(page).waitFor();
  await turnList(page);
  await completeWord(page);
  await stopAnswer(page);
  await widenThread(page);
  await saveDigestByWindow(page, (line) => type(page, line));
  await saveWatchlistByWindow(page, (line) => type(page, line));
  await seeWhatIsNew(page);
  await leaveEmpty(page);
  await meetOthers(page);
}

/** What a stranger sees first, and clicks: a headline, the source of an answer, and a company that spikes. */
async function meetDemo(): Promise<void> {
  const demo = await startDemo({ config, log, port: 0, timeZone: "UTC", stepMs: 500 });
  try {
    await onNewPage(browser, { name: "desk", colorScheme: "light" }, async (page) => {
      await page.goto(demo.url);
      const headline = page
        .locator(".main .message")
        .getByRole("link", { name: /^(?!\d+ repl)\w/ })
        .last();
      await openArticle(page, headline);
      await openArticle(page, inThread(page).locator(".markdown").getByRole("link").first());
      await checkView(page, "morning");
      await askInThread(page);
      await page.getByRole("button", { name: /^Make .* spike$/ }).click();
      const spike = page.locator(".main .message").last();
      await timed("click to alert", () => spike.filter({ hasText: /× normal/ }).waitFor());
      await spike.filter({ hasText: /back to normal/ }).waitFor();
      await checkView(page, "spike");
    });
  } finally {
    await demo.stop();
  }
}

/** A link to an article opens the article, under its own headline. */
async function openArticle(page: Page, link: Locator): Promise<void> {
  const opened = page.waitForEvent("popup");
  await link.click();
  const article = await opened;
  await article.getByRole("heading", { level: 1 }).waitFor();
  await article.close();
}

/** Whoever turns a list sees all of the page that comes. */
async function turnList(page: Page): Promise<void> {
  const list = await run(page, "/news chip export");
  const newest = await list.getByRole("link").first().innerText();
  await press(list, /^(Older|Next)/);
  await list.getByRole("link", { name: newest }).waitFor({ state: "detached" });
  await checkView(page, "list");
  const [shown, screen] = await Promise.all([list.boundingBox(), page.locator(".scroller").first().boundingBox()]);
  assert(
    shown && screen && shown.height <= screen.height,
    `a list of ${shown?.height} px, and ${screen?.height} are there`,
  );
  await press(list, /^(Newer|Previous|Back)/);
  await list.getByRole("link", { name: newest }).waitFor();
}

/** A command is completed up to its second word. */
async function completeWord(page: Page): Promise<void> {
  await composer(page).pressSequentially("/al");
  await page.getByRole("option", { name: /^\/alerts/ }).waitFor();
  await page.keyboard.press("Tab");
  await page.getByRole("option", { name: /^pause/ }).waitFor();
  await checkView(page, "completion");
  await page.keyboard.press("Enter");
  await page.locator(".message.latest .typed", { hasText: /\/alerts$/ }).waitFor();
}

/** The thread of a question opens as its answer begins, and the answer can be stopped there. */
async function stopAnswer(page: Page): Promise<void> {
  await type(page, "@Bellwether compare Paylantic and Skagerrak Wind in a table");
  await timed("first words", () => inThread(page).locator(".message .markdown").first().waitFor());
  await page.locator(".main textarea:focus").waitFor();
  await press(inThread(page), "Stop");
  await inThread(page).getByRole("button", { name: "Try again" }).waitFor();
  // The button that was pressed is gone; its message has the focus then.
  await inThread(page).locator(":focus").waitFor();
  await checkView(page, "stopped");
}

/** The width of the thread is changed by keys and remembered. */
async function widenThread(page: Page): Promise<void> {
  const width = async () => (await inThread(page).boundingBox())?.width ?? 0;
  const before = await width();
  assert(before >= 420, `a thread of ${before} px`);
  await page.getByRole("separator", { name: "Width of the thread" }).press("ArrowLeft");
  const wider = await width();
  assert(wider > before, `${wider} px are not more than ${before}`);
  await page.reload();
  await inThread(page).waitFor();
  assert.equal(await width(), wider);
  await inThread(page).getByRole("link", { name: "Close thread" }).click();
}

/** What comes while the reader is elsewhere is in the title of the tab, in bold, and behind a line. */
async function seeWhatIsNew(page: Page): Promise<void> {
  await page.goto(`${workspace.url}/#C0RANDOMXX`);
  await composer(page).waitFor();
  await workspace.say({ channel: newsroom, text: `<@${workspace.me}> have you seen this?`, user: tomas });
  const title = page.locator('xpath=//title[starts-with(., "(1) ")]');
  await title.waitFor({ state: "attached" });
  await page.reload();
  await title.waitFor({ state: "attached" });
  await page.getByRole("link", { name: /newsroom.*1 unread for you/ }).click();
  await page.locator(".new-line + .message", { hasText: "have you seen this?" }).waitFor();
  await checkView(page, "new");
}

/** A form of the bot's own page says what is missing. */
async function leaveEmpty(page: Page): Promise<void> {
  const published = () => workspace.calls.filter(({ method }) => method === "views.publish").length;
  const before = published();
  // Whoever opens Home gets it anew, and a button of the one before leads nowhere any more.
  const shown = page.waitForResponse((response) => response.url().includes("/workspace/open"));
  await page.goto(`${workspace.url}/#home`);
  await shown;
  await workspace.until(() => published() > before);
  await press(page.getByRole("tabpanel"), "Ask");
  const dialog = page.getByRole("dialog");
  await press(dialog, "Ask");
  await dialog.locator(".error").waitFor();
  await checkView(page, "form");
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
}

/** A group direct message, and the page as people whom the bot does not answer. */
async function meetOthers(page: Page): Promise<void> {
  await page.goto(`${workspace.url}/#${newsroom}`);
  await type(page, "/dm @Tomás Okafor @Bellwether Shall we ask in here?");
  await page.getByRole("heading", { name: "Tomás Okafor, Bellwether" }).first().waitFor();
  await page
    .getByText(/Shall we ask in here/)
    .last()
    .waitFor();
  await checkView(page, "group");
  for (const label of ["Noor Haddad · guest", "Sam Whitfield · partner"]) {
    await page.getByRole("combobox", { name: "Act as" }).selectOption({ label });
    await page.getByRole("heading", { level: 1, name: "partners" }).waitFor();
    await type(page, "@Bellwether why is copper in the news?");
    await page.locator(".message.latest, .thread .message.latest").first().waitFor();
    await checkView(page, label.replaceAll(/\W+/g, "-"));
  }
  await page.getByRole("combobox", { name: "Act as" }).selectOption({ label: "Noor Haddad · guest" });
  await page.getByRole("link", { name: "Bellwether" }).click();
  await page.getByRole("tab", { name: "Home" }).click();
  await page.getByRole("tabpanel", { name: "Home" }).getByRole("paragraph").first().waitFor();
  assert.equal(await page.getByRole("tabpanel").getByRole("button").count(), 0, "buttons on a guest's Home");
}

/** Every command, each with what may follow it, is answered; windows are closed again. */
async function tryEveryCommand(page: Page): Promise<void> {
  await page.goto(`${workspace.url}/#${newsroom}`);
  await composer(page).waitFor();
  const examples: Record<string, string> = {
    "/news": "oil",
    "/company": "Paylantic",
    "/summary": "data breach",
    "/ask": "why is copper in the news?",
  };
  for (const { command, words = [] } of workspace.state().app.commands) {
    const lines =
      words.length > 0
        ? words.map(({ word }) => `${command} ${word}`)
        : [`${command} ${examples[command] ?? ""}`.trim()];
    for (const line of lines) await tryCommand(page, line);
  }
  assert.deepEqual(await page.evaluate(tooWide), [], "after all commands");
}

async function tryCommand(page: Page, line: string): Promise<void> {
  const before = workspace.messages(newsroom).length;
  await type(page, line);
  const results = () =>
    workspace
      .messages(newsroom)
      .slice(before)
      .filter((message) => !isSign(message));
  await workspace.until(() => results().length > 0 || workspace.state().modals.length > 0);
  const dialog = page.getByRole("dialog");
  while (workspace.state().modals.length > 0) {
    await dialog.first().waitFor();
    const open = workspace.state().modals.length;
    await page.keyboard.press("Escape");
    await workspace.until(() => workspace.state().modals.length < open);
  }
  await dialog.waitFor({ state: "detached" });
}

/** Below an alert, a question needs no mention: two are offered, and one is typed. */
async function askInThread(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Ask in the thread" }).click();
  await inThread(page).locator("textarea:focus").waitFor();
  assert.equal(await inThread(page).getByRole("group", { name: "Example questions" }).getByRole("button").count(), 2);
  const answers = inThread(page).locator(".message", { hasText: /Sources/ });
  const before = await answers.count();
  await inThread(page).locator("textarea").fill("who loses from this?");
  await page.keyboard.press("Enter");
  await timed("answer below an alert", () => answers.nth(before).waitFor());
  await checkView(page, "asked");
}

function composer(page: Page): Locator {
  return page.locator(".main .composer textarea");
}

function inThread(page: Page): Locator {
  return page.getByRole("complementary", { name: "Thread" });
}

async function type(page: Page, line: string): Promise<void> {
  await composer(page).fill(line);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Enter");
}

/** Types a command and waits for its result: the private reply that shows it, or what follows a sign of work. */
async function run(page: Page, line: string): Promise<Locator> {
  const replies = page.locator(".main .message", { has: page.locator(".typed", { hasText: line }) });
  const reply = replies.nth(await replies.count());
  await composer(page).fill(line);
  await page.keyboard.press("Escape");
  await timed("reply to a command", async () => {
    await page.keyboard.press("Enter");
    await reply.waitFor();
  });
  if (!isSign({ text: await reply.innerText() })) return reply;
  const result = reply.locator("xpath=following::*[contains(concat(' ', @class, ' '), ' message ')][1]");
  await result.waitFor();
  return result;
}

/** By keyboard: a click that meets a page which scrolls as answers come goes nowhere. */
async function press(within: Page | Locator, name: string | RegExp): Promise<void> {
  await within.getByRole("button", { name, exact: true }).last().press("Enter");
}

/** Takes a picture, and rejects what is wider than the box that it scrolls in and what axe-core finds. */
async function checkView(page: Page, name: string): Promise<void> {
  if (folder) await page.screenshot({ path: `${folder}/${name}.png` });
  assert.deepEqual(await page.evaluate(tooWide), [], `${name}: wider than its window`);
  await page.evaluate(axe.source);
  assert.deepEqual(await page.evaluate(complaintsOfAxe), [], `${name}: found by axe-core`);
}
