import { AsyncLocalStorage } from "node:async_hooks";
import { inspect } from "node:util";

type LogLevel = "debug" | "info" | "warn" | "error";

type Value = string | number | boolean | undefined | null;
export type LogFields = Record<string, Value>;

/** Writes one line per event: time, level, event, then `key=value` pairs. Secrets never reach it. */
export interface Log {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
}

const levels: LogLevel[] = ["debug", "info", "warn", "error"];

/** The shapes of tokens and keys, whoever issued them. */
const secretShapes =
  /\b(?:xox[a-z][-.]|xapp-|svc_(?:live|test)_)[\w.-]+|\bBearer\s+[^\s"'[]{8,}|(:\/\/)[^\s/@]+:[^\s/@]+(?=@)|([?&](?:token|ticket|key)=)[^&\s]+|\bhooks\.slack(?:-gov)?\.com\/[^\s"']+/gi;

/** Characters that JSON leaves as they are and that break a line, colour a terminal or turn the writing direction. */
const unruly = /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** Text without what looks like a secret. */
export function redact(text: string, secrets: readonly string[] = []): string {
  // The longest first: a short secret inside a longer one must not leave the rest of it standing.
  const known = secrets.filter((secret) => secret.length >= 6).toSorted((one, other) => other.length - one.length);
  return known
    .reduce((redacted, secret) => redacted.replaceAll(secret, "[secret]"), text)
    .replace(secretShapes, (_, scheme = "", parameter = "") => `${scheme}${parameter}[secret]`);
}

interface LogOptions {
  level: LogLevel;
  secrets?: readonly string[];
  write?: (line: string) => void;
  now?: () => number;
}

/** A log that writes lines at `level` and above. */
export function createLog({ level, secrets = [], write = writeOut, now = Date.now }: LogOptions): Log {
  const at =
    (own: LogLevel) =>
    (event: string, fields: LogFields = {}) => {
      if (levels.indexOf(own) < levels.indexOf(level)) return;
      const pairs = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
      const line = [
        new Date(now()).toISOString(),
        own,
        event,
        // Before it is quoted and cut: neither may leave a part of a secret that is no longer known as one.
        ...pairs.map(([key, value]) => `${key}=${logValue(redact(String(value), secrets))}`),
      ];
      write(redact(line.join(" "), secrets));
    };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

/** Ties together what is logged for one event of Slack, or one run of a job. */
export interface Trace {
  /** Adds the ID to every line that is written while such work goes on. */
  log: Log;
  /** Does work under an ID; what it starts and waits for is under it, too. */
  within: <T>(id: string, work: () => T) => T;
}

/** A log whose lines say which event they belong to: from Slack's event to a service's request ID. */
export function createTrace(log: Log): Trace {
  const current = new AsyncLocalStorage<string>();
  const at =
    (level: keyof Log): Log[keyof Log] =>
    (event, fields) => {
      const trace = current.getStore();
      log[level](event, trace === undefined ? fields : { ...fields, trace });
    };
  return {
    log: { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") },
    within: (id, work) => current.run(id, work),
  };
}

/** An error's name and message with those of its causes, as one line. */
export function describe(error: unknown): string {
  const parts: string[] = [];
  for (let current = error; current !== undefined && parts.length < 5;) {
    parts.push(current instanceof Error ? `${current.name}: ${current.message}` : shownAs(current));
    current = current instanceof Error ? current.cause : undefined;
  }
  return parts.join(" < ") || "unknown error";
}

function shownAs(value: unknown): string {
  return typeof value === "string" ? value : inspect(value, { depth: 1, breakLength: Infinity });
}

function logValue(text: string): string {
  if (/^[\w.:/@#+-]{1,1000}$/.test(text)) return text;
  const quoted = JSON.stringify(text.slice(0, 1_000));
  return quoted.replace(unruly, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function writeOut(line: string): void {
  process.stdout.write(`${line}\n`);
}
