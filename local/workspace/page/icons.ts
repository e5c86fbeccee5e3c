import { html } from "htm/preact";
import type { VNode } from "preact";
import { nameOf, useLookup, userOf } from "./lookup.ts";

const paths = {
  hash: "M6 2.5 4.6 13.5M11.4 2.5 10 13.5M2.5 5.7h11.4M2.1 10.3h11.4",
  lock: "M4.5 7V5a3.5 3.5 0 0 1 7 0v2M3.5 7h9v6.5h-9z",
  home: "M2.5 7.2 8 2.5l5.5 4.7v6.3H9.8V9.7H6.2v3.8H2.5z",
  menu: "M2.5 4.2h11M2.5 8h11M2.5 11.8h11",
  close: "m3.8 3.8 8.4 8.4M12.2 3.8l-8.4 8.4",
  thread: "M2.5 3.2h11v7.6H7.6L4.6 13.4v-2.6H2.5zM5.2 6h5.6M5.2 8.2h3.4",
  more: "M8 3.4v.1M8 8v.1M8 12.6v.1",
  send: "M2.6 2.8 13.6 8 2.6 13.2 4.2 8zM4.2 8h4.6",
  bolt: "M9 2 3.6 9h4L6.8 14l5.6-7.2h-4z",
  down: "M8 3v9.4M4.2 8.8 8 12.6l3.8-3.8",
  chevron: "m4.4 6.2 3.6 3.6 3.6-3.6",
  check: "m3.2 8.4 3.2 3.2 6.4-7",
  eye: "M1.6 8S4 3.8 8 3.8 14.4 8 14.4 8 12 12.2 8 12.2 1.6 8 1.6 8zM8 6.2a1.8 1.8 0 1 0 0 3.6 1.8 1.8 0 0 0 0-3.6z",
  up: "M5 13V7.4L8 2.6c1 0 1.6.7 1.4 1.8L9 6.8h3.6c.8 0 1.3.7 1.1 1.5l-1 3.6c-.2.7-.7 1.1-1.4 1.1zM2.4 7.4H5V13H2.4z",
  thumbdown:
    "M11 3v5.6l-3 4.8c-1 0-1.6-.7-1.4-1.8L7 9.2H3.4c-.8 0-1.3-.7-1.1-1.5l1-3.6C3.5 3.4 4 3 4.7 3zM13.6 8.6H11V3h2.6z",
  alert: "M8 2.2 14.4 13.4H1.6zM8 6.4v3.2M8 11.5v.1",
  people:
    "M6 7.6a2.4 2.4 0 1 0 0-4.8 2.4 2.4 0 0 0 0 4.8zM1.8 13c0-2.4 1.8-3.8 4.2-3.8s4.2 1.4 4.2 3.8M10.4 3.2a2.2 2.2 0 0 1 0 4.2M12 9.6c1.4.5 2.2 1.7 2.2 3.4",
} as const;

export type IconName = keyof typeof paths;

/** A line drawing in the colour of the text; screen readers skip it, so the element around it carries the label. */
export function Icon({ name }: { name: IconName }): VNode {
  return html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><path d=${paths[name]} /></svg>`;
}

/** The sign of each kind of conversation; a direct one shows the other person instead. */
export const conversationIcons = { channel: "hash", private: "lock", mpim: "people", im: undefined } as const;

/** The app's own mark: a bell with a signal. */
function BellMark(): VNode {
  return html`<svg class="bell" viewBox="0 0 24 24" aria-hidden="true">
    <path
      class="bell-body"
      d="M12 4.2c-3.3 0-5.3 2.4-5.3 5.5 0 3.6-1.1 5.1-2 6.1h14.6c-.9-1-2-2.5-2-6.1 0-3.1-2-5.5-5.3-5.5z"
    />
    <path class="bell-line" d="M9.9 18.3a2.2 2.2 0 0 0 4.2 0" />
    <path class="bell-line" d="M3.6 8.4c.3-2 1.2-3.7 2.6-5M20.4 8.4c-.3-2-1.2-3.7-2.6-5" />
  </svg>`;
}

/** The first letter, even if it is more than one unit of UTF-16. */
export function firstLetter(text: string): string {
  return Array.from(text)[0] ?? "";
}

function initials(name: string): string {
  const words = name.split(/[\s._-]+/).filter(Boolean);
  const last = words.length > 1 ? words.at(-1) : "";
  return `${firstLetter(words[0] ?? "?")}${firstLetter(last ?? "")}`.toUpperCase();
}

const hues = ["#b4552d", "#2f6f9f", "#7a4b9b", "#3d7a46", "#a83f63", "#5a6a24", "#8a6414", "#47589f"];

/** A person's initials on a colour of their own, or the app's mark; screen readers read the name beside it. */
export function Avatar({ user, size = "" }: { user: string; size?: string }): VNode {
  const lookup = useLookup();
  if (user === lookup.appUser)
    return html`<span class=${`avatar avatar-app ${size}`} aria-hidden="true"><${BellMark} /></span>`;
  // Colours follow the order of the people, so that nobody in a small workspace shares one.
  const known = userOf(lookup, user);
  const background = hues[(known ? lookup.users.indexOf(known) : 0) % hues.length];
  return html`<span class=${`avatar ${size}`} style=${{ background }} aria-hidden="true"
    >${initials(nameOf(lookup, user))}</span
  >`;
}
