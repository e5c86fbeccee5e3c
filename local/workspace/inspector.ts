import type { Fields } from "./page/fields.ts";
import type { Exchange } from "./protocol.ts";

/** The latest exchanges between the workspace and the app. */
export interface Inspector {
  note: (exchange: Noted) => void;
  /** The exchanges after the one with this ID, oldest first. */
  since: (id: number) => Exchange[];
  /** The request and the answer of an exchange, without secrets; undefined if it is no longer kept. */
  detail: (id: number) => { sent: string; answered: string } | undefined;
}

interface Noted extends Omit<Exchange, "id" | "bytes"> {
  sent: Fields;
  answered: Fields;
}

const kept = 500;
/** The number of characters that are kept of each request and each answer. */
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

/** The fields with which anybody could act as the app, or answer in its place. */
const secretNames = new Set(["token", "response_url", "trigger_id", "bot_access_token"]);

function withoutSecrets(value: Fields): string {
  const hide = (name: string, field: unknown) => {
    if (secretNames.has(name)) return "…";
    return typeof field === "string" ? field.replaceAll(/ticket=\w+/g, "ticket=…") : field;
  };
  return JSON.stringify(value, hide, 2);
}
