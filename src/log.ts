export type LogLevel = "debug" | "info" | "warn" | "error";

type Value = string | number | boolean | undefined | null;
export type Fields = Record<string, Value>;

/** Writes one line per event: time, level, event, then `key=value` pairs. Secrets never reach it. */
export interface Log {
  debug(event: string, fields?: Fields): void;
  info(event: string, fields?: Fields): void;
  warn(event: string, fields?: Fields): void;
  error(event: string, fields?: Fields): void;
}

const levels: LogLevel[] = ["debug", "info", "warn", "error"];

/** What tokens and keys look like, whoever issued them. */
const secretShapes =
  /\b(?:xox[a-z]-|xapp-|svc_(?:live|test)_)[\w-]+|\bBearer\s+\S+|([?&](?:token|ticket|key)=)[^&\s]+/gi;

/** Text without what looks like a secret. */
export function redact(text: string, secrets: readonly string[] = []): string {
  const known = secrets.filter((secret) => secret.length >= 6);
  return known
    .reduce((redacted, secret) => redacted.replaceAll(secret, "[secret]"), text)
    .replace(secretShapes, (_, parameter?: string) => `${parameter ?? ""}[secret]`);
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
    (event: string, fields: Fields = {}) => {
      if (levels.indexOf(own) < levels.indexOf(level)) return;
      const pairs = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
      const line = [
        new Date(now()).toISOString(),
        own,
        event,
        ...pairs.map(([key, value]) => `${key}=${shown(value)}`),
      ];
      write(redact(line.join(" "), secrets));
    };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

/** What an error says of itself, with its causes, as one line. */
export function describe(error: unknown): string {
  const parts: string[] = [];
  for (let current = error; current !== undefined && parts.length < 5;) {
    parts.push(current instanceof Error ? `${current.name}: ${current.message}` : String(current));
    current = current instanceof Error ? current.cause : undefined;
  }
  return parts.join(" < ");
}

function shown(value: Value): string {
  const text = String(value);
  return /^[\w.:/@#+-]+$/.test(text) ? text : JSON.stringify(text.slice(0, 1_000));
}

function writeOut(line: string): void {
  process.stdout.write(`${line}\n`);
}
