import { NotAllowed, UnexpectedAnswer } from "../errors.ts";
import type { Http } from "../http.ts";
import { loginSchema, type Login } from "./schema.ts";

/** A login is renewed so long before it expires. */
const MARGIN = 30_000;

export type Session = ReturnType<typeof createSession>;

export interface SessionOptions {
  http: Http;
  /** The login body; its fields are not shown in the document, so they are the operator's. */
  credentials: Record<string, unknown>;
  now: () => number;
}

/** Logs in when it is needed, one login at a time for all callers; a failed login is left to the next caller. */
export function createSession({ http, credentials, now }: SessionOptions) {
  let current: { login: Login; usableUntil: number } | undefined;
  let pending: Promise<Login> | undefined;

  async function logIn(): Promise<Login> {
    const logging = http.json({
      operation: "login",
      method: "POST",
      path: "/auth/login",
      body: credentials,
      secrets: loginTexts(credentials),
      repeatable: true,
      schema: loginSchema,
    });
    const login = await logging.catch((error: unknown) => Promise.reject(asRefusal(error)));
    const margin = Math.min(MARGIN, Math.max(0, (login.expires - now()) / 2));
    current = { login, usableUntil: login.expires - margin };
    return login;
  }

  async function valid(): Promise<Login> {
    if (current !== undefined && now() < current.usableUntil) return current.login;
    pending ??= logIn().finally(() => (pending = undefined));
    return pending;
  }

  /** Drops a login that the service has called expired. */
  function forget(login: Login): void {
    if (current?.login === login) current = undefined;
  }

  return {
    forget,
    /** Does the work with a valid login; a login that is refused is renewed once, and the work done once more. */
    async run<T>(work: (login: Login) => Promise<T>, signal?: AbortSignal): Promise<T> {
      const login = await withSignal(valid(), signal);
      try {
        return await work(login);
      } catch (error) {
        // 403 is about rights, which no new login changes.
        if (!(error instanceof NotAllowed) || error.status === 403) throw error;
        forget(login);
      }
      return work(await withSignal(valid(), signal));
    },
  };
}

// Which status a wrong login gets is not shown. An address that knows no login is another matter.
function asRefusal(error: unknown): unknown {
  if (!(error instanceof UnexpectedAnswer) || (error.said === undefined && error.status === undefined)) return error;
  const { api, operation, status, requestId, detail } = error;
  const failure = { api, operation, status, requestId, cause: error };
  const isElsewhere = status !== undefined && (status < 400 || status === 404 || status === 405);
  return isElsewhere ? new UnexpectedAnswer({ ...failure, detail }) : new NotAllowed(failure);
}

/** The texts of a login body, none of which may be shown. */
function loginTexts(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(loginTexts);
}

/** Lets one caller stop waiting without stopping what others wait for too. */
function withSignal<T>(shared: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return shared;
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason);
    if (signal.aborted) giveUp();
    signal.addEventListener("abort", giveUp, { once: true });
    shared.then(resolve, reject).finally(() => signal.removeEventListener("abort", giveUp));
  });
}
