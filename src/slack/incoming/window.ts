import { z } from "zod";

import type { Message } from "../text/message.ts";
import { refusalOf } from "../refusal.ts";
import { type Origin, modalView } from "./view.ts";
import type { Call } from "../web.ts";

/** A window before one person. */
export interface Window {
  /** Shows a message in it, in place of the one before; false where Slack does not, and the content goes another way. */
  show(message: Message): Promise<boolean>;
}

interface WindowOptions {
  call: Call;
  origin: Origin;
  /** Good for one new window, for three seconds. */
  trigger: string;
  /** The window that the asker is in: a new one is put upon it. */
  isInside?: boolean;
}

/** A window that is opened by the first message. */
export function newWindow({ call, origin, trigger, isInside }: WindowOptions): Window {
  const method = isInside ? "views.push" : "views.open";
  let standing: Window | undefined;
  return {
    async show(message) {
      if (standing) return standing.show(message);
      return shown(message, origin, async (view) => {
        const { data } = opened.safeParse(await call(method, { trigger_id: trigger, view }));
        if (data) standing = standingWindow(call, data.view.id, origin);
      });
    },
  };
}

/** A window that stands already. */
export function standingWindow(call: Call, id: string, origin: Origin): Window {
  return {
    show: (message) =>
      shown(message, origin, async (view) => {
        await call("views.update", { view_id: id, view });
      }),
  };
}

const opened = z.object({ view: z.object({ id: z.string() }) });

type Send = (view: ReturnType<typeof modalView>) => Promise<void>;

/** Whether it is shown; what Slack finds malformed is shown as plain text, but for a form, which would be none. */
async function shown(message: Message, origin: Origin, send: Send): Promise<boolean> {
  const { blocks, instead: _, ...words } = message;
  try {
    await send(modalView(message, origin));
    return true;
  } catch (error) {
    const { reaction, code } = refusalOf("views", error);
    if (reaction === "plainer" && blocks && !message.window?.form) return shown(words, origin, send);
    if (reaction === "wait" || reaction === "look" || gone.includes(code)) return false;
    throw error;
  }
}

/** A window that was closed or comes too late is no error; neither is one that is the fourth upon another. */
const gone = [
  "expired_trigger_id",
  "exchanged_trigger_id",
  "invalid_trigger_id",
  "trigger_expired",
  "trigger_exchanged",
  "not_found",
  "view_not_found",
  "push_limit_reached",
  "hash_conflict",
];
