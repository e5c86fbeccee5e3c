import { html } from "htm/preact";
import type { VNode } from "preact";
import { BellMark } from "./icons.ts";
import { nameOf, useLookup, userOf } from "./lookup.ts";

const HUES = 8;

function initials(name: string): string {
  const words = name.split(/[\s._-]+/).filter(Boolean);
  const [first = "?", last = ""] = [words[0], words.length > 1 ? words.at(-1) : ""];
  return `${[...first][0] ?? ""}${[...last][0] ?? ""}`.toUpperCase();
}

function hueOf(id: string): number {
  return [...id].reduce((sum, char) => (sum * 31 + (char.codePointAt(0) ?? 0)) % 9973, 7) % HUES;
}

/** A person's initials on a colour of their own, or the app's mark; the name beside it speaks for it. */
export function Avatar({ user, size = "" }: { user: string; size?: string }): VNode {
  const lookup = useLookup();
  if (user === lookup.appUser) return html`<span class=${`avatar avatar-app ${size}`} aria-hidden="true"><${BellMark} /></span>`;
  const robot = userOf(lookup, user)?.isBot ? " avatar-bot" : "";
  return html`<span class=${`avatar hue-${hueOf(user)}${robot} ${size}`} aria-hidden="true">${initials(nameOf(lookup, user))}</span>`;
}
