import type { Fields } from "./page/fields.ts";
import type { Exchange } from "./protocol.ts";

/** What went over the wire between the workspace and the app, the latest of it. */
export interface Inspector {
  note: (exchange: Noted) => void;
  /** What came after the one with this ID, oldest first. */
  since: (id: number) => Exchange[];
  /** What was sent and answered, without secrets; undefined where it is not kept any more. */
  detail: (id: number) => { sent: string; answered: string } | undefined;
}

interface Noted extends Omit<Exchange, "id" | "bytes"> {
  sent: Fields;
  answered: Fields;
}

const kept = 500;
/** Longer ones are only looked at, never needed whole. */
const detailMost = 100_000;

/** Builds the inspector of one workspace. */
export function createInspector(): Inspector {
  const exchanges: { exchange: Exchange; sent: string; answered: string }[] = [];
  let count = 0;
  return {
    note({ sent, answered, ...rest }) {
      const texts = { sent: withoutSecrets(sent), answered: withoutSecrets(answered) };
      count += 1;
      exchanges.push({
        exchange: { ...rest, id: count, bytes: Buffer.byteLength(texts.sent + texts.answered) },
        sent: texts.sent.slice(0, detailMost),
        answered: texts.answered.slice(0, detailMost),
      });
      if (exchanges.length > kept) exchanges.shift();
    },
    since: (id) => exchanges.flatMap(({ exchange }) => (exchange.id > id ? [exchange] : [])),
    detail(id) {
      const found = exchanges.find(({ exchange }) => exchange.id === id);
      return found && { sent: found.sent, answered: found.answered };
    },
  };
}

/** Whoever has one of these can act as the app, or answer in its place. */
const secretNames = new Set(["token", "response_url", "trigger_id", "bot_access_token"]);

function withoutSecrets(value: Fields): string {
  const hide = (name: string, field: unknown) => {
    if (secretNames.has(name)) return "…";
    return typeof field === "string" ? field.replaceAll(/ticket=\w+/g, "ticket=…") : field;
  };
  return JSON.stringify(value, hide, 2);
}
