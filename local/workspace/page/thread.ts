import { html } from "htm/preact";
import type { VNode } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { Composer } from "./composer.ts";
import type { ConversationProps } from "./conversation.ts";
import { Icon } from "./icons.ts";
import { titleOf, useLookup } from "./lookup.ts";
import { Messages } from "./messages.ts";
import { placeHash } from "./place.ts";
import { statusesIn, threadsOf } from "./rows.ts";
import { Working } from "./working.ts";

export interface ThreadProps extends ConversationProps {
  thread: string;
}

/** The thread panel beside the conversation; a sheet over it on narrow screens. */
export function Thread(props: ThreadProps): VNode {
  const { workspace, conversation, thread } = props;
  const lookup = useLookup();
  const panel = useRef<HTMLElement>(null);
  const all = workspace.messages[conversation.id] ?? [];
  const messages = useMemo(
    () => [...all.filter((message) => message.ts === thread), ...(threadsOf(all, props.dismissed).get(thread) ?? [])],
    [all, thread, props.dismissed],
  );
  const status = statusesIn(workspace.statuses, conversation.id).get(thread);
  const back = placeHash({ kind: "conversation", channel: conversation.id });
  const name = titleOf(lookup, conversation);
  useEffect(() => {
    const before = document.activeElement;
    if (!panel.current?.contains(before)) panel.current?.querySelector<HTMLElement>("h2")?.focus();
    return () => {
      const origin = document.querySelector<HTMLElement>(`.main .message[data-ts="${CSS.escape(thread)}"]`);
      if (document.activeElement === document.body || document.activeElement === null)
        origin?.focus({ preventScroll: true });
    };
  }, [thread]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape" && !event.defaultPrevented) location.hash = back;
  };
  return html`<aside class="thread" aria-label="Thread" ref=${panel} onKeyDown=${onKeyDown}>
    <header class="head-line">
      <h2 tabindex="-1">Thread</h2>
      <p class="topic">${name}</p>
      <a class="icon-button" href=${back} aria-label="Close thread" title="Close thread"><${Icon} name="close" /></a>
    </header>
    <${Messages}
      list=${thread}
      label="Messages in the thread"
      messages=${messages}
      shortcuts=${workspace.app.messageShortcuts}
    />
    <div role="status">${status ? html`<${Working} working=${status} />` : null}</div>
    <${Composer}
      key=${thread}
      channel=${conversation.id}
      thread=${thread}
      placeholder="Reply…"
      commands=${[]}
      shortcuts=${[]}
      notices=${props.notices}
      drafts=${props.drafts}
    />
  </aside>`;
}
