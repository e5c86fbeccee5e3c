import type { Locator, Page } from "playwright-core";

/** What a person does in windows of the workspace page. */

/** Saves a digest of a news channel by its window, with a slip on the way; changes it in another one, and takes that back. */
export async function saveDigestByWindow(page: Page, type: (line: string) => Promise<void>): Promise<void> {
  await type("/digests add");
  const added = page.getByRole("dialog", { name: "New digest" });
  await choose(page, added.getByRole("button", { name: /^Follow/ }), "News channel");
  const channel = added.getByRole("button", { name: /^News channel/ });
  await choose(page, channel, "Gold wire", "gol");
  await choose(page, added.getByRole("button", { name: /^When/ }), "Another time…");
  const words = added.getByRole("textbox", { name: /At what time/ });
  await words.fill("sometimes");
  await added.getByRole("button", { name: "Save" }).press("Enter");
  // What was wrong has the focus, and everything that was filled in is still there.
  await added.locator(".input-wrong", { has: page.locator("input:focus") }).waitFor();
  await channel.filter({ hasText: "Gold wire" }).waitFor();
  await words.fill("daily at 7:45 UTC");
  // Closing the further options keeps what is in them.
  await added.getByRole("button", { name: "More options" }).press("Enter");
  await added.getByRole("textbox", { name: /Most stories/ }).fill("3");
  await added.getByRole("button", { name: "Fewer options" }).press("Enter");
  await added.getByRole("textbox", { name: /Most stories/ }).waitFor({ state: "detached" });
  await saveIn(added);
  const card = page.getByRole("article").filter({ hasText: /Daily at 07:45[^]*at most 3\sstories/i });
  await card.last().waitFor();
  await card
    .last()
    .getByRole("button", { name: /^(Edit|Change)/ })
    .press("Enter");
  const edited = page.getByRole("dialog", { name: /^Edit digest/ });
  await choose(page, edited.getByRole("button", { name: /^When/ }), "Another time…");
  await edited.getByRole("textbox", { name: /At what time/ }).fill("Mondays at 6:00 UTC");
  await saveIn(edited);
  const changed = page.getByRole("article").filter({ hasText: /Mondays at 06:00/ });
  await changed.last().getByRole("button", { name: "Undo" }).press("Enter");
  await changed.last().waitFor({ state: "detached" });
}

/** Saves a watchlist by its window: chips are put in and taken out, and the count of the last day follows. */
export async function saveWatchlistByWindow(page: Page, type: (line: string) => Promise<void>): Promise<void> {
  await type("/watchlists new");
  const added = page.getByRole("dialog", { name: "New watchlist" });
  await added.getByRole("textbox", { name: /^Name/ }).fill("By window");
  const names = added.getByRole("button", { name: /^Any of these/ });
  await choose(page, names, "Novalith Semiconductor", "nvlt");
  await choose(page, names, "Ardenne Lithography", "ardenne");
  await added.getByText(/from the last 24\shours/).waitFor();
  await added.getByRole("button", { name: "Remove Ardenne Lithography" }).press("Enter");
  await added.getByRole("button", { name: "Remove Ardenne Lithography" }).waitFor({ state: "detached" });
  await saveIn(added);
  const card = page.getByRole("article").filter({ hasText: /By window is saved/ });
  await card.last().getByRole("button", { name: "Change…" }).press("Enter");
  const edited = page.getByRole("dialog", { name: "Edit watchlist" });
  await edited.getByRole("button", { name: "Remove Novalith Semiconductor" }).waitFor();
  await page.keyboard.press("Escape");
  await edited.waitFor({ state: "detached" });
}

/** Picks from a list, after typing a part of the name where one is given. */
async function choose(page: Page, list: Locator, name: string, part = ""): Promise<void> {
  await list.press("Enter");
  await page.getByRole("combobox", { name: "Filter the choices" }).fill(part);
  await page.getByRole("option", { name }).first().waitFor();
  await page.getByRole("option", { name }).first().click();
}

async function saveIn(dialog: Locator): Promise<void> {
  await dialog.getByRole("button", { name: "Save" }).press("Enter");
  await dialog.waitFor({ state: "detached" });
}
