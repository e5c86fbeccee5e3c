import type {
  Act,
  Open,
  Said,
  Say,
  Shortcut,
  StopSession,
  Submit,
  WorkspaceEvent,
  WorkspaceState,
} from "../protocol.ts";
import { fields, string } from "./read.ts";
import { refusalText } from "./refusals.ts";

export interface Api {
  say: (input: Say) => Promise<Said>;
  act: (input: Act) => Promise<void>;
  submit: (input: Submit) => Promise<void>;
  close: (input: Submit) => Promise<void>;
  shortcut: (input: Shortcut) => Promise<void>;
  open: (input: Open) => Promise<void>;
  stop: (input: StopSession) => Promise<void>;
}

export interface Follower {
  loaded: (state: WorkspaceState) => void;
  event: (event: WorkspaceEvent) => void;
  online: () => void;
  gone: () => void;
}

const FIRST_WAIT = 500;
const LONGEST_WAIT = 10_000;

/** A path of the server, for the person that the page's own address says it acts as. */
function forMe(path: string): string {
  return `/workspace/${path}${location.search}`;
}

async function post(path: string, input: unknown): Promise<Said> {
  const response = await fetch(forMe(path), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(input),
  });
  if (response.ok) return response.json();
  const body: unknown = await response.json().catch(() => undefined);
  throw new Error(
    refusalText(string(fields(body)["error"])) || `The workspace answered with status ${response.status}.`,
  );
}

async function send(path: string, input: unknown): Promise<void> {
  await post(path, input);
}

/** What a person can do, as requests to the workspace server; each rejects with a sentence to show. */
export function createApi(): Api {
  return {
    say: (input) => post("say", input),
    act: (input) => send("act", input),
    submit: (input) => send("submit", input),
    close: (input) => send("close", input),
    shortcut: (input) => send("shortcut", input),
    open: (input) => send("open", input),
    stop: (input) => send("stop", input),
  };
}

async function readState(): Promise<WorkspaceState> {
  const response = await fetch(forMe("state"), { cache: "no-store" });
  if (!response.ok) throw new Error(`status ${response.status}`);
  return response.json();
}

/**
 * Follows the server's events for as long as the page lives. Events are held back until the state that was read
 * after the stream opened is there, so that none is lost between the two; a broken stream starts over, more slowly each time.
 */
export function follow(follower: Follower): void {
  let wait = FIRST_WAIT;
  const start = () => {
    const source = new EventSource(forMe("events"));
    let held: WorkspaceEvent[] | undefined = [];
    let over = false;
    const fail = () => {
      if (over) return;
      over = true;
      source.close();
      follower.gone();
      setTimeout(start, wait);
      wait = Math.min(LONGEST_WAIT, wait * 2);
    };
    source.addEventListener("error", fail);
    source.addEventListener("message", (message) => {
      const event: WorkspaceEvent = JSON.parse(message.data);
      if (held) held.push(event);
      else follower.event(event);
    });
    source.addEventListener("open", () => {
      readState().then((state) => {
        if (over) return;
        wait = FIRST_WAIT;
        follower.loaded(state);
        follower.online();
        for (const event of held ?? []) follower.event(event);
        held = undefined;
      }, fail);
    });
  };
  start();
}
