import { Unavailable, UnexpectedAnswer } from "../../../apis/errors.ts";
import type { GenerateEvent } from "../../../apis/intelligence/generate.ts";
import { type Message, later } from "../../../slack/message.ts";
import { isAside } from "../../../slack/request.ts";
import type { Ask, Services } from "../../feature.ts";
import { isReadable, listened, stalledMs } from "../../listen.ts";
import { askedIn } from "../../thread.ts";
import { inTurn } from "../../turn.ts";
import { createWriting, refuseEndless, withinReach } from "../../written.ts";
import {
  type Answer,
  type Chosen,
  type Conversation,
  asAskedAgain,
  heard,
  joined,
  messagesFor,
  newAnswer,
  questionsIn,
  turnOf,
} from "../conversation.ts";
import type { Flagged } from "../frame/flags.ts";
import { changesFor } from "../frame/change.ts";
import { type Changes, framed } from "../frame/rule.ts";
import { overheard, withNames } from "../thread/overhear.ts";
import { stepsAfter } from "./sources.ts";
import { type Shown, answerView, brokenView, growingView } from "./view.ts";

const service = { api: "intelligence", operation: "generate" } as const;

/** A question, and the articles that somebody chose for it. */
export interface Inquiry extends Flagged {
  chosen?: Chosen | undefined;
}

/** Answers a question when its turn has come, as states that grow; its thread remembers what was said. */
export async function* answerTo(inquiry: Inquiry, request: Ask, services: Services): AsyncGenerator<Message> {
  yield* inTurn(request, services, (isApart) => answered(inquiry, { ...request, isApart }, services));
}

/** What an answer stands on. */
interface Grounds {
  conversation: Conversation;
  answer: Answer;
  /** What the question changes for those after it. */
  changes: Changes;
}

async function groundsOf({ question, flags, chosen }: Inquiry, request: Ask, services: Services): Promise<Grounds> {
  const text = await withNames(question, request, services);
  const before = asAskedAgain(await services.memories.recall(askedIn(request)), text);
  const standing = chosen ? joined(before.standing, chosen) : before.standing;
  const changes = await changesFor(flags, { standing, services, signal: request.signal });
  const conversation = { ...before, standing, frame: framed(before.frame, changes) };
  const said = await overheard({ ...before, standing }, request, services);
  return { conversation, answer: newAnswer({ text, ...said }), changes };
}

/** A question, and whether its answer stands somewhere else than below it. */
type Placed = Ask & { isApart: boolean };

/** The states of an answer, once its turn has come. */
export async function* answered(inquiry: Inquiry, request: Placed, services: Services): AsyncGenerator<Message> {
  const grounds = await groundsOf(inquiry, request, services);
  const { standing, frame } = grounds.conversation;
  const asker = isAside(request) || request.isApart ? request.user : undefined;
  let { answer } = grounds;
  const brought = { standing: inquiry.chosen, changes: grounds.changes };
  // Not awaited: an answer that starts a thread is to be posted before.
  void services.memories.begin(request, { ...brought, question: answer.question });
  const wordsOf = createWriting();
  const shown = (): Shown => ({ answer, asker, standing, frame });
  try {
    let isStalled = false;
    for await (const event of eventsFor(grounds, request, services)) {
      if (event.type !== "silence") {
        const next = heard(answer, event);
        answer = { ...next, text: withinReach(next.text) };
        refuseEndless(next.text);
      }
      if (event.type === "silence" || isLife(event)) isStalled = event.type === "silence" && event.ms >= stalledMs;
      yield growing(shown(), { wordsOf, stopKey: request.stopKey, isStalled });
    }
    if (!answer.hasWords) throw new UnexpectedAnswer({ ...service, detail: "an answer without any words" });
    const asked = questionsIn(grounds.conversation);
    yield answerView(shown(), await stepsAfter({ ...shown(), asked }, request, services));
  } catch (error) {
    // Whatever ended it is explained below what is written, which therefore must not look as if it went on.
    if (answer.hasWords) yield brokenView(shown(), wordsOf(answer.text));
    throw error;
  } finally {
    // What was said before a failure was read by people, so the thread remembers it as well.
    if (answer.hasWords) await services.memories.remember(request, { ...brought, turn: turnOf(answer) });
  }
}

interface Growing {
  wordsOf: (text: string) => string;
  stopKey: string;
  isStalled: boolean;
}

/** A state that costs nothing where it is not shown. */
function growing(shown: Shown, { wordsOf, ...how }: Growing): Message {
  const flags = shown.answer.hasWords ? {} : { progress: true as const };
  return later(() => growingView(shown, { ...how, words: wordsOf(shown.answer.text) }), flags);
}

/** What the service says, and silences. */
function eventsFor({ conversation, answer }: Grounds, { signal }: Ask, { intelligence, now, after }: Services) {
  const messages = messagesFor(conversation, answer.question, now());
  const tooLong = () => new Unavailable({ ...service, reason: "timeout" });
  return listened((heeded) => intelligence.generate({ messages, directUrls: true, signal: heeded }), {
    after,
    signal,
    tooLong,
    isLife,
  });
}

/** A service that sends blanks and no words is as good as silent. */
function isLife(event: GenerateEvent): boolean {
  return event.type !== "text" || isReadable(event.text);
}
