import type { Waiting } from "./lanes.ts";
import { type Live, beginningOf, endingOf, liveAfter, streamStep } from "./live.ts";
import { type Message, type Posted, createPager } from "./message.ts";
import type { Chunk, Native, NativePlace } from "./native.ts";
import type { Means } from "./pacer.ts";
import type { Poster } from "./poster.ts";
import type { SlackRefused } from "./refusal.ts";

/** One message on the screen. */
interface Sheet {
  at: Posted | undefined;
  /** What stands there, as it was sent. */
  standing: string;
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
}

interface SheetsOptions {
  poster: Poster;
  native?: Native | undefined;
  place: NativePlace;
}

/** The messages of one answer: what stands in them, and what has to be done so that a state stands there. */
export function createSheets({ poster, native, place }: SheetsOptions) {
  const sheets: Sheet[] = [];
  const pages = createPager();
  let root: Posted | undefined;
  let posts = 1;

  function stand(at: Posted, sheet: Partial<Sheet>): Posted {
    root = at;
    sheets.push({ ...newSheet(), at, ...sheet });
    return at;
  }

  return {
    /** Posts the first message, unless it is called off before its turn; what `newest` gives then rides on it. */
    async open(newest: () => Message, waiting: Waiting): Promise<Posted> {
      let content = "";
      const first = () => {
        const page = pages(newest())[0] ?? newest();
        content = contentOf(page);
        return page;
      };
      const at = await poster.post(place, first, waiting);
      return stand(at, { standing: content });
    },
    /** Begins the first message as a native stream; rejects with SlackRefused where there is none. */
    async begin(streams: Native, first: Message): Promise<Posted> {
      const { chunks, live } = beginningOf(pages(first)[0] ?? first);
      return stand(await streams.start(place, chunks), { live });
    },
    /** What the next step takes, as far as that can be told without a look at the state. */
    means: (isLast: boolean) => likelyMeans(sheets, isLast),
    /** Whether an edit will be due after a stream has ended. */
    isPatched: () => sheets.some(({ live }) => live?.isPatched),
    /** The next thing to do until a state stands; nothing where it does. The last state is always tried as it is meant. */
    next: (state: Message, isLast: boolean) => firstStep(sheets, pages(state), isLast),
    /** Does it, with one call; rejects with SlackRefused. */
    async take(step: Step): Promise<void> {
      const { sheet, page, content, isPlain } = step;
      if (native && sheet.at && sheet.live)
        return stream(native, sheet.at, { ...step, live: sheet.live, key: place.key });
      if (sheet.at) await poster.update(sheet.at, isPlain ? { text: page.text, blocks: page.instead ?? [] } : page);
      // A direct message is addressed by the person at first; its threads are in the channel that it turned out to be.
      else {
        const key = place.key && furtherKey(place.key, ++posts);
        const further = { channel: root?.channel ?? place.channel, thread: place.thread ?? root?.ts, key };
        sheet.at = await poster.post(further, () => page);
      }
      root ??= sheet.at;
      sheet.standing = isPlain ? asPlain(content) : content;
      sheet.isCautious = false;
    },
    /** Goes on in a new message with the whole of a page, because the one that shows it takes no more edits. */
    leave(step: Step, { code }: SlackRefused): void {
      if (code === "message_not_found" && step.sheet.at?.ts === root?.ts) root = undefined;
      step.sheet.at = undefined;
      endStream(step);
    },
  };
}

/** What the further messages of an answer carry, counted from 2. */
function furtherKey(key: string, count: number): string {
  return `${key}/${count}`;
}

/** Whether a message that carries this belongs to an answer. */
export function isOf(key: string, carried: string | undefined): boolean {
  return carried === key || carried?.startsWith(`${key}/`) === true;
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

function firstStep(sheets: Sheet[], shown: Message[], isLast: boolean): Step | undefined {
  for (const [index, page] of shown.entries()) {
    const sheet = (sheets[index] ??= newSheet());
    const step = stepOf(sheet, page, { isLast, isWhole: isLast || index < shown.length - 1 });
    if (step) return step;
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
  return { at: undefined, standing: "", malformed: "", isCautious: false };
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
