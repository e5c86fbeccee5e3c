import { html } from "htm/preact";
import type { ComponentChildren, VNode } from "preact";
import { useRef } from "preact/hooks";
import type { WorkspaceState } from "../protocol.ts";
import { Avatar } from "./icons.ts";
import { appConversation } from "./lookup.ts";
import { hashOf, type PageRoute } from "./store.ts";

type Tab = "home" | "messages" | "about";

const labels: Record<Tab, string> = { home: "Home", messages: "Messages", about: "About" };

/** The tab of the app that a route shows; undefined for other conversations. */
export function appTabOf(workspace: WorkspaceState, route: PageRoute | undefined): Tab | undefined {
  if (route?.kind !== "conversation") return route?.kind;
  return route.channel === appConversation(workspace)?.id ? "messages" : undefined;
}

/** The ID of a tab, which labels the panel below it. */
function tabId(tab: Tab): string {
  return `app-tab-${tab}`;
}

/** The tabs of the app's own conversation, as in Slack; the arrow keys move between them. */
export function AppTabs({ workspace, current }: { workspace: WorkspaceState; current: Tab }): VNode {
  const list = useRef<HTMLDivElement>(null);
  const messages = hashOf(appConversation(workspace)?.id ?? "");
  const tabs = [
    { tab: "home", href: hashOf("home") },
    { tab: "messages", href: messages },
    { tab: "about", href: hashOf("about") },
  ] as const;
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    const at = tabs.findIndex(({ tab }) => tab === current);
    const next = tabs[(at + step + tabs.length) % tabs.length];
    if (!next) return;
    event.preventDefault();
    location.hash = next.href;
    list.current?.querySelector<HTMLElement>(`#${tabId(next.tab)}`)?.focus();
  };
  return html`<div class="tabs" role="tablist" aria-label=${workspace.app.name} ref=${list} onKeyDown=${onKeyDown}>
    ${tabs.map(
      ({ tab, href }) =>
        html`<a
          class="tab"
          role="tab"
          id=${tabId(tab)}
          href=${href}
          aria-selected=${tab === current}
          aria-controls=${tab === current ? "app-panel" : undefined}
          tabindex=${tab === current ? 0 : -1}
        >
          ${labels[tab]}
        </a>`,
    )}
  </div>`;
}

/** The panel below the tabs. */
export function AppPanel({ current, children }: { current: Tab; children: ComponentChildren }): VNode {
  return html`<div class="app-panel" id="app-panel" role="tabpanel" aria-labelledby=${tabId(current)}>
    ${children}
  </div>`;
}

/** A page about the app: its description, ways to write to it, and its commands. */
export function About({ workspace }: { workspace: WorkspaceState }): VNode {
  const { app } = workspace;
  return html`<div class="scroller" tabindex="0" role="group" aria-label=${`About ${app.name}`}>
    <div class="home about">
      <${Avatar} user=${app.botUserId} size="large" />
      <h2>${app.name}</h2>
      <p>${app.description}</p>
      <p>
        Write to it under <a href=${hashOf(appConversation(workspace)?.id ?? "")}>Messages</a>, or mention it in a
        channel: <q>alert us when Novalith spikes</q>, <q>send me what’s trending every weekday at 9</q>. It asks before
        it sets anything.
      </p>
      <h3>Commands</h3>
      <dl>
        ${app.commands.map(
          ({ command, description }) =>
            html`<dt><code>${command}</code></dt>
              <dd>${description}</dd>`,
        )}
      </dl>
    </div>
  </div>`;
}
