import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type {
  ElementUse,
  Open,
  React,
  SayResult,
  Say,
  ShortcutUse,
  StopSession,
  Submit,
  Suggest,
  WorkspaceEvent,
  WorkspaceMessage,
  WorkspaceState,
} from "../protocol.ts";
import { type AwaitedThreads } from "./awaited.ts";
import { type Fields, entryOf, fieldsOf, objectsIn, stringOf } from "./fields.ts";
import { hashOf, type PageStore } from "./store.ts";

/** The actions of a person on the page. A failure is shown as a notice and never throws. */
export interface Actions {
  /** Resolves with false if the text was not sent, so that the composer can give it back. */
  say: (input: Say) => Promise<boolean>;
  act: (input: ElementUse) => Promise<void>;
  /** Resolves with the app's options; undefined if it did not answer in time. */
  suggest: (input: Suggest) => Promise<Fields[] | undefined>;
  submit: (input: Submit) => Promise<void>;
  /** Resolves with false if the view is still open. */
  close: (input: { view: string }) => Promise<boolean>;
  shortcut: (input: ShortcutUse) => Promise<void>;
  open: (input: Open) => Promise<void>;
  /** Puts an emoji on a message, or takes the person's own away. */
  react: (input: React) => Promise<void>;
  stop: (input: StopSession) => Promise<void>;
  dismiss: (message: WorkspaceMessage) => void;
  /** Removes the notices of a conversation or view. */
  readNotices: (at: string) => void;
}

const nothing = () => Promise.resolve();

export const ActionsContext = createContext<Actions>({
  say: () => Promise.resolve(false),
  act: nothing,
  suggest: () => Promise.resolve(undefined),
  submit: nothing,
  close: () => Promise.resolve(false),
  shortcut: nothing,
  open: nothing,
  react: nothing,
  stop: nothing,
  dismiss: () => {},
  readNotices: () => {},
});

export function useActions(): Actions {
  return useContext(ActionsContext);
}

/** Sends the actions of a person to the server. */
export function createActions(store: PageStore, threads: AwaitedThreads): Actions {
  async function send(action: string, input: unknown): Promise<SayResult | undefined> {
    try {
      return await post(action, input);
    } catch (error) {
      // fetch throws a TypeError if nobody answers.
      const isAnswered = error instanceof Error && !(error instanceof TypeError);
      const text = isAnswered ? error.message : "The workspace server does not answer.";
      store.send({ type: "notice", channel: "", text });
      return undefined;
    }
  }

  const readNotices = (at: string) => store.send({ type: "notices_read", channel: at });
  return {
    readNotices,
    async say(input) {
      const said = await send("say", input);
      if (said?.opened) location.hash = hashOf(said.opened);
      if (said?.ts && !input.thread_ts) threads.asked({ channel: input.channel, thread: said.ts });
      return said !== undefined;
    },
    async act(input) {
      const { container } = input;
      if ("view" in container) readNotices(container.view);
      else threads.pressed({ channel: container.channel, thread: container.ts });
      await send("act", input);
    },
    suggest: (input) =>
      post("suggest", input).then(
        (answer) => objectsIn(fieldsOf(answer)["options"]),
        () => undefined,
      ),
    async submit(input) {
      readNotices(input.view);
      await send("submit", input);
    },
    close: async (input) => (await send("close", input)) !== undefined,
    shortcut: async (input) => void (await send("shortcut", input)),
    open: async (input) => void (await send("open", input)),
    react: async (input) => void (await send("react", input)),
    stop: async (input) => void (await send("stop", input)),
    dismiss: ({ channel, ts }) => store.send({ type: "dismissed", channel, ts }),
  };
}

/** A path of the server, for the person that the page's address names. */
function pathOf(name: string): string {
  return `/workspace/${name}${location.search}`;
}

async function post(action: string, input: unknown): Promise<SayResult> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(pathOf(action), { method: "POST", headers, body: JSON.stringify(input) });
  if (response.ok) return response.json();
  const { error } = fieldsOf(await response.json().catch(() => undefined));
  throw new Error(refusalText(stringOf(error)) || `The workspace answered with status ${response.status}.`);
}

const refusals: Record<string, string> = {
  channel_not_found: "This conversation is not there any more.",
  element_not_found: "This was changed a moment ago. Please try again.",
  element_type_mismatch: "This was changed a moment ago. Please try again.",
  interactivity_disabled: "The app's manifest does not switch interactivity on, so buttons and forms do nothing.",
  is_archived: "This channel is archived, so nothing can be written here.",
  message_not_found: "This message is not there any more.",
  no_text: "Please write something first.",
  not_in_channel: "You are not a member of this channel, so you cannot do that here.",
  restricted_action: "The app's manifest makes this conversation read-only.",
  session_not_found: "This has ended already.",
  shortcut_not_found: "The app does not have this shortcut any more. Please reload the page.",
  thread_not_found: "The first message of this thread is not there any more.",
  view_not_found: "This form was closed a moment ago.",
};

/** A sentence for an error code; a sentence stays as it is. */
export function refusalText(error: string): string {
  if (!/^[a-z]+(?:_[a-z]+)*$/.test(error)) return error;
  return entryOf(refusals, error) ?? `The workspace refused this: ${error.replaceAll("_", " ")}.`;
}

export interface Follower {
  loaded: (state: WorkspaceState) => void;
  event: (event: WorkspaceEvent) => void;
  gone: () => void;
}

const firstWaitMs = 500;
const longestWaitMs = 10_000;

/**
 * Follows the server's events for as long as the page lives. Events wait until the state has been read, which happens
 * after the stream opened, so none is lost; a broken stream starts over, each time after a longer wait.
 */
export function follow(follower: Follower): void {
  let wait = firstWaitMs;
  const start = () => {
    const source = new EventSource(pathOf("events"));
    let held: WorkspaceEvent[] | undefined = [];
    let isOver = false;
    const fail = () => {
      if (isOver) return;
      isOver = true;
      source.close();
      follower.gone();
      setTimeout(start, wait);
      wait = Math.min(longestWaitMs, wait * 2);
    };
    source.addEventListener("error", fail);
    source.addEventListener("message", ({ data }) => {
      const event: WorkspaceEvent = JSON.parse(data);
      if (held) held.push(event);
      else follower.event(event);
    });
    source.addEventListener("open", () => {
      readState().then((state) => {
        if (isOver) return;
        wait = firstWaitMs;
        follower.loaded(state);
        for (const event of held ?? []) follower.event(event);
        held = undefined;
      }, fail);
    });
  };
  start();
}

async function readState(): Promise<WorkspaceState> {
  const response = await fetch(pathOf("state"), { cache: "no-store" });
  if (!response.ok) throw new Error(`status ${response.status}`);
  return response.json();
}
