import type {
  App,
  BlockAction,
  MessageShortcut,
  StaticSelectAction,
  ViewOutput,
  ViewStateValue,
  ViewSubmitAction,
} from "@slack/bolt";

import { type Log, describe } from "../../log.ts";
import { unescapeText } from "../text/typed-text.ts";
import {
  answerElsewhere,
  createEphemeralReply,
  createPrivateReply,
  createWindowReply,
} from "../answer/private-reply.ts";
import { optionsOf } from "../text/blocks.ts";
import type { Message } from "../text/message.ts";
import { type Timer, withDeadline } from "../timer.ts";
import type { Workspaces } from "../workspaces/workspaces.ts";
import { createLatest } from "./deduplicate.ts";
import type { ShowHome } from "./home.ts";
import type { Listening } from "./listen.ts";
import type { CheckAccess } from "../workspaces/people.ts";
import { teamOf } from "./payload.ts";
import { type FormState, fieldNames } from "./form-state.ts";
import { type Filled, type FormAsker, type Routes, formAction, moreAction, pickAction } from "./request.ts";
import { renderModal, createWindow, parseOrigin } from "./views.ts";

interface FormListening extends Listening {
  routes: Pick<Routes, "read" | "check">;
  timer: Timer;
  showHome: ShowHome;
  workspaceOf: Workspaces;
  log: Pick<Log, "error">;
}

/** Slack waits three seconds for what is wrong with a form. */
const checkMs = 2_000;

const anySubmission = { type: "view_submission", callback_id: /.*/ } as const;

/** Runs a submitted form as a line, or shows beside each field what is wrong with it. */
export function listenForForms(app: App, options: FormListening): void {
  const { callOf, isDuplicate, answer, routes, showHome, workspaceOf, timer, log } = options;

  /** None if they cannot be had in time: then the reply says what is wrong. */
  function furtherErrors(view: ViewOutput, filled: Filled, asker: FormAsker): Promise<Record<string, string>> {
    const checked = routes.check(view.callback_id, filled, asker).catch((error: unknown) => {
      logFailure(log, view, error);
      return {};
    });
    return withDeadline(timer, checkMs, checked, () => ({}));
  }

  app.view<ViewSubmitAction>(anySubmission, async ({ ack, body, view, context }) => {
    const user = body.user.id;
    const origin = parseOrigin(view.private_metadata);
    if (!origin) throw new Error("the window does not say where it was opened");
    const { filled } = filledIn(view, origin);
    const result = routes.read(view.callback_id, filled);
    const { channel, thread, isThreadNew } = origin;
    const team = teamOf(context, body);
    const further = await furtherErrors(view, filled, { team, user, channel, surface: "form" });
    const errors = { ...further, ...("errors" in result && result.errors) };
    if ("errors" in result || Object.keys(errors).length > 0) {
      return ack({ response_action: "errors", errors: errorsOf(view, errors, origin) });
    }
    const isRepeated = await isDuplicate(`${team} form ${user} ${view.id} ${view.hash}`);
    const isFromHome = channel === user;
    const title = view.title.text;
    // A window that is opened after a submission may not show; the page itself shows no reply, so this window stays for it.
    await ack(
      isFromHome
        ? { response_action: "update", view: renderModal(working, origin, title) }
        : { response_action: "clear" },
    );
    if (isRepeated) return;
    const call = callOf(team, context.botToken);
    const place = result.channel
      ? { channel: result.channel, thread: result.thread }
      : { channel, thread, isThreadNew };
    const asker = { user, poster: workspaceOf(team, call).poster };
    const window = isFromHome
      ? createWindow({ call, trigger: body.trigger_id, origin, id: view.id, title })
      : undefined;
    await answer({
      line: result.line,
      team,
      user,
      homeTeam: body.user.team_id,
      ...place,
      surface: "form",
      call,
      isShared: true,
      // They look at where the window was opened, wherever the answer goes.
      replyPrivately: window ? createWindowReply({ window }, asker) : createEphemeralReply(origin, asker),
      ...(place.channel === user && { answeringElsewhere: answerElsewhere({ app: body.api_app_id, team }) }),
      window,
    });
    if (isFromHome) await showHome({ team, user }, call);
  });
}

/** In the window of a form until its reply is there. */
const working: Message = { text: "One moment…" };

/** Errors by field; Slack takes only those of fields in the window, so others are shown at the last or the first field. */
function errorsOf(
  { blocks }: ViewOutput,
  errors: Record<string, string>,
  { values = {} }: FormState,
): Record<string, string> {
  const names = fieldNames(blocks);
  const told = Object.entries(errors).filter(([, words]) => words);
  const known = told.filter(([name]) => names.includes(name));
  const hidden = told.filter(([name]) => !names.includes(name) && name in values).map(([, words]) => words);
  if (hidden.length > 0) {
    const last = names.at(-1) ?? "";
    const words = [...known.flatMap(([name, own]) => (name === last ? [own] : [])), "Under More options:", ...hidden];
    return { ...Object.fromEntries(known), [last]: words.join(" ") };
  }
  if (known.length > 0) return Object.fromEntries(known);
  const [first = ""] = names;
  return { [first]: Object.values(errors).join(" ") || "I can’t use this. Change it and try again." };
}

function logFailure(log: Pick<Log, "error">, { callback_id: form }: ViewOutput, error: unknown): void {
  log.error("form.failed", { form, error: describe(error) });
}

interface RebuildListening extends Pick<Listening, "callOf"> {
  routes: Pick<Routes, "rebuild">;
  log: Pick<Log, "error">;
}

/** A choice that we are told of at once. */
const choiceAction = new RegExp(`^(?:(?:${formAction}|${moreAction})$|${pickAction}:)`);

/** Builds a form anew, in its window, when something is chosen in it that its other fields depend on, or to show more of them. */
export function listenForChoices(app: App, { callOf, routes, log }: RebuildListening): void {
  const beginLatest = createLatest();
  app.action<BlockAction<StaticSelectAction>>(choiceAction, async ({ ack, action, body, context }) => {
    await ack();
    const { view, trigger_id: trigger } = body;
    const origin = parseOrigin(view?.private_metadata ?? "");
    if (!view || !origin) return;
    // Choices may follow each other faster than their windows are built.
    const isLatest = beginLatest(`form ${view.id}`);
    const team = teamOf(context, body);
    const call = callOf(team, context.botToken);
    const { filled, values } = filledIn(view, origin);
    const isOpen = action.action_id === moreAction ? !origin.isOpen : origin.isOpen;
    try {
      const message = await routes.rebuild(view.callback_id, filled, { team, user: body.user.id });
      const window = createWindow({ call, trigger, origin: { ...origin, values, isOpen }, id: view.id });
      if (isLatest()) await window.show(message);
    } catch (error) {
      // The form stays as it is.
      logFailure(log, view, error);
    }
  });
}

interface PickerListening {
  routes: Pick<Routes, "offer">;
  checkAccess: CheckAccess;
  timer: Timer;
  log: Pick<Log, "warn">;
}

/** Slack waits three seconds for the choices of a list; the rest is for the way there and back. */
const offerMs = 2_300;

/** Stands for no choice at all if a list cannot be had; as a choice, it counts as an empty field. */
const noChoice = "-";

/** Fills the lists in windows as somebody types. */
export function listenForPickers(app: App, { routes, checkAccess, timer, log }: PickerListening): void {
  app.options(new RegExp(`^${pickAction}:`), async ({ ack, payload, body, context }) => {
    const person = { team: teamOf(context, body), user: body.user.id };
    const picker = payload.action_id.slice(pickAction.length + 1);
    const failed = (error: unknown) => {
      log.warn("picker.failed", { picker, error: describe(error) });
      return [{ label: "This list can’t be loaded right now. Try again in a moment.", value: noChoice }];
    };
    const offer = async () => {
      const access = await checkAccess({ ...person, homeTeam: body.user.team_id });
      return access === "allowed" ? routes.offer(picker, payload.value, person) : [];
    };
    const choices = await withDeadline(timer, offerMs, offer().catch(failed), () => failed("too late"));
    await ack({ options: optionsOf(choices) });
  });
}

/** A form as it is filled in, with the fields that its window doesn't show; and all its values, those of emptied fields too. */
function filledIn(
  view: Pick<ViewOutput, "state" | "blocks">,
  { state, values: kept = {} }: FormState & { state: string },
): { filled: Filled; values: Record<string, string> } {
  const empty = Object.fromEntries(fieldNames(view.blocks).map((name) => [name, ""]));
  const values = { ...kept, ...empty, ...fieldsOf(view) };
  const typed = Object.entries(values).map(([name, text]) => [name, unescapeText(text)] as const);
  const fields = Object.fromEntries(typed.filter(([, text]) => text !== ""));
  return { filled: { fields, state }, values };
}

/** The fields that are filled in, by name, several choices with commas between them; each of ours is the only element of the block that has its name. */
function fieldsOf({ state }: Pick<ViewOutput, "state">): Record<string, string> {
  const entries = Object.entries(state.values).flatMap(([name, elements]) =>
    Object.values(elements).map((value) => [name, fieldText(value)] as const),
  );
  return Object.fromEntries(entries.filter(([, text]) => text !== ""));
}

function fieldText(field: ViewStateValue): string {
  const { value, selected_option: option, selected_conversation: conversation, selected_user: user } = field;
  const chosen = option?.value === noChoice ? "" : option?.value;
  const several = field.selected_options?.flatMap((each) => (each.value === noChoice ? [] : each.value)).join(",");
  return (value ?? chosen ?? several ?? conversation ?? user ?? field.selected_time ?? "").trim();
}

interface ShortcutListening extends Pick<Listening, "callOf"> {
  routes: Pick<Routes, "shortcuts">;
  log: Pick<Log, "warn">;
}

/** Opens the window of a shortcut in a message's menu. */
export function listenForShortcuts(app: App, { callOf, routes, log }: ShortcutListening): void {
  for (const [name, open] of Object.entries(routes.shortcuts)) {
    const constraint = { type: "message_action", callback_id: name } as const;
    app.shortcut<MessageShortcut>(constraint, async ({ ack, shortcut, context, respond }) => {
      await ack();
      const { channel, message, trigger_id: trigger } = shortcut;
      const call = callOf(teamOf(context, shortcut), context.botToken);
      const root: unknown = message["thread_ts"];
      const thread = typeof root === "string" ? root : undefined;
      const quoted = { channel: channel.id, ts: message.ts, thread, text: unescapeText(message.text ?? "") };
      const origin = { channel: channel.id, thread: thread ?? message.ts, isThreadNew: thread === undefined };
      try {
        if (await createWindow({ call, trigger, origin }).show(open(quoted))) return;
      } catch (error) {
        log.warn("shortcut.failed", { error: describe(error) });
      }
      await createPrivateReply(respond)(tooLate);
    });
  }
}

/** Slack opens a window within three seconds or not at all. */
const tooLate: Message = { text: "The window didn’t open. Please try again." };
