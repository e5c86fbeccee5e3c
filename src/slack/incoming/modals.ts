import type { MessageShortcut, ViewOutput, ViewStateValue, ViewSubmitAction } from "@slack/bolt";

import { type Log, describe } from "../../log.ts";
import { readable } from "../arguments.ts";
import { createAside, createInside, elsewhere } from "../aside.ts";
import { createWhisper } from "../deliver.ts";
import { type Desk, homeOf, teamOf } from "./desk.ts";
import type { Heard } from "./entrance.ts";
import type { ShowHome } from "./home.ts";
import type { Message } from "../text/message.ts";
import type { FilledIn, Routes } from "./request.ts";
import { modalView, originOf } from "./view.ts";
import { newWindow } from "./window.ts";

interface FormOptions {
  routes: Routes;
  log: Log;
}

const submission = { type: "view_submission", callback_id: /.*/ } as const;

/** Runs what was filled into a form as a line, or shows beside each field what is wrong with it. */
export function onForm(desk: Desk, options: FormOptions, showHome: ShowHome): void {
  desk.app.view<ViewSubmitAction>(submission, async ({ ack, body, view, context }) => {
    const user = body.user.id;
    const origin = originOf(view.private_metadata);
    const filled = origin && filledIn(view, origin.state, options);
    if (!origin || !filled) {
      return ack({ response_action: "update", view: modalView(unreadable, { channel: user }) });
    }
    if ("errors" in filled) return ack({ response_action: "errors", errors: errorsOf(view, filled.errors) });
    const team = teamOf(context, body);
    const call = desk.callOf(team, context.botToken);
    const { state: _, ...opened } = origin;
    const place = filled.channel ? { channel: filled.channel, thread: filled.thread } : opened;
    const asker = { user, poster: desk.workspaceOf(team, call).poster };
    const window = newWindow({ call, trigger: body.trigger_id, origin });
    const isFromHome = origin.channel === user;
    const heard: Heard = {
      line: readable(filled.line),
      team,
      user,
      homeTeam: homeOf(body),
      ...place,
      surface: "form",
      call,
      isShared: true,
      // They look at where the window was opened, wherever the answer goes.
      whisper: isFromHome ? createInside({ window }, asker) : createAside(origin, asker),
      ...(place.channel === user && { away: elsewhere }),
      window,
    };
    const cameAlready = await desk.seen(JSON.stringify(["form", team, user, view.id, view.hash]));
    await ack({ response_action: "clear" });
    if (cameAlready) return;
    await desk.begin(heard);
    if (isFromHome) await showHome({ team, user }, call);
  });
}

/** What a form says, or nothing where it cannot be read: it may be from before the bot was brought up to date. */
function filledIn(view: ViewOutput, state: string, { routes, log }: FormOptions): FilledIn | undefined {
  try {
    return routes.read(view.callback_id, { fields: fieldsOf(view), state });
  } catch (error) {
    log.error("form", { form: view.callback_id, error: describe(error) });
    return undefined;
  }
}

const unreadable: Message = {
  text: "I cannot read this form any more. Close the window, open it again and send it off once more.",
  window: { title: "Something went wrong" },
};

/** Errors by field; those that name no field of the window stand at its first one, as Slack takes no others. */
function errorsOf({ blocks }: ViewOutput, errors: Record<string, string>): Record<string, string> {
  const names = blocks.flatMap(({ type, block_id: name }) => (type === "input" && name ? [name] : []));
  const known = Object.entries(errors).filter(([name, words]) => names.includes(name) && words);
  if (known.length > 0) return Object.fromEntries(known);
  const [first = ""] = names;
  return { [first]: Object.values(errors).join(" ") || "I cannot use this. Change it and try again." };
}

/** The fields by name; each of ours is the only element of the block that has its name. */
function fieldsOf({ state }: ViewOutput): Record<string, string> {
  const entries = Object.entries(state.values).flatMap(([name, elements]) =>
    Object.values(elements).map((value) => [name, textOf(value)] as const),
  );
  return Object.fromEntries(entries.filter(([, text]) => text !== ""));
}

function textOf(field: ViewStateValue): string {
  const { value, selected_option: option, selected_conversation: conversation, selected_time: time } = field;
  return (value ?? option?.value ?? conversation ?? time ?? "").trim();
}

/** Opens the window of a shortcut beside a message. */
export function onShortcut(desk: Desk, { routes, log }: FormOptions): void {
  for (const [name, open] of Object.entries(routes.shortcuts)) {
    desk.app.shortcut<MessageShortcut>({ type: "message_action", callback_id: name }, async (event) => {
      const { shortcut, context, respond } = event;
      await event.ack();
      const { channel, message, trigger_id: trigger } = shortcut;
      const call = desk.callOf(teamOf(context, shortcut), context.botToken);
      const root: unknown = message["thread_ts"];
      const thread = typeof root === "string" ? root : undefined;
      const quoted = { channel: channel.id, ts: message.ts, thread, text: readable(message.text ?? "") };
      const origin = { channel: channel.id, thread: thread ?? message.ts, isThreadNew: thread === undefined };
      try {
        const isOpen = await newWindow({ call, trigger, origin }).show(open(quoted));
        if (!isOpen) await createWhisper(respond)(late);
      } catch (error) {
        log.warn("shortcut", { error: describe(error) });
        await createWhisper(respond)(late);
      }
    });
  }
}

/** Slack opens a window for three seconds. */
const late: Message = { text: "The window did not open this time. Please try once more." };
