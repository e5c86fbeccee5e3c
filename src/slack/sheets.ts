import type { Waiting } from "./delivery/channel-queue.ts";
import { type Live, beginningOf, endingOf, liveAfter, streamStep } from "./live.ts";
import type { Message, Posted } from "./text/message.ts";
import type { Chunk, Native, NativePlace } from "./native.ts";
import type { Means } from "./pacer.ts";
import type { PostTarget, Poster } from "./delivery/post.ts";
import type { SlackRefused } from "./delivery/refusal.ts";
import { createBelow, wordsOf } from "./rest.ts";

/** One message on the screen. */
interface Sheet {
  at: Posted | undefined;
  /** What stands there, as it was sent. */
  standing: string;
  /** The words of the answer up to the end of this message, where it is known to show them. */
  said?: string | undefined;
  /** Nothing but a sign of work stands there. */
  isSign: boolean;
  /** What Slack found malformed: it is shown as plain text. */
  malformed: string;
  /** The next edit shows something rather than be refused once more. */
  isCautious: boolean;
  /** Set while it is a native stream, which takes additions and no edits. */
  live?: Live | undefined;
}

/** A sheet that differs from what it should show. */
export interface Step {
  sheet: Sheet;
  page: Message;
  content: string;
  isPlain: boolean;
  /** What it takes: a call that the workspace has few of, or a post. */
  by: Means | "post";
  /** What a stream gets. */
  chunks: Chunk[];
  /** The words of the answer up to its end, where it is the last message. */
  said?: string | undefined;
}

interface SheetsOptions {
  poster: Poster;
  native?: Native | undefined;
  place: NativePlace;
  /** Told where the first message stands that had to be posted anew. */
  onPosted?: ((posted: Posted) => void) | undefined;
}

/** The messages of one answer: what stands in them, and what has to be done so that a state stands there. */
export function createSheets({ poster, native, place, onPosted }: SheetsOptions) {
  const sheets: Sheet[] = [];
  const below = createBelow();
  let root: Posted | undefined;
  let posts = 1;

  function stand(at: Posted, sheet?: Partial<Sheet>): Posted {
    root = at;
    sheets.push({ ...newSheet(), at, ...sheet });
    return at;
  }

  return {
    /** Posts the first message, unless it is called off before its turn; what `newest` gives then rides on it. */
    async open(newest: () => Message, waiting: Waiting): Promise<Posted> {
      let first: First | undefined;
      const at = await poster.post(place, () => (first = firstOf(newest(), below)).page, waiting);
      return stand(at, first?.sheet);
    },
    /** Begins the first message as a native stream; rejects with SlackRefused where there is none. */
    async begin(streams: Native, first: Message): Promise<Posted> {
      const { chunks, live } = beginningOf(below.pages(first, false)[0] ?? first);
      return stand(await streams.start(place, chunks), { live });
    },
    /** What the next step takes, as far as that can be told without a look at the state. */
    means: (isLast: boolean) => likelyMeans(sheets, isLast),
    /** Whether an edit will be due after a stream has ended. */
    isPatched: () => sheets.some(({ live }) => live?.isPatched),
    /** The next thing to do until a state stands; nothing where it does. The last state is always tried as it is meant. */
    next: (state: Message, isLast: boolean) => firstStep(sheets, below.pages(state, isLast), { state, isLast }),
    /** Whether the last state may lack something that the one before it was not given. */
    isBehind: () => below.hasLeft() || likelyMeans(sheets, true) === "stop",
    /** Where the first message stands. */
    root: () => root,
    /** Does it, with one call; rejects with SlackRefused. */
    async take(step: Step): Promise<void> {
      const { sheet, page, isPlain } = step;
      if (native && sheet.at && sheet.live)
        return stream(native, sheet.at, { ...step, live: sheet.live, key: place.key });
      if (sheet.at) await poster.update(sheet.at, isPlain ? { text: page.text, blocks: page.instead ?? [] } : page);
      else sheet.at = await poster.post(furtherPlace(place, root, ++posts), () => page);
      if (!root) onPosted?.((root = sheet.at));
      noteShown(step);
    },
    /** Goes on below a message that takes no edits, with all of it where it is gone; a mere sign of work is taken away. */
    async leave(step: Step, { code }: SlackRefused): Promise<void> {
      const { sheet } = step;
      const at = sheet.at;
      const words = standingWords(sheets, sheet);
      const isGone = code === "message_not_found" || (sheet.isSign && at && (await poster.remove(at)));
      below.leave(isGone ? undefined : words);
      if (isGone && at?.ts === root?.ts) root = undefined;
      if (!isGone && words !== undefined) sheets.length = 0;
      sheet.at = undefined;
      endStream(step);
    },
  };
}

/** Where the further messages of an answer go, counted from 2, and what they carry. */
function furtherPlace(place: NativePlace, root: Posted | undefined, count: number): PostTarget {
  // A direct message is addressed by the person at first; its threads are in the channel that it turned out to be.
  const channel = root?.channel ?? place.channel;
  return { channel, thread: place.thread ?? root?.ts, key: place.key && `${place.key}/${count}` };
}

function likelyMeans(sheets: Sheet[], isLast: boolean): Means {
  const live = sheets.find((sheet) => sheet.live)?.live;
  if (!live) return "edit";
  return isLast || live.isSpoilt ? "stop" : "append";
}

/** Remembers that Slack found it malformed. */
export function simplify({ sheet, content }: Step): void {
  sheet.malformed = content;
  sheet.isCautious = true;
}

/** Has a stream ended as soon as it can be, because it is not certain what it shows; edits go on from there. */
export function spoilStream({ sheet }: Step): void {
  sheet.live = { ...(sheet.live ?? { said: "", work: "" }), isPatched: true, isSpoilt: true };
}

/** Takes it that a stream has ended, and that it is not certain what it shows. */
export function endStream({ sheet }: Step): void {
  sheet.live = undefined;
  sheet.standing = "";
}

/** The words of the answer up to the end of a sheet, where that is the lowest and known to show them. */
function standingWords(sheets: Sheet[], sheet: Sheet): string | undefined {
  if (sheets.findLast(({ at }) => at) !== sheet) return undefined;
  return sheet.live ? sheet.live.said : sheet.said;
}

/** What is known of what a message says. */
function signs(page: Message, said: string | undefined): Pick<Sheet, "said" | "isSign"> {
  return { said, isSign: page.progress === true && !wordsOf(page) };
}

interface First {
  page: Message;
  sheet: Partial<Sheet>;
}

/** The first message of a state, and what is known of it when it stands. */
function firstOf(state: Message, below: ReturnType<typeof createBelow>): First {
  const [page = state, ...further] = below.pages(state, false);
  const said = further.length === 0 ? wordsOf(state) : undefined;
  return { page, sheet: { standing: contentOf(page), ...signs(page, said) } };
}

function noteShown({ sheet, page, content, isPlain, said }: Step): void {
  Object.assign(sheet, signs(page, isPlain ? undefined : said));
  sheet.standing = isPlain ? asPlain(content) : content;
  sheet.isCautious = false;
}

interface Wanted {
  state: Message;
  isLast: boolean;
}

function firstStep(sheets: Sheet[], shown: Message[], { state, isLast }: Wanted): Step | undefined {
  for (const [index, page] of shown.entries()) {
    const sheet = (sheets[index] ??= newSheet());
    const isEnd = index === shown.length - 1;
    const step = stepOf(sheet, page, { isLast, isWhole: isLast || !isEnd });
    if (step) return { ...step, said: isEnd ? wordsOf(state) : undefined };
  }
  return undefined;
}

/** What a sheet needs to show a page; nothing where it does. */
function stepOf(
  sheet: Sheet,
  page: Message,
  { isLast, isWhole }: Record<"isLast" | "isWhole", boolean>,
): Step | undefined {
  const content = contentOf(page);
  if (sheet.live) {
    const needed = streamStep(sheet.live, page, isWhole);
    return needed && { sheet, page, content, isPlain: false, ...needed };
  }
  const isMalformed = sheet.malformed === content;
  if (sheet.standing === (isMalformed ? asPlain(content) : content)) return undefined;
  const by: Step["by"] = sheet.at ? "edit" : "post";
  const isPlain = by === "edit" && (isMalformed || (sheet.isCautious && !isLast));
  return { sheet, page, content, by, isPlain, chunks: [] };
}

/** Adds to a stream or ends it, and notes what it shows then. */
async function stream(native: Native, at: Posted, step: Step & { live: Live; key: string | undefined }): Promise<void> {
  const { sheet, page, content, live, chunks, key } = step;
  if (step.by === "append") {
    await native.append(at, chunks);
    sheet.live = liveAfter(live, page, chunks);
    return;
  }
  const ending = endingOf(live, page, chunks);
  await native.stop(at, { chunks, blocks: ending ?? [], key });
  sheet.live = undefined;
  sheet.standing = ending ? content : "";
}

function newSheet(): Sheet {
  return { at: undefined, standing: "", isSign: false, malformed: "", isCautious: false };
}

const contents = new WeakMap<Message, string>();

/** Tells whether two messages look the same; a page is looked at once, and a full one is the same in every state. */
function contentOf(page: Message): string {
  const content = contents.get(page) ?? JSON.stringify([page.text, page.blocks]);
  contents.set(page, content);
  return content;
}

function asPlain(content: string): string {
  return `plain ${content}`;
}
