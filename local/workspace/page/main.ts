import { html, render } from "htm/preact";
import type { VNode } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { WorkspaceMessage, WorkspaceState } from "../protocol.ts";
import { ActionsContext, createActions } from "./actions.ts";
import { createApi, follow } from "./api.ts";
import { Conversation, ConversationTitle, Head, MemberCount } from "./conversation.ts";
import { ConfirmDialog, JsonDialog } from "./dialog.ts";
import { Home } from "./home.ts";
import { Icon } from "./icons.ts";
import { isChannel, LookupContext } from "./lookup.ts";
import { Modals } from "./modal.ts";
import { parsePlace, placeHash } from "./place.ts";
import type { Fields } from "./read.ts";
import { appConversation, Sidebar } from "./sidebar.ts";
import { createStore } from "./store.ts";
import type { PageState, Store } from "./store.ts";
import { Thread } from "./thread.ts";
import { readIn } from "./times.ts";

interface Question {
  confirm: Fields;
  answer: (yes: boolean) => void;
}

/** The state, drawn at most once a frame however fast the events come. */
function useStore(store: Store): PageState {
  const [state, setState] = useState(store.get());
  useEffect(() => {
    let frame = 0;
    const draw = () => {
      frame = 0;
      setState(store.get());
    };
    draw();
    return store.watch(() => {
      frame ||= requestAnimationFrame(draw);
    });
  }, [store]);
  return state;
}

function useOverlays() {
  const [question, setQuestion] = useState<Question | undefined>(undefined);
  const [inspected, inspect] = useState<WorkspaceMessage | undefined>(undefined);
  const ask = (confirm: Fields) =>
    new Promise<boolean>((resolve) => {
      const answer = (yes: boolean) => {
        setQuestion(undefined);
        resolve(yes);
      };
      setQuestion({ confirm, answer });
    });
  return { question, inspected, inspect, ask };
}

/** Tells the app that its Home or its direct conversation is looked at, again whenever it has come back. */
function useOpening(state: PageState, actions: ReturnType<typeof createActions>): void {
  const { workspace, place } = state;
  const own = workspace && appConversation(workspace)?.id;
  const tab = place?.kind === "home" ? "home" : place?.channel === own ? "messages" : undefined;
  useEffect(() => {
    if (own && tab && workspace.app.connected) void actions.open({ channel: own, tab });
  }, [own, tab, workspace?.app.connected]);
}

function Banner({ server }: { server: PageState["server"] }): VNode {
  return html`<div role="alert">
    ${server === "gone" ? html`<p class="banner"><${Icon} name="alert" />The workspace server does not answer. Trying again…</p>` : null}
  </div>`;
}

interface MainProps {
  state: PageState;
  workspace: WorkspaceState;
  drafts: Map<string, string>;
  openDrawer: () => void;
}

function Main({ state, workspace, drafts, openDrawer }: MainProps): VNode {
  const { place, dismissed } = state;
  const conversation =
    place?.kind === "conversation" ? workspace.conversations.find(({ id }) => id === place.channel) : undefined;
  if (place?.kind === "home") {
    return html`<main class="main">
      <${Head}
        title=${html`<${Icon} name="home" /><span>${workspace.app.name}</span>`}
        topic="Home"
        openDrawer=${openDrawer}
      />
      <${Home} workspace=${workspace} notices=${state.notices} />
    </main>`;
  }
  if (!place || !conversation) {
    return html`<main class="main">
      <${Head} title="Not found" topic="" openDrawer=${openDrawer} />
      <div class="empty">
        <h2>There is no such conversation</h2>
        <p>Choose one from the list.</p>
      </div>
    </main>`;
  }
  const shared = { workspace, conversation, dismissed, drafts, notices: state.notices[conversation.id] ?? [] };
  return html`
    <main class="main">
      <${Head}
        title=${html`<${ConversationTitle} conversation=${conversation} />`}
        topic=${conversation.topic}
        more=${html`<${MemberCount} conversation=${conversation} />`}
        openDrawer=${openDrawer}
      />
      <${Conversation} ...${shared} />
    </main>
    ${place.thread ? html`<${Thread} key=${place.thread} ...${shared} thread=${place.thread} />` : null}
  `;
}

function useDrawer(place: PageState["place"]) {
  const [open, setOpen] = useState(false);
  useEffect(() => setOpen(false), [place]);
  useEffect(() => {
    if (!open) return undefined;
    document.querySelector<HTMLElement>("#sidebar a")?.focus();
    const onKey = (event: KeyboardEvent) => event.key === "Escape" && setOpen(false);
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [open]);
  return { open, show: () => setOpen(true), close: () => setOpen(false) };
}

function App({ store }: { store: Store }): VNode {
  const state = useStore(store);
  const overlays = useOverlays();
  const drawer = useDrawer(state.place);
  const actions = useMemo(
    () => createActions(createApi(), store, { inspect: overlays.inspect, ask: overlays.ask }),
    [store],
  );
  const drafts = useMemo(() => new Map<string, string>(), []);
  const { workspace, place } = state;
  const { me, users, conversations } = workspace ?? { me: "", users: [], conversations: [] };
  const appUser = workspace?.app.botUserId ?? "";
  const lookup = useMemo(() => ({ me, appUser, users, conversations }), [me, appUser, users, conversations]);
  useOpening(state, actions);
  if (!workspace) {
    return html`<div class="loading" role="status">
      ${state.server === "gone" ? "The workspace server does not answer. Trying again…" : "Opening the workspace…"}
    </div>`;
  }
  const { question, inspected } = overlays;
  const thread = place?.kind === "conversation" && place.thread ? " with-thread" : "";
  return html`<${ActionsContext.Provider} value=${actions}>
    <${LookupContext.Provider} value=${lookup}>
      <${Banner} server=${state.server} />
      <div class=${`app${drawer.open ? " drawer-open" : ""}${thread}`}>
        <${Sidebar} workspace=${workspace} place=${place} unread=${state.unread} close=${drawer.close} />
        <div class="backdrop" onClick=${drawer.close}></div>
        <${Main} state=${state} workspace=${workspace} drafts=${drafts} openDrawer=${drawer.show} />
      </div>
      <${Modals}
        modals=${workspace.modals}
        current=${place?.kind === "conversation" ? place.channel : undefined}
        notices=${state.notices}
      />
      ${inspected ? html`<${JsonDialog} payload=${inspected} close=${() => overlays.inspect(undefined)} />` : null}
      ${question ? html`<${ConfirmDialog} confirm=${question.confirm} answer=${question.answer} />` : null}
    <//>
  <//>`;
}

function firstPlace(workspace: WorkspaceState): string {
  const channel = workspace.conversations.find((one) => isChannel(one) && one.members.includes(workspace.me));
  return placeHash({ kind: "conversation", channel: (channel ?? workspace.conversations[0])?.id ?? "" });
}

function start(root: HTMLElement): void {
  const store = createStore();
  const go = () => {
    const place = parsePlace(location.hash);
    if (place) store.send({ type: "went", place });
  };
  addEventListener("hashchange", go);
  go();
  follow({
    loaded(workspace) {
      readIn(workspace.users.find(({ id }) => id === workspace.me)?.timeZone);
      store.send({ type: "loaded", workspace });
      document.title = `${workspace.team.name} · ${workspace.app.name}`;
      if (!parsePlace(location.hash)) location.replace(firstPlace(workspace));
    },
    event(event) {
      store.send(event);
      const { place } = store.get();
      if (event.type === "moved" && place) location.replace(placeHash(place));
    },
    online: () => store.send({ type: "server", server: "online" }),
    gone: () => store.send({ type: "server", server: "gone" }),
  });
  render(html`<${App} store=${store} />`, root);
}

const root = document.getElementById("root");
if (root) start(root);
