import { html } from "htm/preact";
import type { VNode } from "preact";
import { Icon } from "./icons.ts";
import type { IconName } from "./icons.ts";
import { stepIndex, usePopover } from "./popover.ts";
import type { Popover } from "./popover.ts";

export interface MenuItem {
  label: string;
  detail?: string;
  icon?: IconName;
  run: () => void;
}

function focusItem(popover: Popover, index: number): void {
  popover.panel.current?.querySelectorAll<HTMLElement>("[role=menuitem]")[index]?.focus();
}

function moveFocus(event: KeyboardEvent, popover: Popover, count: number): void {
  const items = [...(popover.panel.current?.querySelectorAll("[role=menuitem]") ?? [])];
  const next = stepIndex(
    event.key,
    items.findIndex((item) => item === document.activeElement),
    count,
  );
  if (next === undefined) return;
  event.preventDefault();
  focusItem(popover, next);
}

/** A button that opens a menu of things to do. */
export function Menu(props: { label: string; icon: IconName; items: MenuItem[]; class?: string }): VNode {
  const popover = usePopover((open) => {
    if (open) focusItem(popover, 0);
  });
  const choose = (item: MenuItem) => {
    popover.close();
    popover.anchor.current?.focus();
    item.run();
  };
  return html`<span class="menu">
    <button
      type="button"
      ref=${popover.anchor}
      class=${props.class ?? "icon-button"}
      popovertarget=${popover.id}
      aria-haspopup="menu"
      aria-expanded=${popover.open}
      aria-label=${props.label}
      title=${props.label}
    >
      <${Icon} name=${props.icon} />
    </button>
    <div
      id=${popover.id}
      ref=${popover.panel}
      class="panel"
      popover="auto"
      role="menu"
      aria-label=${props.label}
      onBeforeToggle=${popover.onBeforeToggle}
      onToggle=${popover.onToggle}
      onKeyDown=${(event: KeyboardEvent) => moveFocus(event, popover, props.items.length)}
    >
      ${(popover.open ? props.items : []).map(
        (item) =>
          html`<button type="button" role="menuitem" tabindex="-1" class="choice" onClick=${() => choose(item)}>
            ${item.icon ? html`<${Icon} name=${item.icon} />` : null}
            <span class="choice-text"
              ><span>${item.label}</span>${item.detail ? html`<small>${item.detail}</small>` : null}</span
            >
          </button>`,
      )}
    </div>
  </span>`;
}
