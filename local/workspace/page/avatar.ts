import { html } from "htm/preact";
import type { VNode } from "preact";
import { BellMark } from "./icons.ts";
import { nameOf, useLookup, userOf } from "./lookup.ts";
import type { Lookup } from "./lookup.ts";

const HUES = 8;

/** The first letter, whole where it is more than one unit of UTF-16. */
export function firstLetter(text: string): string {
  return Array.from(text)[0] ?? "";
}

function initials(name: string): string {
  const words = name.split(/[\s._-]+/).filter(Boolean);
  const last = words.length > 1 ? words.at(-1) : "";
  return `${firstLetter(words[0] ?? "?")}${firstLetter(last ?? "")}`.toUpperCase();
}

/** Colours go round by the order of the people, so that neighbours in a small workspace never share one. */
function hueOf(lookup: Lookup, id: string): number {
  return (
    Math.max(
      0,
      lookup.users.findIndex((user) => user.id === id),
    ) % HUES
  );
}

/** A person's initials on a colour of their own, or the app's mark; the name beside it speaks for it. */
export function Avatar({ user, size = "" }: { user: string; size?: string }): VNode {
  const lookup = useLookup();
  if (user === lookup.appUser)
    return html`<span class=${`avatar avatar-app ${size}`} aria-hidden="true"><${BellMark} /></span>`;
  const robot = userOf(lookup, user)?.isBot ? " avatar-bot" : "";
  return html`<span class=${`avatar hue-${hueOf(lookup, user)}${robot} ${size}`} aria-hidden="true"
    >${initials(nameOf(lookup, user))}</span
  >`;
}
