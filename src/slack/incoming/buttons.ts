import type {
  App,
  BlockAction,
  ButtonAction,
  FeedbackButtonsAction,
  OverflowAction,
  RespondFn,
  StaticSelectAction,
} from "@slack/bolt";
import type { createAnswers } from "../answer/answer.ts";
import {
  type ReplyTargets,
  type Respond,
  answerElsewhere,
  answerInThread,
  createReplacement,
  createPrivateReply,
  createWindowReply,
  respondInThread,
} from "../answer/private-reply.ts";
import type { Poster } from "../delivery/post.ts";
import type { Call } from "../delivery/web-api.ts";
import { createDeduplicator } from "./deduplicate.ts";
import type { ShowHome } from "./home.ts";
import type { IncomingRequest, Listening } from "./listen.ts";
import { teamOf } from "./payload.ts";
import { threadAction, lineFor, onItsOwn, postAction, stopAction, replaceAction } from "./request.ts";
import { type Origin, createWindow, parseOrigin } from "./views.ts";
import { type Sharing, blocksSchema, shareAction } from "../answer/share.ts";
import { type Message, fitText } from "../text/message.ts";
import { unescapeText } from "../text/typed-text.ts";
import type { Timer } from "../timer.ts";
import type { Workspaces } from "../workspaces/workspaces.ts";

type UsedElement = ButtonAction | FeedbackButtonsAction | OverflowAction | StaticSelectAction;
type Press = BlockAction<UsedElement>;

interface ButtonListening extends Pick<Listening, "callOf" | "answer"> {
  answers: Pick<ReturnType<typeof createAnswers>, "stopOne">;
  showHome: ShowHome;
  workspaceOf: Workspaces;
  sharing: Pick<Sharing, "share">;
  timer: Timer;
}

/** A button that is pressed again within this time was meant once. */
const doublePressMs = 1_500;

/** Runs the lines of buttons and menus in messages, windows and on the bot's own page; stops and shares answers. */
export function listenForButtons(app: App, options: ButtonListening): void {
  const { callOf, answer, answers, showHome, workspaceOf, sharing, timer } = options;
  const isDoublePress = createDeduplicator(timer, doublePressMs);

  app.action<Press>(new RegExp(`^(${postAction}|${replaceAction})(:|$)`), async (press) => {
    const { ack, action, body, context, respond } = press;
    await ack();
    const value = lineOfElement(action);
    if (!value) return;
    const isOnItsOwn = value.startsWith(onItsOwn(""));
    const isReplacing = action.action_id.startsWith(replaceAction) && !isOnItsOwn;
    const line = isOnItsOwn ? value.slice(onItsOwn("").length) : value;
    const team = teamOf(context, body);
    const user = body.user.id;
    const owner = /@(\w+)(?::\d+)?$/.exec(action.action_id)?.[1];
    if (owner && owner !== user) return tellWhoseButton(respond, owner);
    const message = [team, body.channel?.id, body.container["message_ts"] ?? body.container["view_id"]];
    // Pages may be turned as fast as one can press; an opinion may be changed at once.
    const mayRepeat = isReplacing || action.type === "feedback_buttons";
    if (!mayRepeat && isDoublePress(JSON.stringify([...message, user, action.action_id, line]))) return;
    const call = callOf(team, context.botToken);
    const ways = waysOfPress(press, { call, isReplacing, poster: workspaceOf(team, call).poster });
    await answer({ line, team, user, homeTeam: body.user.team_id, surface: "button", call, ...ways });
    if (isFromHome(body)) await showHome({ team, user }, call);
  });

  app.action<BlockAction<ButtonAction>>(stopAction, async ({ ack, action, body, context, respond }) => {
    await ack();
    const asker = { team: teamOf(context, body), user: body.user.id };
    const owner = answers.stopOne(action.value ?? "", asker);
    if (owner === undefined) await tellAlone(respond, "This answer has already ended.");
    else if (owner !== asker.user) await tellWhoseButton(respond, owner);
  });

  app.action<BlockAction<ButtonAction>>(shareAction, async ({ ack, action, body, respond }) => {
    await ack();
    await sharing.share(action.value ?? "", body.user.id, respondInThread(respond, threadOf(body)));
  });
}

/** The line that an element runs; nothing if it is of another kind, or nothing is chosen in it. */
function lineOfElement(action: UsedElement): string {
  if (action.type === "button" || action.type === "feedback_buttons") return unescapeText(action.value ?? "");
  // A menu may be used without a choice, though Slack's types do not say so.
  const chosen = (action.selected_option as { value: string } | null | undefined)?.value ?? "";
  return lineFor(action.action_id, unescapeText(chosen));
}

/** The place that the answer to a press goes to, and the way it reaches the person who pressed. */
type PressWays = Pick<IncomingRequest, "channel" | "thread" | "isThreadNew" | "replacesPublic"> & ReplyTargets;

interface PressContext {
  call: Call;
  poster: Poster;
  /** The result replaces what was pressed. */
  isReplacing: boolean;
}

function waysOfPress(press: PressEvent, context: PressContext): PressWays {
  const { channel, view } = press.body;
  return view || !channel ? waysInView(press, context) : waysInMessage(press, channel.id, context);
}

function waysInMessage({ action, body, respond }: PressEvent, channel: string, context: PressContext): PressWays {
  const { call, isReplacing } = context;
  const thread = threadOf(body);
  const isEphemeral = body.container["is_ephemeral"] === true;
  const root: unknown = body.container["message_ts"];
  // Below a message of the channel that has a thread, people look at the channel: the thread is closed.
  const isInThread = thread !== undefined && thread !== root;
  const respondBelow = respondInThread(respond, isInThread ? thread : undefined);
  // A private message never has a thread.
  const mayGoBelow = !isInThread && !isEphemeral;
  const goesBelow = action.action_id.startsWith(threadAction) && mayGoBelow;
  const startsThread = goesBelow && thread === undefined;
  const origin: Origin =
    startsThread && typeof root === "string" ? { channel, thread: root, isThreadNew: true } : { channel, thread };
  const window = createWindow({ call, trigger: body.trigger_id, origin });
  // In a direct message, Slack shows threads in its timeline.
  const answeringElsewhere = goesBelow && !channel.startsWith("D") ? { answeringElsewhere: answerInThread } : {};
  const showInPlace = isEphemeral ? undefined : createInPlace({ action, body, respond: respondBelow });
  const replyPrivately = createPrivateReply(respondBelow);
  const ways = { ...origin, window, replyPrivately, showInPlace, ...answeringElsewhere };
  if (!isReplacing) return ways;
  return {
    ...ways,
    isShared: !isEphemeral,
    // Nobody else reads a direct message.
    replacesPublic: !isEphemeral && !channel.startsWith("D"),
    replace: createReplacement(respondBelow, isEphemeral ? "ephemeral" : "in_channel"),
  };
}

/** Puts blocks in the place of the one that was pressed, in a message that everybody sees. */
function createInPlace({ action, body, respond }: Pick<PressEvent, "action" | "body"> & { respond: Respond }) {
  return async (shown: NonNullable<Message["inPlace"]>): Promise<boolean> => {
    if (shown === "edited") return true;
    const { text = "" } = body.message ?? {};
    const { data: blocks = [] } = blocksSchema.safeParse(body.message?.["blocks"]);
    const at = blocks.findIndex(({ block_id: id }) => id === action.block_id);
    if (at < 0) return false;
    const message = { text: fitText(text), blocks: blocks.toSpliced(at, 1, ...shown) };
    const replaced = respond({ response_type: "in_channel", replace_original: true, ...message });
    // A refusal by Slack is reported to the person who pressed.
    return replaced.then(
      () => true,
      () => false,
    );
  };
}

/** A question asked in a window is answered there; a growing answer is written in the direct message with the asker. */
function waysInView({ body, context }: PressEvent, { call, poster, isReplacing }: PressContext): PressWays {
  const { view, trigger_id: trigger, user, api_app_id: app } = body;
  const origin = parseOrigin(view?.private_metadata ?? "") ?? { channel: user.id };
  const isInside = view?.type === "modal";
  const window = createWindow({ call, trigger, origin, isInside });
  const current = isInside ? createWindow({ call, trigger, origin, id: view.id }) : undefined;
  const replyPrivately = createWindowReply({ window, standing: current }, { user: user.id, poster });
  const replace = async (message: Message) => {
    if (!(await current?.show(message))) await replyPrivately(message);
  };
  const answeringElsewhere = answerElsewhere({ app, team: teamOf(context, body) });
  const ways = { channel: user.id, isShared: true, answeringElsewhere, window, replyPrivately };
  // Its page is drawn anew.
  if (view?.type === "home") return { ...ways, showInPlace: async (shown) => shown === "edited" };
  return isReplacing && current ? { ...ways, replace } : ways;
}

type PressEvent = Parameters<Parameters<typeof App.prototype.action<Press>>[1]>[0];

/** The thread that a pressed message stands in. */
function threadOf({ container, message }: Pick<Press, "container" | "message">): string | undefined {
  const root: unknown = container["thread_ts"] ?? message?.["thread_ts"];
  return typeof root === "string" ? root : undefined;
}

/** Pressed on the bot's own page, or in a window that was opened there: the page may look different afterwards. */
function isFromHome({ view, user }: Press): boolean {
  return view?.type === "home" || parseOrigin(view?.private_metadata ?? "")?.channel === user.id;
}

function tellWhoseButton(respond: RespondFn, owner: string): Promise<void> {
  return tellAlone(respond, `Only <@${owner}>, who asked, can use this button. Mention me to ask yourself.`);
}

async function tellAlone(respond: RespondFn, text: string): Promise<void> {
  await respond({ response_type: "ephemeral", replace_original: false, text });
}
