/**
 * `npm run test:page [FOLDER]`: uses the workspace page in headless Chromium as a person would, at desk and phone width,
 * and fails on a missing answer, an error in the console or anything wider than its window. Pictures go to FOLDER.
 */
import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";

import { type Browser, type Locator, type Page, chromium } from "playwright-core";

import { parseConfig } from "../../src/config.ts";
import { type Local, startAll } from "../../local/start.ts";
import { createLog } from "../../src/log.ts";
import { playTour } from "../../local/tour.ts";
import type { Workspace } from "../../local/workspace/server.ts";

const folder = process.argv[2];
const sizes = { desk: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } };
/** Without these, Chromium looks for hosts of its maker at every start. */
const quiet = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"];

/** Runs in the page: the boxes that a reader would have to scroll sideways; code and tables may, in boxes of their own. */
const tooWide = `[document.documentElement, ...document.querySelectorAll(".scroller, dialog, dialog *")]
  .filter((box) => box.scrollWidth > box.clientWidth + 1 && (box === document.documentElement || /auto|scroll/.test(getComputedStyle(box).overflowX)))
  .map((box) => box.tagName + "." + box.className + " " + box.scrollWidth + " > " + box.clientWidth)`;

/** Each is opened once, because a button that is pressed twice within seconds counts once. */
const forms = new Map([
  ["desk-light", { title: "Ask a question", submit: "Ask" }],
  ["phone-dark", { title: "Search the news", submit: "Search" }],
]);

/** Opened where a form is, which is at both widths and in both colours. */
const subscriptions = [
  { noun: "alert", what: undefined },
  { noun: "digest", what: "chip export" },
];

const log = createLog({ level: "warn" });
// One person stands in for many here.
const config = parseConfig({ QUESTIONS_PER_MINUTE: "1000" });
const local = await startAll({ config, log, port: 0, wordDelayMs: 5 });
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
  const look = (what: string) => lookAt(page, `${name}-${colorScheme}-${what}`);
  const complaints: string[] = [];
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  const newsroom = workspace.state().conversations.find((conversation) => conversation.name === "newsroom")?.id;
  await page.goto(`${workspace.url}/#${newsroom}`);
  const lists = page.getByRole("heading", { name: "News: chip export" });
  await last(page, /News: chip export/).waitFor();
  const before = await lists.count();
  await type(page, "/news chip export");
  await lists.nth(before).waitFor();
  await turnList(page, look);
  await type(page, "@Bellwether why are chip makers in the news?");
  const question = page.getByRole("log").getByRole("article").filter({ hasText: "why are chip makers" }).last();
  await question.getByText(/1 reply/).waitFor();
  await look("channel");
  // The page scrolls while the answer grows, and a click that the scrolling meets goes nowhere.
  await workspace.until(() => isAnswered(workspace, newsroom ?? ""), 30_000);
  await question.getByText(/1 reply/).click();
  await page
    .getByRole("complementary", { name: "Thread" })
    .getByText(/Sources/)
    .waitFor();
  await look("thread");
  await page.goto(`${workspace.url}/#${newsroom}`);
  await openChart(page, look);
  await openWindow(page, look);
  const form = forms.get(`${name}-${colorScheme}`);
  for (const each of form ? subscriptions : []) await subscribe(page, each, look);
  await page.goto(`${workspace.url}/#home`);
  await page.getByText("News for your desk").waitFor();
  await look("home");
  if (form) await leaveEmpty(page, form, look);
  if (form) await meetOthers(page, workspace.url, look);
  assert.deepEqual(complaints, [], `${name} ${colorScheme}: errors in the console`);
  await page.close();
}

type Look = (what: string) => Promise<void>;

async function turnList(page: Page, look: Look): Promise<void> {
  await press(page, /^Older/);
  await last(page, /4–\d+ of \d+ articles/).waitFor();
  await look("list");
  await fitsTheScreen(page);
  await press(page, /^Newer/);
  await last(page, /1–3 of \d+ articles/).waitFor();
}

/** Whoever turns a list sees all of the page that comes. */
async function fitsTheScreen(page: Page): Promise<void> {
  const heading = page.getByRole("heading", { name: "News: chip export" });
  const list = await page.getByRole("article").filter({ has: heading }).last().boundingBox();
  const screen = await page.locator(".scroller").first().boundingBox();
  assert(
    list && screen && list.height <= screen.height,
    `a list of ${list?.height} px, and ${screen?.height} are there`,
  );
}

async function openChart(page: Page, look: Look): Promise<void> {
  await type(page, "/trending");
  await page
    .getByRole("img", { name: /^Mentions now and usually, bar chart\./ })
    .last()
    .waitFor();
  await look("chart");
}

/** A window that is browsed in place and closed again. */
async function openWindow(page: Page, look: Look): Promise<void> {
  await type(page, "/bellwether jurisdictions");
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Who regulates where").waitFor();
  await press(dialog, /^Choose a region/);
  await page.getByRole("listbox").getByRole("option").first().click();
  await press(dialog, /^Choose a jurisdiction/);
  await page.getByRole("listbox").getByRole("option").first().click();
  await dialog.getByRole("button", { name: /^Agencies in/ }).waitFor();
  await look("window");
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await dialog.waitFor({ state: "detached" });
}

/** A window of something to subscribe to. */
async function subscribe(page: Page, { noun, what }: (typeof subscriptions)[number], look: Look): Promise<void> {
  await type(page, `/${noun}s add`);
  const dialog = page.getByRole("dialog", { name: `New ${noun}` });
  await dialog.getByText("Or say when in your own words").waitFor();
  if (what) await dialog.getByLabel("Query, name or number").fill(what);
  await look(noun);
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "detached" });
}

/** A form of the bot's own page says what is missing. */
async function leaveEmpty(page: Page, form: { title: string; submit: string }, look: Look): Promise<void> {
  await press(page, form.title);
  const dialog = page.getByRole("dialog", { name: form.title });
  await press(dialog, form.submit);
  await dialog.getByText("Please fill in this field.").waitFor();
  await look("form");
  // With the mouse: the field that is missing may take the focus, and with it the key.
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "detached" });
}

/** A group direct message, and the page as somebody whom the bot does not answer. */
async function meetOthers(page: Page, url: string, look: Look): Promise<void> {
  await page.goto(`${url}/#C0NEWSROOM`);
  await type(page, "/dm @Tomás Okafor @Bellwether Shall we ask in here?");
  await page.getByRole("heading", { name: "Tomás Okafor, Bellwether" }).first().waitFor();
  await last(page, /Shall we ask in here/).waitFor();
  await type(page, "@Bellwether models");
  await last(page, /1 reply/).waitFor();
  await look("group");
  const navigation = page.getByRole("button", { name: "Open navigation" });
  if (await navigation.isVisible()) await navigation.click();
  await look("people");
  await page.getByRole("combobox", { name: "Act as" }).selectOption({ label: "Sam Whitfield · partner" });
  await page.waitForURL(/\?as=/);
  await page.goto(`${page.url().replace(/#.*/, "")}#C0PARTNERS`);
  await type(page, "@Bellwether why is copper in the news?");
  await last(page, /you are from another/).waitFor();
  await look("refused");
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

/** By keyboard: a click that meets a page which scrolls as answers come goes nowhere. */
async function press(within: Page | Locator, name: string | RegExp): Promise<void> {
  await within.getByRole("button", { name, exact: true }).last().press("Enter");
}

/** Takes a picture, and rejects what is wider than the box that it scrolls in. */
async function lookAt(page: Page, name: string): Promise<void> {
  if (folder) await page.screenshot({ path: `${folder}/${name}.png` });
  assert.deepEqual(await page.evaluate(tooWide), [], `${name}: wider than its window`);
}
