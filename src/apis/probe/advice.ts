import { NotAllowed, OutOfCredits, Unavailable, UnexpectedAnswer } from "../errors.ts";
import type { Api, ApiError } from "../errors.ts";

interface Service {
  name: string;
  url: string;
  access: string;
  /** What the setting for access holds. */
  holds: string;
}

const SERVICES: Record<Api, Service> = {
  intelligence: {
    name: "news intelligence service",
    url: "INTELLIGENCE_URL",
    access: "INTELLIGENCE_CREDENTIALS",
    holds: "the login as a JSON object, with the fields that your service asks for",
  },
  gateway: {
    name: "developer gateway",
    url: "GATEWAY_URL",
    access: "GATEWAY_API_KEY",
    holds: "a key that begins with svc_live_ or svc_test_",
  },
  jurisdictions: {
    name: "jurisdiction database",
    url: "JURISDICTIONS_URL",
    access: "JURISDICTIONS_API_KEY",
    holds: "the key as its provider gave it",
  },
};

const SLOW = 3_000;
const MINUTE = 60_000;

/** Where and when a call failed. */
interface Circumstances {
  /** As in the document. */
  path: string;
  /** True where the service has given an answer before, so that its address and the key are right. */
  isReached: boolean;
  /** True where a stream had begun. */
  hasBegun: boolean;
}

/** What an operator can do about a failure; one cause gives one sentence, whichever endpoint shows it first. */
export function adviceOn(error: ApiError, at: Circumstances): string {
  const { name, access, holds } = SERVICES[error.api];
  if (error instanceof OutOfCredits) return "The key has no credits left. Buy some, or set a key of the test kind.";
  if (error instanceof NotAllowed && (error.status === 403 || at.isReached)) {
    return `The ${name} does not let you use \`${at.path}\`. Ask its provider for the right to, if you need it.`;
  }
  if (error instanceof NotAllowed) {
    return `The ${name} refuses you. Check ${access} (${holds}), then restart Bellwether.`;
  }
  if (error instanceof Unavailable) return onUnavailable(error, at);
  return error instanceof UnexpectedAnswer ? onUnexpected(error, at) : `Read what \`${at.path}\` failed with.`;
}

function onUnavailable({ api, reason, status }: Unavailable, { path, isReached }: Circumstances): string {
  const { name, url } = SERVICES[api];
  if (reason === "connection" && !isReached) {
    return `Nothing answers at ${url}. Check the address, and that this machine may reach it.`;
  }
  if (reason === "limit" || status === 429) {
    return `The rate limit of the ${name} is used up. Run this again in a minute, and see who else uses the same key.`;
  }
  const what = {
    timeout: "gives no answer in time",
    connection: "loses the connection",
    cut: "breaks off",
    status: "fails at the service",
  }[reason];
  return `\`${path}\` ${what}. Run this again later; if it stays so, tell the provider of the ${name}.`;
}

function onUnexpected({ api, operation, status, said, detail }: UnexpectedAnswer, at: Circumstances): string {
  const { name, url, access, holds } = SERVICES[api];
  const isRefused = said !== undefined || status !== undefined;
  if (/\b(web page|redirect)\b/.test(detail)) {
    return `${url} leads to a web page or elsewhere. Check the address, and that no sign-in stands before the ${name}.`;
  }
  if (/\bcompressed\b/.test(detail)) {
    return `Something compresses the answers of ${url}, although Bellwether asks for none of that. Ask its provider to respect \`Accept-Encoding: identity\`.`;
  }
  if (operation === "generate" && isRefused && !at.hasBegun) {
    return "The request to generate is not taken. Check that your service knows what INTELLIGENCE_MODEL and INTELLIGENCE_TRUNCATION are set to.";
  }
  if (status === 404) {
    return `The ${name} has nothing at \`${at.path}\`. Check that ${url} is its base, and that you may use this endpoint.`;
  }
  if (operation === "login" && isRefused) {
    return `The login is not understood. Check ${access} (${holds}), then restart Bellwether.`;
  }
  if (isRefused) return `The ${name} turns \`${at.path}\` down. Read the error, and ask its provider.`;
  return `Bellwether cannot use what \`${at.path}\` answers. Tell its developers, with what is found here.`;
}

/** What to do about an endpoint that keeps readers waiting; nothing where it is quick. */
export function adviceOnTime(path: string, ms: number): string[] {
  if (ms <= SLOW) return [];
  return [`\`${path}\` took ${seconds(ms)}, and readers wait as long. Ask its provider whether that is usual.`];
}

/** What to do about clocks that differ by more than a minute; `ahead` in milliseconds. */
export function adviceOnClock(ahead: number): string[] {
  if (Math.abs(ahead) <= MINUTE) return [];
  const way = ahead > 0 ? "ahead of" : "behind";
  return [
    `The clock here is ${minutes(Math.abs(ahead))} ${way} the service's. Set it right, or logins and alerts go wrong.`,
  ];
}

/** A length of time in whole minutes. */
export function minutes(ms: number): string {
  const count = Math.round(ms / MINUTE);
  return count === 1 ? "a minute" : `${count.toLocaleString("en")} minutes`;
}

/** A short length of time as a reader says it. */
export function seconds(ms: number): string {
  return ms < 100 ? `${Math.max(0, Math.round(ms))} ms` : `${(ms / 1000).toFixed(1)} s`;
}
