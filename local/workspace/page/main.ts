import { html, render } from "htm/preact";
import type { ComponentChildren, VNode } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { WorkspaceState, WorkspaceView } from "../protocol.ts";
import { type Actions, ActionsContext, createActions, follow } from "./actions.ts";
import { Blocks } from "./blocks.ts";
import { ConversationHead, ConversationView, Head, Thread } from "./conversation.ts";
import { useDemo, Welcome } from "./demo.ts";
import { Modals, Notices } from "./dialogs.ts";
import { Avatar, Icon } from "./icons.ts";
import { type AwaitedThreads, createAwaitedThreads } from "./awaited.ts";
import { fieldsOf, parseJson, stringOf } from "./fields.ts";
import { appConversation, isChannel, LookupContext, type PageLookup, titleOf } from "./lookup.ts";
import { Sidebar } from "./sidebar.ts";
import { Splitter, useThreadWidth } from "./splitter.ts";
import { createStore, hashOf, type PageState, type PageStore, parseRoute, unreadIn } from "./store.ts";
import { SurfaceContext, useBlockSurface } from "./surface.ts";
import { About, AppPanel, AppTabs, appTabOf } from "./tabs.ts";
import { createTimes } from "./times.ts";

/** The state, drawn at most once a frame, even if events arrive faster. */
function useStore(store: PageStore): PageState {
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

/** Reports to the app that its Home or its direct conversation was opened, again after every reconnect. */
function useOpening({ workspace, route }: PageState, actions: Actions): void {
  const own = workspace && appConversation(workspace)?.id;
  const tab = workspace && appTabOf(workspace, route);
  useEffect(() => {
    if (own && tab && tab !== "about" && workspace.app.connected) void actions.open({ channel: own, tab });
  }, [own, tab, workspace?.app.connected]);
}

/** The navigation on narrow screens; closes when the reader goes somewhere or presses Escape. */
function useDrawer(route: PageState["route"]) {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => setOpen(false), [route]);
  useEffect(() => {
    if (!isOpen) return undefined;
    document.querySelector<HTMLElement>("#sidebar a")?.focus();
    const onKey = (event: KeyboardEvent) => event.key === "Escape" && setOpen(false);
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [isOpen]);
  return { isOpen, open: () => setOpen(true), close: () => setOpen(false) };
}

function HomeView({ view }: { view: WorkspaceView }): VNode {
  const container = useMemo(() => ({ view: view.id }), [view.id]);
  const surface = useBlockSurface(container, view.blocks);
  return html`<${SurfaceContext.Provider} value=${surface}><${Blocks} blocks=${view.blocks} /><//>`;
}

/** The app's Home tab, as the app last published it. */
function Home({ workspace, notices }: { workspace: WorkspaceState; notices: PageState["notices"] }): VNode {
  const { home, app } = workspace;
  const at = home?.id ?? "";
  const empty = html`<div class="empty">
    <${Avatar} user=${app.botUserId} size="large" />
    <h2>${app.connected ? "Nothing here yet" : `${app.name} is offline`}</h2>
    <p>
      ${app.connected ? `${app.name} has not published its Home yet.` : "Its Home shows here as soon as the app is connected."}
    </p>
  </div>`;
  return html`<div class="scroller" tabindex="0" role="group" aria-label=${`${app.name} Home`}>
      <div class="home">${home ? html`<${HomeView} view=${home} />` : empty}</div>
    </div>
    <div class="home-notices"><${Notices} at=${at} notices=${notices[at] ?? []} /></div>`;
}

interface MainProps {
  state: PageState;
  workspace: WorkspaceState;
  drafts: Map<string, string>;
  openDrawer: () => void;
  /** The edge of the thread. */
  edge: ComponentChildren;
}

function Main({ state, workspace, drafts, openDrawer, edge }: MainProps): VNode {
  const { route, dismissed, notices, newAfter } = state;
  const tab = appTabOf(workspace, route);
  const tabs = tab && html`<${AppTabs} workspace=${workspace} current=${tab} />`;
  if (route && route.kind !== "conversation") {
    const { name, botUserId } = workspace.app;
    const title = html`<${Avatar} user=${botUserId} size="small" /><span>${name}</span>`;
    const page = route.kind === "home" ? Home : About;
    return html`<main class="main" id="main">
      <${Head} title=${title} topic="" openDrawer=${openDrawer} />
      ${tabs}
      <${AppPanel} current=${route.kind}><${page} workspace=${workspace} notices=${notices} /><//>
    </main>`;
  }
  const conversation = workspace.conversations.find(({ id }) => id === route?.channel);
  if (!route || !conversation) {
    return html`<main class="main" id="main">
      <${Head} title="Not found" topic="" openDrawer=${openDrawer} />
      <div class="empty">
        <h2>There is no such conversation</h2>
        <p>Choose one from the list.</p>
      </div>
    </main>`;
  }
  const { id } = conversation;
  const shared = { workspace, conversation, dismissed, drafts, notices: notices[id] ?? [], newAfter: newAfter[id] };
  const takesFocus = route.isUnasked !== true;
  const view = html`<${ConversationView} ...${shared} />`;
  return html`
    <main class="main" id="main">
      <${ConversationHead} conversation=${conversation} openDrawer=${openDrawer} />
      <${Welcome} key=${workspace.demo?.run} workspace=${workspace} route=${route} />
      ${tabs}${tab ? html`<${AppPanel} current=${tab}>${view}<//>` : view}
    </main>
    ${route.thread ? html`<${Thread} key=${route.thread} ...${shared} ...${{ thread: route.thread, takesFocus, edge }} />` : null}
  `;
}

/** The title of the browser's tab: the reader's place, and a mark if something is unread. */
function titleFor(state: PageState, lookup: PageLookup): string {
  const { workspace, route } = state;
  if (!workspace) return "Workspace";
  const unread = workspace.conversations.map(({ id }) => unreadIn(state, id));
  const mentions = unread.reduce((sum, one) => sum + one.mentions, 0);
  const mark = mentions > 0 ? `(${mentions}) ` : unread.some(({ count }) => count > 0) ? "• " : "";
  const here = route?.kind === "conversation" ? lookup.conversations.find(({ id }) => id === route.channel) : undefined;
  return `${mark}${here ? titleOf(lookup, here) : workspace.app.name} · ${workspace.team.name}`;
}

/** Skips the navigation: moves the focus to the composer or the text. */
function skipToMain(): void {
  const composer = document.querySelector<HTMLElement>("#main textarea");
  (composer ?? document.querySelector<HTMLElement>("#main .scroller"))?.focus();
}

const serverGone = "The workspace server does not answer. Trying again…";

function App({ store, threads }: { store: PageStore; threads: AwaitedThreads }): VNode {
  const state = useStore(store);
  const { workspace, route, server, notices } = state;
  const drawer = useDrawer(route);
  const thread = useThreadWidth();
  const edge = html`<${Splitter} ...${thread} />`;
  const actions = useMemo(() => createActions(store, threads), [store, threads]);
  const drafts = useMemo(() => new Map<string, string>(), []);
  const { me, users, conversations } = workspace ?? { me: "", users: [], conversations: [] };
  const appUser = workspace?.app.botUserId ?? "";
  const aheadMs = workspace?.demo?.aheadMs;
  const times = useMemo(() => createTimes(users.find(({ id }) => id === me)?.timeZone, aheadMs), [me, users, aheadMs]);
  const lookup = useMemo(
    () => ({ me, appUser, users, conversations, times }),
    [me, appUser, users, conversations, times],
  );
  useOpening(state, actions);
  const title = titleFor(state, lookup);
  useEffect(() => void (document.title = title), [title]);
  const demo = useDemo(workspace?.demo, drawer.close);
  const isGone = server === "gone";
  if (!workspace) {
    return html`<div class="empty" role="status">${isGone ? serverGone : "Opening the workspace…"}</div>`;
  }
  const current = route?.kind === "conversation" ? route.channel : undefined;
  const hasThread = route?.kind === "conversation" && route.thread;
  return html`<${ActionsContext.Provider} value=${actions}>
    <${LookupContext.Provider} value=${lookup}>
      <button type="button" class="button skip" onClick=${skipToMain}>Skip to the conversation</button>
      <div role="alert">${isGone ? html`<p class="banner"><${Icon} name="alert" />${serverGone}</p>` : null}</div>
      <div
        class=${`app${drawer.isOpen ? " drawer-open" : ""}${hasThread ? " with-thread" : ""}`}
        style=${{ "--thread": `${thread.width}px` }}
      >
        <${Sidebar}
          workspace=${workspace}
          route=${route}
          unread=${(channel: string) => unreadIn(state, channel)}
          close=${drawer.close}
          foot=${demo.button}
        />
        <div class="backdrop" onClick=${drawer.close}></div>
        <${Main} state=${state} workspace=${workspace} drafts=${drafts} openDrawer=${drawer.open} edge=${edge} />
      </div>
      ${demo.panel}${demo.inspector}
      <${Modals} modals=${workspace.modals} current=${current} notices=${notices} />
    <//>
  <//>`;
}

/** The place that the page opens at, with a thread beside the channel only if there is room for both. */
function firstConversation({ conversations, me, demo }: WorkspaceState): string {
  const opening = demo?.opening;
  if (opening && conversations.some(({ id }) => id === opening.channel)) {
    return hashOf(opening.channel, innerWidth > 900 ? opening.thread : undefined);
  }
  const channel = conversations.find((one) => isChannel(one) && one.members.includes(me));
  return hashOf((channel ?? conversations[0])?.id ?? "");
}

/** The key under which this browser keeps what each person has read, so that a reload knows what is new. */
const readMarks = `read${location.search}`;

function knownReadMarks(): Record<string, string> {
  const known: unknown = parseJson(localStorage.getItem(readMarks) ?? "");
  const marks = Object.entries(fieldsOf(known)).map(([channel, ts]) => [channel, stringOf(ts)] as const);
  return Object.fromEntries(marks.filter(([, ts]) => ts !== ""));
}

function start(root: HTMLElement): void {
  const store = createStore(knownReadMarks());
  const threads = createAwaitedThreads(store);
  const go = () => {
    const route = parseRoute(location.hash);
    if (route) store.send({ type: "went", route });
  };
  addEventListener("hashchange", go);
  addEventListener("popstate", go);
  go();
  const see = () => store.send({ type: "seen", isSeen: document.visibilityState === "visible" });
  document.addEventListener("visibilitychange", see);
  see();
  let { read } = store.get();
  store.watch(() => {
    if (store.get().read === read) return;
    ({ read } = store.get());
    localStorage.setItem(readMarks, JSON.stringify(read));
  });
  follow({
    loaded(workspace) {
      store.send({ type: "loaded", workspace });
      store.send({ type: "server", server: "online" });
      if (!parseRoute(location.hash)) location.replace(firstConversation(workspace));
    },
    event(event) {
      if (event.type !== "moved") {
        store.send(event);
        return threads.seen(event);
      }
      // A conversation and everything in it has a new ID, so the page reloads at the reader's place.
      const { route } = store.get();
      const isHere = route?.kind === "conversation" && route.channel === event.from;
      if (isHere) location.replace(hashOf(event.conversation.id, route.thread));
      location.reload();
    },
    gone: () => store.send({ type: "server", server: "gone" }),
  });
  render(html`<${App} store=${store} threads=${threads} />`, root);
}

const root = document.getElementById("root");
if (root) start(root);
