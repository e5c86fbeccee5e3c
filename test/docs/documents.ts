import { screensPage } from "./screens.ts";
import { commandTable, commandsPage, commonSettingTable, scopeTable, settingsPage } from "./tables.ts";

interface GeneratedFile {
  /** From the root of the repository. */
  path: string;
  text: string;
}

/** Every file that `npm run docs` writes, as it should read; `read` gives the text of one as it is. */
export async function documents(read: (path: string) => string): Promise<GeneratedFile[]> {
  const readme = { commands: commandTable(), settings: commonSettingTable() };
  return [
    { path: "README.md", text: Object.entries(readme).reduce(filledIn, read("README.md")) },
    { path: "docs/install.md", text: filledIn(read("docs/install.md"), ["scopes", scopeTable()]) },
    { path: "docs/commands.md", text: commandsPage() },
    { path: "docs/settings.md", text: settingsPage() },
    { path: "docs/screens.md", text: await screensPage() },
  ];
}

/** A page with this text between `<!-- name -->` and `<!-- /name -->`. */
function filledIn(page: string, [name, text]: [string, string]): string {
  const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [from, to] = [page.indexOf(start), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`a page has no ${start} … ${end}`);
  return `${page.slice(0, from + start.length)}\n\n${text}\n\n${page.slice(to)}`;
}
