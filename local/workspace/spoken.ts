import type { World } from "./world.ts";

/** A mention as the page sends it, or an address that Slack turns into a link. */
const SPECIAL = /<@[UW][A-Z0-9]+>|<#C[A-Z0-9]+(?:\|[^<>]*)?>|<!(?:here|channel|everyone)>|https?:\/\/[^\s<>|]+/g;

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** Rewrites what a person typed: `special` for mentions and links, `plain` for the text between. */
function rewrite(typed: string, special: (found: string) => string, plain: (text: string) => string): string {
  let at = 0;
  let text = "";
  for (const match of typed.matchAll(SPECIAL)) {
    text += plain(typed.slice(at, match.index)) + special(match[0]);
    at = match.index + match[0].length;
  }
  return text + plain(typed.slice(at));
}

/** What people typed as Slack stores it: `&`, `<` and `>` escaped, addresses as links, mentions kept. */
export function messageText(typed: string): string {
  return rewrite(typed, (found) => (found.startsWith("http") ? `<${escaped(found)}>` : found), escaped);
}

function named(world: World, found: string): { sign: string; id: string; name: string } | undefined {
  const match = /^<([@#])([A-Z0-9]+)/.exec(found);
  const [, sign, id] = match ?? [];
  if (sign === undefined || id === undefined) return undefined;
  const name = sign === "@" ? world.user(id)?.name : world.conversation(id)?.name;
  return name === undefined ? undefined : { sign, id, name };
}

/** The text of a slash command: ids and links where the command asks for escaping, else the bare names. */
export function commandText(world: World, typed: string, shouldEscape: boolean): string {
  return rewrite(
    typed,
    (found) => {
      if (found.startsWith("http")) return shouldEscape ? `<${escaped(found)}>` : found;
      const one = named(world, found);
      if (!one) return found;
      return shouldEscape ? `<${one.sign}${one.id}|${one.name}>` : `${one.sign}${one.name}`;
    },
    escaped,
  );
}
