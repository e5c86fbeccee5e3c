import type {
  BlockAction,
  ButtonAction,
  FeedbackButtonsAction,
  OverflowAction,
  RespondFn,
  StaticSelectAction,
} from "@slack/bolt";

import { readable } from "../arguments.ts";
import { createInside, elsewhere } from "../aside.ts";
import { type Whisper, createReplacement, createWhisper, inThread } from "../deliver.ts";
import { type Desk, homeOf, teamOf } from "./desk.ts";
import type { Heard } from "./entrance.ts";
import type { ShowHome } from "./home.ts";
import { belowAction, runAction, stopAction, turnAction } from "./request.ts";
import type { Turn } from "../turns.ts";
import { type Origin, originOf } from "./view.ts";
import type { Call } from "../web.ts";
import { newWindow, standingWindow } from "./window.ts";

type Used = ButtonAction | FeedbackButtonsAction | OverflowAction | StaticSelectAction;
type Press = BlockAction<Used>;

/** Runs the lines of buttons and menus, in messages, windows and on the bot's own page. */
export function onPress(desk: Desk, showHome: ShowHome): void {
  const ours = new RegExp(`^(${runAction}|${turnAction})(:|$)`);
  desk.app.action<Press>(ours, async ({ ack, action, body, context, respond }) => {
    const line = lineOf(action);
    if (!line) return ack();
    const team = teamOf(context, body);
    const { user } = body;
    const owner = /@(\w+)(?::\d+)?$/.exec(action.action_id)?.[1];
    if (owner && owner !== user.id) {
      await ack();
      return tellOwner(respond, owner);
    }
    const place = [team, body.channel?.id, body.container["message_ts"] ?? body.container["view_id"]];
    const isTurn = action.action_id.startsWith(turnAction);
    // What takes the place of what stands may be turned back and forth as fast as one can press; so may an opinion.
    const isFree = isTurn || action.type === "feedback_buttons";
    if (!isFree && desk.tapped(JSON.stringify([...place, user.id, action.action_id, line]))) return ack();
    const turn = isTurn ? desk.turns(JSON.stringify(place)) : undefined;
    const call = desk.callOf(team, context.botToken);
    const asked = { line, team, user: user.id, homeTeam: homeOf(body), surface: "button" as const, call };
    const pressed = { body, call, turn, goesOn: action.action_id.startsWith(belowAction) };
    const incoming = body.view ? inView(desk, asked, pressed) : inMessage(asked, pressed, respond);
    await ack();
    if (incoming) await desk.begin(incoming);
    turn?.end();
    if (isFromHome(body)) await showHome({ team, user: user.id }, call);
  });
}

/** Ends the answer that a Stop button belongs to. */
export function onStop(desk: Desk): void {
  desk.app.action<BlockAction<ButtonAction>>(stopAction, async ({ ack, action, body, context, respond }) => {
    await ack();
    const who = { team: teamOf(context, body), user: body.user.id };
    const owner = desk.stopOne(action.value ?? "", who);
    if (owner === undefined) await aside(respond, "This answer has ended already.");
    else if (owner !== who.user) await tellOwner(respond, owner);
  });
}

function tellOwner(respond: RespondFn, owner: string): Promise<void> {
  return aside(respond, `This button is for <@${owner}>, who asked. Ask me yourself by mentioning me.`);
}

async function aside(respond: RespondFn, text: string): Promise<void> {
  await respond({ response_type: "ephemeral", replace_original: false, text });
}

/** What an element runs; nothing where it is of another kind, or where nothing is chosen in it. */
function lineOf(action: Used): string {
  if (action.type === "button" || action.type === "feedback_buttons") return readable(action.value ?? "");
  // Slack's types promise a choice; a menu of another kind that was named like ours has none.
  return readable((action.selected_option as { value: string } | null | undefined)?.value ?? "");
}

type Asked = Pick<Heard, "line" | "team" | "user" | "homeTeam" | "surface" | "call">;

interface Pressed {
  body: Press;
  call: Call;
  /** There where the result takes the place of what was pressed. */
  turn: Turn | undefined;
  /** The result belongs into the thread of the message, also where that has none yet; nobody can answer a private one. */
  goesOn: boolean;
}

/** The thread that a pressed message stands in. */
export function threadOf({ container, message }: Pick<Press, "container" | "message">): string | undefined {
  const root: unknown = container["thread_ts"] ?? message?.["thread_ts"];
  return typeof root === "string" ? root : undefined;
}

/** The thread of a pressed message, which begins with it where it stands in none. */
function belowOf(body: Press): Pick<Origin, "thread" | "isThreadNew"> {
  const root: unknown = body.container["message_ts"];
  return threadOf(body) === undefined && typeof root === "string" ? { thread: root, isThreadNew: true } : {};
}

function inMessage(asked: Asked, { body, call, turn, goesOn }: Pressed, respond: RespondFn): Heard | undefined {
  const { channel, container } = body;
  if (!channel) return undefined;
  const there = inThread(respond, threadOf(body));
  const whisper = createWhisper(there);
  const isEphemeral = container["is_ephemeral"] === true;
  const origin: Origin = { channel: channel.id, thread: threadOf(body), ...(goesOn && !isEphemeral && belowOf(body)) };
  const window = newWindow({ call, trigger: body.trigger_id, origin });
  const incoming: Heard = { ...asked, ...origin, whisper, window };
  if (!turn) return incoming;
  const replace = createReplacement(there, isEphemeral ? "ephemeral" : "in_channel");
  return {
    ...incoming,
    isShared: !isEphemeral,
    // Direct messages have nobody else in them.
    replacesPublic: !isEphemeral && !channel.id.startsWith("D"),
    whisper: whileLatest(turn, whisper),
    replace: whileLatest(turn, replace),
  };
}

/** What is asked in a window is answered there; what grows is written in the direct message with whoever asked. */
function inView({ workspaceOf }: Desk, asked: Asked, { body, call, turn }: Pressed): Heard {
  const { user, team } = asked;
  const { view } = body;
  const origin = originOf(view?.private_metadata ?? "") ?? { channel: user };
  const isInside = view?.type === "modal";
  const window = newWindow({ call, trigger: body.trigger_id, origin, isInside });
  const standing = isInside && view ? standingWindow(call, view.id, origin) : undefined;
  const whisper = createInside({ window, standing }, { user, poster: workspaceOf(team, call).poster });
  const replace: Whisper = async (message) => {
    if (!(await standing?.show(message))) await whisper(message);
  };
  const incoming: Heard = { ...asked, channel: user, isShared: true, away: elsewhere, window };
  if (!turn) return { ...incoming, whisper };
  return {
    ...incoming,
    whisper: whileLatest(turn, whisper),
    ...(standing && { replace: whileLatest(turn, replace) }),
  };
}

/** Shows nothing any more once somebody has turned the same place again. */
function whileLatest(turn: Turn, way: Whisper): Whisper {
  return async (message) => {
    if (turn.isLatest()) await way(message);
  };
}

/** Pressed there, or in a window that was opened there: it may look different afterwards. */
function isFromHome({ view, user }: Press): boolean {
  return view?.type === "home" || originOf(view?.private_metadata ?? "")?.channel === user.id;
}
