import type { Http } from "../call.ts";
import { NotAllowed } from "../errors.ts";
import { textsWithin } from "../secrets.ts";
import { loginSchema } from "./schema.ts";
import type { Login } from "./schema.ts";

const MARGIN = 30_000;

export interface Session {
  /** Does the work with a valid login; a login that is refused is renewed once, and the work done once more. */
  run<T>(work: (login: Login) => Promise<T>, signal?: AbortSignal): Promise<T>;
}

export interface SessionOptions {
  http: Http;
  credentials: Record<string, unknown>;
  now: () => number;
}

/** Logs in when it is needed, one login at a time for all callers; a failed login is left to the next caller. */
export function createSession({ http, credentials, now }: SessionOptions): Session {
  let current: { login: Login; usableUntil: number } | undefined;
  let pending: Promise<Login> | undefined;

  async function logIn(): Promise<Login> {
    const { value: login } = await http.json({
      operation: "login",
      method: "POST",
      path: "/auth/login",
      body: credentials,
      secrets: textsWithin(credentials),
      repeatable: true,
      schema: loginSchema,
    });
    const margin = Math.min(MARGIN, Math.max(0, (login.expires - now()) / 2));
    current = { login, usableUntil: login.expires - margin };
    return login;
  }

  async function valid(): Promise<Login> {
    if (current !== undefined && now() < current.usableUntil) return current.login;
    pending ??= logIn().finally(() => (pending = undefined));
    return pending;
  }

  return {
    async run(work, signal) {
      const login = await unlessAborted(valid(), signal);
      try {
        return await work(login);
      } catch (error) {
        // A 403 is about rights, which no new login changes.
        if (!(error instanceof NotAllowed) || error.status === 403) throw error;
        if (current?.login === login) current = undefined;
      }
      return work(await unlessAborted(valid(), signal));
    },
  };
}

/** Lets one caller stop waiting without stopping what others wait for too. */
export function unlessAborted<T>(shared: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return shared;
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason);
    if (signal.aborted) giveUp();
    signal.addEventListener("abort", giveUp, { once: true });
    shared.then(resolve, reject).finally(() => signal.removeEventListener("abort", giveUp));
  });
}
