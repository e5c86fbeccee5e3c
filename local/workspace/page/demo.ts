import { html } from "htm/preact";
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { DemoAction, DemoState, WorkspaceMessage, WorkspaceState } from "../protocol.ts";
import { useActions } from "./actions.ts";
import { Icon } from "./icons.ts";
import { Inspector } from "./inspector.ts";
import { useLookup } from "./lookup.ts";
import { hashOf, type PageRoute } from "./store.ts";

interface DemoParts {
  /** The button that opens the panel; it shows the demo's time. */
  button: VNode | null;
  panel: VNode | null;
  inspector: VNode | null;
}

/** The width up to which the sidebar is a drawer, in pixels. */
const narrowWidth = 760;

/** The parts of the page for a workspace that is a demo: a panel of actions, and an inspector. */
export function useDemo(demo: DemoState | undefined, closeDrawer: () => void): DemoParts {
  const [isOpen, setOpen] = useState(false);
  const [isInspecting, setInspecting] = useState(false);
  useStartOver(demo);
  if (!demo) return { button: null, panel: null, inspector: null };
  const close = () => {
    setOpen(false);
    document.querySelector<HTMLElement>(".demo-button")?.focus();
  };
  /** Closes the panel on a narrow screen, so that the effect of an action can be seen. */
  const makeRoom = () => {
    if (innerWidth > narrowWidth) return;
    setOpen(false);
    closeDrawer();
  };
  const inspect = { isOn: isInspecting, toggle: () => setInspecting(!isInspecting) };
  return {
    button: html`<${DemoButton} demo=${demo} isOpen=${isOpen} toggle=${() => (isOpen ? close() : setOpen(true))} />`,
    panel: isOpen ? html`<${DemoPanel} demo=${demo} inspect=${inspect} makeRoom=${makeRoom} close=${close} />` : null,
    inspector: isInspecting ? html`<${Inspector} close=${() => setInspecting(false)} />` : null,
  };
}

/** Reloads the page after a start over, which replaces everything. */
function useStartOver(demo: DemoState | undefined): void {
  const first = useRef<string | undefined>(undefined);
  useEffect(() => {
    first.current ??= demo?.run;
    if (demo && first.current !== demo.run) {
      history.replaceState(undefined, "", location.pathname + location.search);
      location.reload();
    }
  }, [demo?.run]);
}

async function send(action: DemoAction): Promise<void> {
  const headers = { "content-type": "application/json" };
  // If nobody answers, the page already says so.
  await fetch("/workspace/demo", { method: "POST", headers, body: JSON.stringify({ action }) }).catch(() => undefined);
}

const lookMs = 5_000;

/** The demo's time, and the number of days that it is ahead: "15:42 +1 day". */
function DemoClock({ demo }: { demo: DemoState }): VNode {
  const { times } = useLookup();
  const [, setNow] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), lookMs);
    return () => clearInterval(timer);
  }, []);
  const dayMs = 86_400_000;
  const dayOf = (date: Date) => Date.parse(times.dayKey(date));
  const now = new Date(Date.now() + demo.aheadMs);
  const days = Math.round((dayOf(now) - dayOf(new Date())) / dayMs);
  const ahead = days > 0 ? html` <small>+${days} ${days === 1 ? "day" : "days"}</small>` : null;
  return html`<span class="demo-clock"><time>${times.clock(now)}</time>${ahead}</span>`;
}

function DemoButton({ demo, isOpen, toggle }: { demo: DemoState; isOpen: boolean; toggle: () => void }): VNode {
  return html`<button
    type="button"
    class="demo-button"
    aria-expanded=${isOpen}
    aria-controls="demo-panel"
    onClick=${toggle}
  >
    <${Icon} name="bolt" /><span>Demo</span><${DemoClock} demo=${demo} />
  </button>`;
}

interface DemoPanelProps {
  demo: DemoState;
  inspect: { isOn: boolean; toggle: () => void };
  makeRoom: () => void;
  close: () => void;
}

const spikeStates = {
  spreading: "The story is spreading. Watch #newsroom.",
  peak: "At its peak.",
  fading: "Fading. The alert resolves in a moment.",
};

/** The labels of a button that must be pressed twice, because it removes everything that was set up. */
const overTitles = { offered: "Start over", sure: "Start over: are you sure?", begun: "Starting over…" };

function DemoPanel({ demo, inspect, makeRoom, close }: DemoPanelProps): VNode {
  const panel = useRef<HTMLElement>(null);
  const [over, setOver] = useState<keyof typeof overTitles>("offered");
  useEffect(() => panel.current?.querySelector<HTMLElement>(".demo-action")?.focus(), []);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    close();
  };
  const make = (action: DemoAction) => {
    void send(action);
    makeRoom();
  };
  const { spike, stories } = demo;
  const startOver = () => {
    if (over === "sure") make("over");
    setOver(over === "offered" ? "sure" : "begun");
  };
  return html`<section
    id="demo-panel"
    class=${`demo-panel${inspect.isOn ? " above-inspector" : ""}`}
    role="dialog"
    aria-labelledby="demo-title"
    ref=${panel}
    onKeyDown=${onKeyDown}
  >
    <header>
      <h2 id="demo-title">Demo</h2>
      <${DemoClock} demo=${demo} />
      <button type="button" class="icon-button" aria-label="Close" onClick=${close}><${Icon} name="close" /></button>
    </header>
    <div class="demo-actions">
      <${DemoItem}
        title=${`Make ${demo.company} spike`}
        note=${spike ? spikeStates[spike] : "Its alert fires, grows and resolves in 45 seconds."}
        isBusy=${spike !== undefined}
        run=${() => make("spike")}
      />
      <${DemoItem}
        title="Publish a breaking story"
        note=${stories > 0 ? "Three outlets report it, and a digest posts it." : "All are published."}
        isBusy=${stories === 0}
        run=${() => make("story")}
      />
      <${DemoItem}
        title="Jump to tomorrow 09:00"
        note="The morning’s digests post what’s new."
        run=${() => make("tomorrow")}
      />
      <${DemoItem}
        title="Slow services"
        note="Each takes three seconds to answer."
        isOn=${demo.isSlow}
        run=${() => void send("slow")}
      />
      <${DemoItem}
        title="Refuse calls (429)"
        note="Slack turns down every other message and edit."
        isOn=${demo.isRefusing}
        run=${() => void send("refuse")}
      />
      <${DemoItem}
        title="Restart the bot"
        note=${demo.isRestarting ? "Restarting…" : "Answers under way stop and can be retried."}
        isBusy=${demo.isRestarting}
        run=${() => make("restart")}
      />
      <${DemoItem}
        title="Inspector"
        note="Every call and event, and each rate limit."
        isOn=${inspect.isOn}
        run=${inspect.toggle}
      />
      <${DemoItem}
        title=${overTitles[over]}
        note="Clears everything and plays a new morning."
        isBusy=${over === "begun"}
        run=${startOver}
      />
    </div>
  </section>`;
}

interface DemoItemProps {
  title: string;
  note: string;
  /** Set if the action is a switch. */
  isOn?: boolean;
  /** Whether it cannot be used now; it keeps the focus. */
  isBusy?: boolean;
  run: () => void;
}

function DemoItem({ title, note, isOn, isBusy = false, run }: DemoItemProps): VNode {
  const role = isOn === undefined ? {} : { role: "switch", "aria-checked": isOn };
  return html`<button
    type="button"
    class="demo-action"
    aria-disabled=${isBusy}
    onClick=${() => isBusy || run()}
    ...${role}
  >
    <span><strong>${title}</strong><small>${note}</small></span>
    ${isOn === undefined ? null : html`<i class="demo-switch" aria-hidden="true"></i>`}
  </button>`;
}

/** A line of first steps above the messages of the channel that the page opens at, until somebody closes it. */
export function Welcome({
  workspace,
  route,
}: {
  workspace: WorkspaceState;
  route: PageRoute | undefined;
}): VNode | null {
  const { demo } = workspace;
  const name = `welcome ${demo?.run}`;
  const [isGone, setGone] = useState(localStorage.getItem(name) !== null);
  const opening = demo?.opening;
  if (!opening || isGone || route?.kind !== "conversation" || route.channel !== opening.channel) return null;
  const { channel, thread } = opening;
  const leave = () => {
    localStorage.setItem(name, "gone");
    setGone(true);
  };
  const read = () => {
    const own = document.querySelector<HTMLElement>(`.main [data-ts="${CSS.escape(thread)}"] a[target="_blank"]`);
    (own ?? document.querySelector<HTMLElement>('.main .message a[target="_blank"]'))?.click();
  };
  const ask = () => {
    location.hash = hashOf(channel, thread);
    // The thread appears with the next frame.
    setTimeout(() => document.querySelector<HTMLElement>(".thread textarea")?.focus(), 100);
  };
  return html`<section class="welcome" aria-label="Welcome">
    <p>
      <strong>New here?</strong>
      <button type="button" onClick=${read}>Read a headline</button>
      <button type="button" onClick=${ask}>Ask in the thread</button>
      <button type="button" onClick=${() => void send("spike")}>Make ${demo.company} spike</button>
    </p>
    <button type="button" class="icon-button" aria-label="Dismiss" onClick=${leave}><${Icon} name="close" /></button>
  </section>`;
}

const examples = ["Who loses from this?", "What happened before?"];

interface ExamplesProps {
  workspace: WorkspaceState;
  channel: string;
  thread: string;
  messages: WorkspaceMessage[];
}

/** Example questions in the thread that the page opens with, until the reader has asked one. */
export function ExampleQuestions({ workspace, channel, thread, messages }: ExamplesProps): VNode | null {
  const actions = useActions();
  if (workspace.demo?.opening?.thread !== thread || messages.some(({ user }) => user === workspace.me)) return null;
  return html`<div class="examples" role="group" aria-label="Example questions">
    ${examples.map(
      (text) =>
        html`<button
          type="button"
          class="button"
          onClick=${() => void actions.say({ channel, thread_ts: thread, text })}
        >
          ${text}
        </button>`,
    )}
  </div>`;
}
