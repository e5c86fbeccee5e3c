import { type Message, type Posted, pages } from "./message.ts";
import type { Place, Poster } from "./poster.ts";
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
}

/** A sheet that differs from what it should show. */
export interface Step {
  sheet: Sheet;
  page: Message;
  content: string;
  isPlain: boolean;
  /** Whether it edits a message; else it posts one. */
  isEdit: boolean;
}

/** The messages of one answer: what stands in them, and what has to be done so that a state stands there. */
export function createSheets(poster: Poster, place: Place) {
  const sheets: Sheet[] = [];
  let root: Posted | undefined;

  return {
    /** Posts the first message, unless the signal comes before its turn; what `newest` gives then rides on it. */
    async open(newest: () => Message, signal?: AbortSignal): Promise<Posted> {
      let content = "";
      const first = () => {
        const [page] = pages(newest());
        content = page ? contentOf(page) : "";
        return page ?? newest();
      };
      const at = await poster.post(place, first, signal);
      root = at;
      sheets.push({ ...newSheet(), at, standing: content });
      return at;
    },
    /** The next thing to do until a state stands; nothing where it does. The last state is always tried as it is meant. */
    next(state: Message, isLast: boolean): Step | undefined {
      for (const [index, page] of pages(state).entries()) {
        const sheet = (sheets[index] ??= newSheet());
        const content = contentOf(page);
        const isMalformed = sheet.malformed === content;
        if (sheet.standing === (isMalformed ? asPlain(content) : content)) continue;
        const isEdit = sheet.at !== undefined;
        return { sheet, page, content, isEdit, isPlain: isEdit && (isMalformed || (sheet.isCautious && !isLast)) };
      }
      return undefined;
    },
    /** Does it, with one call; rejects with SlackRefused. */
    async take({ sheet, page, content, isPlain }: Step): Promise<void> {
      if (sheet.at) await poster.update(sheet.at, isPlain ? { text: page.text, blocks: [] } : page);
      else sheet.at = await poster.post({ channel: place.channel, thread: place.thread ?? root?.ts }, () => page);
      root ??= sheet.at;
      sheet.standing = isPlain ? asPlain(content) : content;
      sheet.isCautious = false;
    },
    /** Remembers that Slack found it malformed. */
    simplify({ sheet, content }: Step): void {
      sheet.malformed = content;
      sheet.isCautious = true;
    },
    /** Goes on in a new message with the whole of a page, because the one that shows it takes no more edits. */
    leave({ sheet }: Step, { code }: SlackRefused): void {
      if (code === "message_not_found" && sheet.at?.ts === root?.ts) root = undefined;
      sheet.at = undefined;
      sheet.standing = "";
    },
  };
}

function newSheet(): Sheet {
  return { at: undefined, standing: "", malformed: "", isCautious: false };
}

/** Tells whether two messages look the same. */
function contentOf({ text, blocks }: Message): string {
  return JSON.stringify([text, blocks]);
}

function asPlain(content: string): string {
  return `plain ${content}`;
}
