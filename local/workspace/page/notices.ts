import { html } from "htm/preact";
import type { VNode } from "preact";
import { useActions } from "./actions.ts";
import { Icon } from "./icons.ts";

/** Lines that only this person sees, until they are put away; `place` is the conversation or view they belong to. */
export function Notices({ place, notices }: { place: string; notices: string[] }): VNode {
  const { readNotices } = useActions();
  return html`<div class="notices" role="status">
    <div class="notice-lines">${notices.map((notice) => html`<p>${notice}</p>`)}</div>
    ${
      notices.length > 0
        ? html`<button type="button" class="icon-button" aria-label="Dismiss" onClick=${() => readNotices(place)}>
            <${Icon} name="close" />
          </button>`
        : null
    }
  </div>`;
}
