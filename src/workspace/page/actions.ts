import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Act, Open, Say, Shortcut, Submit, WorkspaceMessage } from "../protocol.ts";
import type { Api } from "./api.ts";
import type { Fields } from "./read.ts";
import type { Store } from "./store.ts";

/** What a person can do on the page; what fails says so above the composer and never throws. */
export interface Actions {
  /** False where the text did not go out, so that the composer can give it back. */
  say: (input: Say) => Promise<boolean>;
  act: (input: Act) => Promise<void>;
  submit: (input: Submit) => Promise<void>;
  close: (input: Submit) => Promise<void>;
  shortcut: (input: Shortcut) => Promise<void>;
  open: (input: Open) => Promise<void>;
  dismiss: (message: WorkspaceMessage) => void;
  readNotices: (channel: string) => void;
  /** Shows the message as the JSON it came as. */
  inspect: (message: WorkspaceMessage) => void;
  ask: (confirm: Fields) => Promise<boolean>;
}

export interface Dialogs {
  inspect: (message: WorkspaceMessage) => void;
  ask: (confirm: Fields) => Promise<boolean>;
}

const nothing = () => Promise.resolve();

export const ActionsContext = createContext<Actions>({
  say: () => Promise.resolve(false),
  act: nothing,
  submit: nothing,
  close: nothing,
  shortcut: nothing,
  open: nothing,
  dismiss: () => {},
  readNotices: () => {},
  inspect: () => {},
  ask: () => Promise.resolve(false),
});

/** What can be done from anywhere on the page. */
export function useActions(): Actions {
  return useContext(ActionsContext);
}

/** Binds the requests to the state: failures become notices in the conversation that is open. */
export function createActions(api: Api, store: Store, dialogs: Dialogs): Actions {
  const here = () => {
    const { place } = store.get();
    return place?.kind === "conversation" ? place.channel : "";
  };
  const safely = async (work: Promise<void>): Promise<boolean> => {
    try {
      await work;
      return true;
    } catch (error) {
      const reason =
        error instanceof TypeError || !(error instanceof Error)
          ? "The workspace server does not answer."
          : error.message;
      store.send({ type: "notice", channel: here(), text: reason });
      return false;
    }
  };
  const quietly = async (work: Promise<void>): Promise<void> => {
    await safely(work);
  };
  return {
    ...dialogs,
    say: (input) => safely(api.say(input)),
    act: (input) => quietly(api.act(input)),
    submit: (input) => quietly(api.submit(input)),
    close: (input) => quietly(api.close(input)),
    shortcut: (input) => quietly(api.shortcut(input)),
    open: (input) => quietly(api.open(input)),
    dismiss: ({ channel, ts }) => store.send({ type: "dismissed", channel, ts }),
    readNotices: (channel) => store.send({ type: "notices_read", channel }),
  };
}
