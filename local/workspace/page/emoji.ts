import { html } from "htm/preact";
import type { ComponentChildren, VNode } from "preact";
import { entryOf } from "./fields.ts";

const disc = (fill: string) => () => html`<circle cx="8" cy="8" r="6.5" fill=${fill} />`;

/**
 * The emoji that the bot uses, drawn in a 16 × 16 box. Not every machine has a font with them, and an empty box in
 * place of a status sign would say nothing.
 */
const drawings = {
  bell: () => html`<path fill="#f2b13c" d=${bellPath} /><circle cx="8" cy="13.4" r="1.6" fill="#c9861b" />`,
  no_bell: () =>
    html`<path fill="#b9bec2" d=${bellPath} /><circle cx="8" cy="13.4" r="1.6" fill="#8d959a" /><path
        stroke="#d8433b"
        stroke-width="2"
        stroke-linecap="round"
        d="M2.6 2.6 13.4 13.4"
      />`,
  black_circle: disc("#3c4448"),
  bust_in_silhouette: () =>
    html`<circle cx="8" cy="5" r="3.2" fill="#5d7078" /><path fill="#5d7078" d="M2 14.2c0-3.6 2.6-5 6-5s6 1.4 6 5z" />`,
  chart_with_upwards_trend: () =>
    html`<rect x="1" y="1.5" width="14" height="13" rx="2" fill="#eef2f3" stroke="#b7c1c4" /><path
        fill="none"
        stroke="#d8433b"
        stroke-width="1.8"
        stroke-linejoin="round"
        d="m3 12 3.4-3.6 2.4 1.8L13 4.4"
      />`,
  coin: () =>
    html`<circle cx="8" cy="8" r="6.6" fill="#f2b13c" /><circle cx="8" cy="8" r="4.4" fill="none" stroke="#b9791a" />`,
  eyes: () =>
    html`<path
        fill="#fff"
        stroke="#59656a"
        d="M4.4 2.4c1.7 0 2.8 2.4 2.8 5.6s-1.1 5.6-2.8 5.6S1.6 11.2 1.6 8s1.1-5.6 2.8-5.6zM11.6 2.4c1.7 0 2.8 2.4 2.8 5.6s-1.1 5.6-2.8 5.6S8.8 11.2 8.8 8s1.1-5.6 2.8-5.6z"
      /><path
        fill="#2b3438"
        d="M3.6 6.2c.9 0 1.6 1 1.6 2.2s-.7 2.2-1.6 2.2S2 9.6 2 8.4s.7-2.2 1.6-2.2zM10.8 6.2c.9 0 1.6 1 1.6 2.2s-.7 2.2-1.6 2.2-1.6-1-1.6-2.2.7-2.2 1.6-2.2z"
      />`,
  heavy_minus_sign: () => html`<rect x="2" y="6.6" width="12" height="2.8" rx="1.2" fill="#7d898d" />`,
  hourglass_flowing_sand: () =>
    html`<path fill="#dfe9ec" d="M4 2h8v2.4L9 8l3 3.6V14H4v-2.4L7 8 4 4.4z" /><path
        fill="#e0a23a"
        d="M5.4 4.6h5.2L8 7.7zM8 9.2l2.8 3.6H5.2z"
      /><path stroke="#8a6a3d" stroke-width="1.6" stroke-linecap="round" d="M3.2 1.8h9.6M3.2 14.2h9.6" />`,
  large_blue_circle: disc("#3f7fd0"),
  large_green_circle: disc("#2ea567"),
  large_red_square: () => html`<rect x="1.8" y="1.8" width="12.4" height="12.4" rx="2.4" fill="#d8433b" />`,
  large_yellow_circle: disc("#edb52d"),
  loudspeaker: () =>
    html`<path fill="#d8433b" d="M2 6.2h2.8L11.6 2.4v11.2L4.8 9.8H2z" /><path
        fill="none"
        stroke="#7d898d"
        stroke-width="1.4"
        stroke-linecap="round"
        d="M13.4 5.6c1 1.4 1 3.4 0 4.8"
      />`,
  mag: () =>
    html`<circle cx="6.6" cy="6.6" r="4.4" fill="#d5ebf2" stroke="#5d7078" stroke-width="1.6" /><path
        stroke="#5d7078"
        stroke-width="2.4"
        stroke-linecap="round"
        d="m10.2 10.2 3.6 3.6"
      />`,
  newspaper: () =>
    html`<rect x="1.5" y="2" width="13" height="12" rx="1.6" fill="#eef2f3" stroke="#9aa6aa" /><path
        stroke="#5d7078"
        stroke-width="1.3"
        d="M3.6 5h8.8M8.6 8h3.8M8.6 11h3.8"
      /><rect x="3.6" y="7.4" width="3.4" height="4.2" fill="#9db3bb" />`,
  no_entry: () =>
    html`<circle cx="8" cy="8" r="6.8" fill="#d8433b" /><rect
        x="3.6"
        y="6.7"
        width="8.8"
        height="2.6"
        rx="0.8"
        fill="#fff"
      />`,
  pushpin: () =>
    html`<path stroke="#7d898d" stroke-width="1.6" stroke-linecap="round" d="M6.4 9.6 2.4 13.6" /><path
        fill="#d8433b"
        d="m9.4 1.8 4.8 4.8-1.4.6-1 .2-2.4 2.4-.2 2.4-1 .8-4.6-4.6.8-1 2.4-.2 2.4-2.4.2-1z"
      />`,
  red_circle: disc("#d8433b"),
  rotating_light: () =>
    html`<path fill="#d8433b" d="M3.6 11.4V8.2a4.4 4.4 0 0 1 8.8 0v3.2z" /><rect
        x="2.2"
        y="11.4"
        width="11.6"
        height="2.8"
        rx="1"
        fill="#59656a"
      /><path stroke="#edb52d" stroke-width="1.3" stroke-linecap="round" d="M8 1v1.4M2.4 3l1 1M13.6 3l-1 1" />`,
  small_red_triangle: () =>
    html`<path fill="#d8433b" stroke="#d8433b" stroke-linejoin="round" d="M8 2.6 14.4 13.4H1.6z" />`,
  small_red_triangle_down: () =>
    html`<path fill="#d8433b" stroke="#d8433b" stroke-linejoin="round" d="M8 13.4 1.6 2.6h12.8z" />`,
  speech_balloon: () => html`<path fill="#e4ecee" stroke="#7d898d" d="M2 3h12v8H7.4L4.4 13.6V11H2z" />`,
  warning: () =>
    html`<path fill="#f2b13c" stroke="#f2b13c" stroke-linejoin="round" d="M8 2.2 15 14H1z" /><path
        stroke="#3a2c0a"
        stroke-width="1.7"
        stroke-linecap="round"
        d="M8 6.4v3.4M8 12v.1"
      />`,
  white_check_mark: () =>
    html`<rect x="1.4" y="1.4" width="13.2" height="13.2" rx="3" fill="#2ea567" /><path
        fill="none"
        stroke="#fff"
        stroke-width="2"
        stroke-linecap="round"
        stroke-linejoin="round"
        d="m4.6 8.4 2.4 2.4 4.6-5.4"
      />`,
  white_circle: () => html`<circle cx="8" cy="8" r="6.2" fill="#f3f6f6" stroke="#98a4a8" />`,
  white_large_square: () =>
    html`<rect x="2" y="2" width="12" height="12" rx="2.2" fill="#f3f6f6" stroke="#98a4a8" stroke-width="1.2" />`,
  x: () =>
    html`<path stroke="#d8433b" stroke-width="3" stroke-linecap="round" d="m3.6 3.6 8.8 8.8M12.4 3.6l-8.8 8.8" />`,
} satisfies Record<string, () => VNode | VNode[]>;

const bellPath =
  "M8 1.4c-2.7 0-4.3 2-4.3 4.6 0 3.3-.9 4.6-1.9 5.6v.9h12.4v-.9c-1-1-1.9-2.3-1.9-5.6 0-2.6-1.6-4.6-4.3-4.6z";

type DrawnName = keyof typeof drawings;

function isDrawn(name: string): name is DrawnName {
  return Object.hasOwn(drawings, name);
}

/** The characters of emoji by name; those that are not drawn come from the reader's fonts. */
const glyphs: Record<string, string> = {
  "+1": "👍",
  "-1": "👎",
  bell: "🔔",
  black_circle: "⚫",
  bust_in_silhouette: "👤",
  chart_with_upwards_trend: "📈",
  coin: "🪙",
  eyes: "👀",
  heavy_minus_sign: "➖",
  hourglass_flowing_sand: "⏳",
  large_blue_circle: "🔵",
  large_green_circle: "🟢",
  large_red_square: "🟥",
  large_yellow_circle: "🟡",
  loudspeaker: "📢",
  mag: "🔍",
  newspaper: "📰",
  no_bell: "🔕",
  no_entry: "⛔",
  pushpin: "📌",
  red_circle: "🔴",
  rotating_light: "🚨",
  small_red_triangle: "🔺",
  small_red_triangle_down: "🔻",
  smile: "😄",
  speech_balloon: "💬",
  tada: "🎉",
  warning: "⚠️",
  wastebasket: "🗑️",
  wave: "👋",
  white_check_mark: "✅",
  white_circle: "⚪",
  white_large_square: "⬜",
  x: "❌",
  zzz: "💤",
};

/** An emoji without the mark that asks for colours, which a text may leave out. */
const bare = (glyph: string) => glyph.replace("\ufe0f", "");

const drawnByGlyph = new Map(
  Object.entries(glyphs).flatMap(([name, glyph]) => (isDrawn(name) ? [[bare(glyph), name] as const] : [])),
);
const drawnGlyph = new RegExp(`(${[...drawnByGlyph.keys()].join("|")})\ufe0f?`, "u");

function Drawn({ name }: { name: DrawnName }): VNode {
  return html`<svg class="emoji" viewBox="0 0 16 16" role="img" aria-label=${name.replaceAll("_", " ")}>
    ${drawings[name]()}
  </svg>`;
}

/** An emoji by its name; an unknown name stays as it was typed. */
export function Emoji({ name }: { name: string }): VNode {
  if (isDrawn(name)) return html`<${Drawn} name=${name} />`;
  const glyph = entryOf(glyphs, name);
  if (!glyph) return html`<span>:${name}:</span>`;
  return html`<span role="img" aria-label=${name.replaceAll("_", " ")}>${glyph}</span>`;
}

/** A text whose emoji characters are drawn, too. */
export function withEmoji(text: string): ComponentChildren {
  if (!drawnGlyph.test(text)) return text;
  return text.split(drawnGlyph).map((part) => {
    const name = drawnByGlyph.get(part);
    return name ? html`<${Drawn} name=${name} />` : part;
  });
}
