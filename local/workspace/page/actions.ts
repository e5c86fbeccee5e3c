import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Act, Open, Say, Shortcut, StopSession, Submit, WorkspaceMessage } from "../protocol.ts";
import type { Api } from "./api.ts";
import { placeHash } from "./place.ts";
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
  stop: (input: StopSession) => Promise<void>;
  dismiss: (message: WorkspaceMessage) => void;
  /** Puts away the notices of a conversation or view. */
  readNotices: (place: string) => void;
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
  stop: nothing,
  dismiss: () => {},
  readNotices: () => {},
  inspect: () => {},
  ask: () => Promise.resolve(false),
});

/** What can be done from anywhere on the page. */
export function useActions(): Actions {
  return useContext(ActionsContext);
}

/** Binds the requests to the state: failures become notices where the person looks. */
export function createActions(api: Api, store: Store, dialogs: Dialogs): Actions {
  const safely = async (work: Promise<void>): Promise<boolean> => {
    try {
      await work;
      return true;
    } catch (error) {
      const reason =
        error instanceof TypeError || !(error instanceof Error)
          ? "The workspace server does not answer."
          : error.message;
      store.send({ type: "notice", channel: "", text: reason });
      return false;
    }
  };
  const quietly = async (work: Promise<void>): Promise<void> => {
    await safely(work);
  };
  const readNotices = (place: string) => store.send({ type: "notices_read", channel: place });
  return {
    ...dialogs,
    say: (input) =>
      safely(
        api.say(input).then(({ opened }) => {
          if (opened) location.hash = placeHash({ kind: "conversation", channel: opened });
        }),
      ),
    act(input) {
      if ("view" in input.container) readNotices(input.container.view);
      return quietly(api.act(input));
    },
    submit(input) {
      readNotices(input.view);
      return quietly(api.submit(input));
    },
    close: (input) => quietly(api.close(input)),
    shortcut: (input) => quietly(api.shortcut(input)),
    open: (input) => quietly(api.open(input)),
    stop: (input) => quietly(api.stop(input)),
    dismiss: ({ channel, ts }) => store.send({ type: "dismissed", channel, ts }),
    readNotices,
  };
}
