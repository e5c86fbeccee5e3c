import { html } from "htm/preact";
import type { VNode } from "preact";
import type { WorkspaceStatus } from "../protocol.ts";
import { useActions } from "./actions.ts";
import { nameOf, useLookup } from "./lookup.ts";

/** What the app says that it is doing in a thread: "Bellwether is reading the news…", and a way to stop it. */
export function Working({ working }: { working: WorkspaceStatus }): VNode {
  const lookup = useLookup();
  const actions = useActions();
  const { channel, thread_ts, status, canStop } = working;
  const stop = () => actions.stop({ channel, thread_ts });
  return html`<p class="working">
    <span class="working-dots" aria-hidden="true"><i></i><i></i><i></i></span>
    <span><strong>${nameOf(lookup, lookup.appUser)}</strong> ${status}</span>
    ${canStop ? html`<button type="button" class="link-button" onClick=${stop}>Stop</button>` : null}
  </p>`;
}
