import { html } from "htm/preact";
import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import type { WorkspaceState, WorkspaceView } from "../protocol.ts";
import { BellMark } from "./icons.ts";
import { Blocks } from "./blocks.ts";
import { useViewSurface } from "./modal.ts";
import { Notices } from "./notices.ts";
import type { PageState } from "./store.ts";
import { SurfaceContext } from "./surface.ts";
import type { Value } from "./values.ts";

const NO_ERRORS: Record<string, string> = {};

function HomeView({ view }: { view: WorkspaceView }): VNode {
  const values = useMemo(() => new Map<string, Value>(), [view.id]);
  const surface = useViewSurface({ id: view.id, blocks: view.blocks, values, errors: NO_ERRORS });
  return html`<${SurfaceContext.Provider} value=${surface}><${Blocks} blocks=${view.blocks} /><//>`;
}

/** The app's Home tab, as the app last published it. */
export function Home({ workspace, notices }: { workspace: WorkspaceState; notices: PageState["notices"] }): VNode {
  const { home, app } = workspace;
  const at = home?.id ?? "";
  return html`<div class="scroller" tabindex="0" role="region" aria-label=${`${app.name} Home`}>
      <div class="home">
        ${
          home
            ? html`<${HomeView} view=${home} />`
            : html`<div class="empty">
                <span class="avatar avatar-app large" aria-hidden="true"><${BellMark} /></span>
                <h2>${app.connected ? "Nothing here yet" : `${app.name} is offline`}</h2>
                <p>
                  ${app.connected ? `${app.name} has not published its Home yet.` : "Its Home shows here as soon as the app is connected."}
                </p>
              </div>`
        }
      </div>
    </div>
    <div class="home-notices"><${Notices} place=${at} notices=${notices[at] ?? []} /></div>`;
}
