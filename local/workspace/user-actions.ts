import {
  type AppEventContext,
  type InteractionContext,
  act,
  closeForm,
  openTab,
  react,
  stopSession,
  submitForm,
  suggest,
  useShortcut,
} from "./interact.ts";
import type {
  ElementUse,
  Open,
  React,
  Say,
  SayResult,
  ShortcutUse,
  StopSession,
  Submit,
  Suggest,
  Suggested,
} from "./protocol.ts";
import { type SayContext, say } from "./say.ts";
import { ME } from "./seed.ts";

/** The user who acts; without one, the page's own user. */
export interface By {
  user?: string;
}

/** The actions of a user. Each resolves once the app has acknowledged it, or once the page shows a notice that it failed. */
export interface UserActions {
  /** Says a message or slash command. */
  say: (input: Say & By) => Promise<SayResult>;
  act: (input: ElementUse & By) => Promise<void>;
  /** Types into an `external_select`; resolves with the app's options. */
  suggest: (input: Suggest & By) => Promise<Suggested>;
  submit: (input: Submit & By) => Promise<void>;
  close: (input: { view: string } & By) => Promise<void>;
  shortcut: (input: ShortcutUse & By) => Promise<void>;
  open: (input: Open & By) => Promise<void>;
  /** Puts an emoji on a message, or takes the person's own away. */
  react: (input: React & By) => Promise<void>;
  /** Stops the app's work in a thread, as Slack's own button does. */
  stopSession: (input: StopSession & By) => Promise<void>;
}

/** Builds the actions of the users of one workspace. */
export function createUserActions(context: SayContext & InteractionContext & AppEventContext): UserActions {
  return {
    say: ({ user = ME, ...input }) => say(context, input, user),
    act: ({ user = ME, ...input }) => act(context, input, user),
    suggest: ({ user = ME, ...input }) => suggest(context, input, user),
    submit: ({ user = ME, ...input }) => submitForm(context, input, user),
    close: async ({ user = ME, ...input }) => closeForm(context, input, user),
    shortcut: ({ user = ME, ...input }) => useShortcut(context, input, user),
    open: ({ user = ME, ...input }) => openTab(context, input, user),
    react: ({ user = ME, ...input }) => react(context, input, user),
    stopSession: ({ user = ME, ...input }) => stopSession(context, input, user),
  };
}
