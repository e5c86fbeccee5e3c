/**
 * `npm run pictures [NAME…]`: takes the README's pictures, or those with these names, of the local workspace's first screen,
 * light and dark, at twice the size. Needs Chromium: at /usr/bin/chromium, or where CHROMIUM says.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { type Browser, type Locator, type Page, chromium } from "playwright-core";

const pathTo = (file: string) => fileURLToPath(new URL(`../../${file}`, import.meta.url));
const folder = pathTo("docs/pictures");
const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
const args = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"];
const screen = { width: 1440, height: 900 };
/** Of the pictures of one message. */
const closeUp = { width: 960, height: 600 };

/** What each picture shows: a part of the page, from its top; the whole page where there is none. */
const pictures: Record<string, (page: Page) => Locator | undefined> = {
  overview: () => undefined,
  ask: (page) =>
    page.getByRole("complementary", { name: "Thread" }).getByRole("article").filter({ hasText: "?" }).first(),
  alert: (page) =>
    messages(page)
      .filter({ hasText: /× normal/ })
      .last(),
  digest: (page) =>
    messages(page)
      .filter({ hasText: /\d new stor(?:y|ies)/ })
      .last(),
};

const messages = (page: Page) => page.locator("main").getByRole("article");

if (!existsSync(executablePath)) {
  console.error(
    `There is no Chromium at ${executablePath}. Install it, or say where it is: CHROMIUM=PATH npm run pictures`,
  );
  process.exit(1);
}
const wanted = process.argv.slice(2);
const names = Object.keys(pictures).filter((name) => wanted.length === 0 || wanted.includes(name));
await mkdir(folder, { recursive: true });
// State is kept where the bot starts, so a new folder begins with the first screen that everybody sees.
const home = await mkdtemp(join(tmpdir(), "bellwether-pictures-"));
const workspace = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", pathTo("src/main.ts")], {
  cwd: home,
  env: { PATH: process.env["PATH"], PORT: "0", TZ: "Europe/London" },
  stdio: ["ignore", "pipe", "inherit"],
});
const browser = await chromium.launch({ executablePath, args });
try {
  const address = await addressIn(workspace.stdout);
  for (const colorScheme of ["light", "dark"] as const) {
    for (const name of names) await take(browser, { name, colorScheme, address });
  }
} finally {
  await browser.close();
  const ended = new Promise((resolve) => workspace.once("exit", resolve));
  workspace.kill();
  await ended;
  await rm(home, { recursive: true });
}

/** What `npm start` prints, up to its address. */
async function addressIn(output: AsyncIterable<Buffer>): Promise<string> {
  let printed = "";
  for await (const some of output) {
    printed += String(some);
    const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(printed) ?? [];
    if (address) return address;
  }
  throw new Error(`npm start printed no address: ${printed}`);
}

/** Of the page's elements, which the types of Node do not know. */
interface Scrollable {
  scrollIntoView(where: { block: "start" }): void;
}

interface Picture {
  name: string;
  colorScheme: "light" | "dark";
  address: string;
}

async function take(from: Browser, { name, colorScheme, address }: Picture): Promise<void> {
  const part = pictures[name];
  if (!part) throw new Error(`no picture ${name}`);
  const page = await from.newPage({
    viewport: screen,
    deviceScaleFactor: 2,
    colorScheme,
    reducedMotion: "reduce",
    timezoneId: "Europe/London",
    locale: "en-GB",
  });
  const path = join(folder, `${name}-${colorScheme}.png`);
  await page.goto(address);
  await page
    .getByRole("complementary", { name: "Thread" })
    .getByText(/Sources/)
    .first()
    .waitFor();
  await messages(page)
    .filter({ hasText: /× normal/ })
    .first()
    .waitFor();
  await page.evaluate("document.fonts.ready");
  const shown = part(page);
  if (shown) {
    // A thread has the whole width there, and what follows the message fits below it.
    if (name === "ask") await page.setViewportSize({ width: closeUp.width - 200, height: 1_200 });
    await shown.evaluate((message) => (message as unknown as Scrollable).scrollIntoView({ block: "start" }));
    const box = await shown.boundingBox();
    if (!box) throw new Error(`${name} is not on the page`);
    const width = Math.min(closeUp.width, box.width);
    const height = Math.round((width * closeUp.height) / closeUp.width);
    await page.screenshot({ path, clip: { x: box.x, y: box.y, width, height } });
  } else await page.screenshot({ path });
  console.log(path);
  await page.close();
}
