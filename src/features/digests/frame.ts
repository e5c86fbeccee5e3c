import { type MenuChoice, context, header, moreMenu, section } from "../../slack/text/blocks.ts";
import type { Block, Message } from "../../slack/text/message.ts";
import { bold, escape, shorten, accessibleText } from "../../slack/text/mrkdwn.ts";
import { postAction } from "../../slack/incoming/request.ts";
import { scheduleWords } from "../subscriptions/view.ts";
import { sentence } from "../text.ts";
import type { Digest } from "./digest.ts";

/** The frame of everything that a digest posts: its title, what is said above it, its small print and its menu. */

/** The parts of a digest's post. */
export interface PostView {
  title: string;
  note: string;
  lead?: string | undefined;
  isThreaded: boolean | undefined;
  /** The stories, ranking or answer; in the thread if the post has one. */
  below: { blocks: Block[]; words: string[] };
  /** The part that the first message shows if the rest is in its thread, and the hint that says so. */
  opening: { blocks: Block[]; words: string[] };
  hint: string;
  /** The answer of a briefing: its beginning stands below the stories, all of it in the thread. */
  answer?: { question: string; opening: string; whole: { blocks: Block[]; words: string[] } } | undefined;
  /** Phrases of the small print. */
  small: string[];
  steps: Block[];
}

/** Puts stories, a ranking or an answer into a frame: one message, or one that leads and one for its thread. */
export function postViews(view: PostView): [Message, ...Message[]] {
  const { title, note, lead, isThreaded, below, opening, hint, answer, small, steps } = view;
  const top = [header(title), ...(note ? [section(note)] : []), ...(lead ? [section(`>${lead}`)] : [])];
  const words = [escape(title), ...(note ? [accessibleText(note)] : []), ...(lead ? [lead] : [])];
  const bottom = [...(small.length > 0 ? [context(small.join(" · "))] : []), ...steps];
  const asked = answer ? [`${bold(shorten(answer.question, 150))}\n${answer.opening} _More in the thread._`] : [];
  const shown = isThreaded ? { ...opening, hints: [hint] } : { ...below, hints: [] };
  const first = {
    text: [...words, ...shown.words, ...shown.hints, ...asked.map(accessibleText)].join("\n"),
    blocks: [...top, ...shown.blocks, ...shown.hints.map((each) => context(each)), ...asked.map(section), ...bottom],
  };
  const inThread = [...(isThreaded ? [below] : []), ...(answer ? [answer.whole] : [])];
  if (inThread.length === 0) return [first];
  const rest = {
    text: inThread.flatMap((each) => each.words).join("\n"),
    blocks: inThread.flatMap((each) => each.blocks),
  };
  return [first, rest];
}

/** `Oil · Sunday 22 Nov · 5 new stories`: the subject, the day when it was made, in the digest's zone, and how much there is. */
export function titleOf(
  subject: string,
  { digest: { schedule }, since }: { digest: Pick<Digest, "schedule">; since: number },
  count?: string,
): string {
  const format = new Intl.DateTimeFormat("en-GB", {
    weekday: "long",
    day: "numeric",
    month: "short",
    timeZone: schedule.zone,
  });
  const date = format.format(since).replace(",", "");
  return [sentence(shorten(subject, 80)) || "News", date, ...(count ? [count] : [])].join(" · ");
}

/** The ⋯ menu below what a digest posts, which says what digest it is; `first` is what it offers besides changing it. */
export function moreBelow(
  { number, state, schedule }: Pick<Digest, "number" | "state" | "schedule">,
  ...first: MenuChoice[]
) {
  const description = `Digest ${number} · ${accessibleText(scheduleWords(schedule))}`;
  const resume = { label: state === "removed" ? "Bring it back" : "Resume digest", value: `digests resume ${number}` };
  return moreMenu({
    action: `${postAction}:more`,
    choices: [
      ...first,
      { label: "Edit digest", value: `digests edit ${number}`, description },
      state === "active" ? { label: "Pause digest", value: `digests pause ${number}` } : resume,
    ],
  });
}
