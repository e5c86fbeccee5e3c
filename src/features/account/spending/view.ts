import { plural } from "../../words.ts";
import type { Caps } from "./rule.ts";

/** Which services are set up. */
export interface Free {
  intelligence: boolean;
  gateway: boolean;
  jurisdictions: boolean;
}

/** What still works where no credits may be spent, as a sentence of mrkdwn. */
export function freeWords({ intelligence, gateway, jurisdictions }: Free): string {
  const lines = [
    ...(intelligence ? ["/trending", "/entity", "/ask", "/news channel"] : []),
    ...(gateway && !intelligence ? ["/bellwether models", "/bellwether insights"] : []),
    ...(jurisdictions ? ["/bellwether jurisdictions"] : []),
  ];
  if (lines.length === 0) return "";
  return `Free meanwhile: ${lines.map((line) => `\`${line}\``).join(", ")}.`;
}

interface CapHint {
  scope: keyof Caps;
  cap: number;
  /** Credits. */
  left: number;
  price: number;
  operation: keyof typeof costly;
  /** Epoch milliseconds. */
  resetAt: number;
  zone: string;
  configured: Free;
}

/** What a reader is told at a cap: what is used up, when it comes back and what is free meanwhile, as mrkdwn. */
export function capHint({ resetAt, zone, configured, ...about }: CapHint): string {
  const back = about.price > about.cap ? "" : ` They come back at ${timeWords(resetAt)} (midnight in ${zone}).`;
  return [`${usedUp(about)}${back}`, freeWords(configured)].filter(Boolean).join(" ");
}

function usedUp({ scope, cap, left, price, operation }: Omit<CapHint, "resetAt" | "zone" | "configured">): string {
  const cost = `${costly[operation]} costs ${plural(price, "credit")}`;
  if (price > cap) return `${cost}, and ${whose[scope]} may spend ${cap} a day. An operator can allow more.`;
  if (left === 0) return `${used[scope]} ${plural(cap, "credit")} for today.`;
  return `${cost}, and ${left} of ${whoseOwn[scope]} ${plural(cap, "credit")} for today ${left === 1 ? "is" : "are"} left.`;
}

const costly = {
  search: "A search",
  trending: "The ranking",
  summary: "A summary",
  streamSummary: "A summary",
  chat: "A reply",
  runCollection: "Running a collection",
};

const used = {
  workspace: "This workspace has used its",
  channel: "This channel has used its",
  person: "You have used your",
};
const whose = { workspace: "this workspace", channel: "this channel", person: "you" };
const whoseOwn = { workspace: "this workspace's", channel: "this channel's", person: "your" };

/** A time of day that every reader sees in their own zone, as mrkdwn. */
export function timeWords(time: number): string {
  const fallback = new Date(time).toISOString().slice(11, 16);
  return `<!date^${Math.floor(time / 1000)}^{time}|${fallback} UTC>`;
}
