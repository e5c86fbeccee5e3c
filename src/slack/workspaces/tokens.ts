import { AsyncLocalStorage } from "node:async_hooks";

import { type Installation, webApi } from "@slack/bolt";
import PQueue from "p-queue";
import { z } from "zod";

import { type Log, describe } from "../../log.ts";
import { SlackRefused, isPassing, refusalOf } from "../delivery/refusal.ts";
import { clientOptions } from "../delivery/web-api.ts";
import type { Timer } from "../timer.ts";

/** With token rotation, a token lives for twelve hours; it is refreshed when it has two left, as Slack's SDK does. */
const earlyMs = 2 * 60 * 60_000;
/** The time before its end in which a token no longer counts as valid: a call with it takes a while. */
const marginMs = 60_000;
/** Pauses after a failed refresh, while Slack is out of order and otherwise. */
const passingPauseMs = 5_000;
const refusedPauseMs = 60_000;
/** Many tokens may have expired overnight when the first digests of the morning are due. */
const refreshesAtOnce = 4;

/** A bot token, the token with which it is exchanged for the next one, and when it ends, in epoch seconds. */
interface ExpiringToken {
  token: string;
  refreshToken: string;
  expiresAt: number;
}

/** Exchanges a refresh token, which Slack takes once; rejects with SlackRefused. */
export type ExchangeToken = (refreshToken: string, now: number) => Promise<ExpiringToken>;

const exchangedSchema = z.object({
  access_token: z.string(),
  refresh_token: z.string(),
  expires_in: z.number().positive(),
});

/** Exchanges refresh tokens at Slack. */
export function createTokenExchange(app: { clientId: string; clientSecret: string; apiUrl: string }): ExchangeToken {
  const client = new webApi.WebClient(undefined, clientOptions(app.apiUrl));
  return async (refreshToken, now) => {
    try {
      const answer = await client.oauth.v2.access({
        client_id: app.clientId,
        client_secret: app.clientSecret,
        grant_type: "refresh_token",
        refresh_token: refreshToken,
      });
      const { access_token: token, refresh_token: next, expires_in: seconds } = exchangedSchema.parse(answer);
      return { token, refreshToken: next, expiresAt: Math.floor(now / 1000) + seconds };
    } catch (error) {
      throw refusalOf("oauth.v2.access", error);
    }
  };
}

export interface TokenRotation {
  exchange: ExchangeToken;
  /** Does work while no other process that shares the store does work of the same name. */
  exclusively: <T>(name: string, work: () => Promise<T>) => Promise<T>;
  timer: Timer;
  log: Pick<Log, "info" | "warn">;
}

/** The store where installations are kept, by key. */
interface KeptInstallations {
  read: (key: string) => Promise<Installation | undefined>;
  write: (key: string, installation: Installation) => Promise<void>;
}

/**
 * Reads installations, their tokens refreshed in time. However many ask at once, also in several processes, a refresh
 * token is exchanged once: Slack may give two tokens for one refresh token, of which only one is good. While the
 * present token is valid, nobody waits for the next one; if it has expired and cannot be refreshed, the reading
 * rejects.
 */
export function createFreshReader({ read, write }: KeptInstallations, rotation: TokenRotation) {
  const { exchange, exclusively, timer, log } = rotation;
  const queue = new PQueue({ concurrency: refreshesAtOnce });
  const running = new Map<string, Promise<Installation | undefined>>();
  const failures = new Map<string, { error: unknown; until: number }>();
  // A new token is written down even if this process may go on no longer with what asked for it.
  const apart = AsyncLocalStorage.snapshot();

  function refreshOnce(key: string): Promise<Installation | undefined> {
    const known = running.get(key);
    if (known) return known;
    const failure = failures.get(key);
    if (failure && timer.now() < failure.until) return Promise.reject(failure.error);
    const work = queue
      .add(() => apart(() => exclusively(`token ${key}`, () => refresh(key))))
      .then((installation) => {
        failures.delete(key);
        return installation;
      })
      .catch((error: unknown) => {
        failures.set(key, { error, until: timer.now() + pauseAfter(error) });
        log.warn("token.refresh.failed", { team: key, error: describe(error) });
        throw error;
      })
      .finally(() => running.delete(key));
    running.set(key, work);
    return work;
  }

  async function refresh(key: string): Promise<Installation | undefined> {
    const stored = await read(key);
    const old = expiringToken(stored);
    // Another process was faster.
    if (!stored?.bot || !old || !endsWithin(old, earlyMs)) return stored;
    // Slack takes a refresh token once: if the next one could not be written down, it would be lost.
    await write(key, stored);
    const next = await exchange(old.refreshToken, timer.now());
    const current = await read(key);
    // Meanwhile the app was removed, or installed anew.
    if (expiringToken(current)?.refreshToken !== old.refreshToken) return current;
    const refreshed = { ...stored, bot: { ...stored.bot, ...next } };
    await write(key, refreshed);
    log.info("token.refreshed", { team: key });
    return refreshed;
  }

  function endsWithin({ expiresAt }: ExpiringToken, ms: number): boolean {
    return expiresAt * 1000 - timer.now() <= ms;
  }

  return async (key: string): Promise<Installation | undefined> => {
    const stored = await read(key);
    const token = expiringToken(stored);
    if (!stored || !token || !endsWithin(token, earlyMs)) return stored;
    const refreshed = refreshOnce(key);
    if (endsWithin(token, marginMs)) return refreshed;
    // Its failure is logged, and tried again for as long as the present token lives.
    refreshed.catch(() => undefined);
    return stored;
  };
}

/** The time for which nothing is asked after a failure. */
function pauseAfter(error: unknown): number {
  if (!(error instanceof SlackRefused)) return passingPauseMs;
  return error.retryAfterMs ?? (isPassing(error) ? passingPauseMs : refusedPauseMs);
}

/** The token of an installation, if the app's tokens expire. */
function expiringToken(installation: Installation | undefined): ExpiringToken | undefined {
  const { token, refreshToken, expiresAt } = installation?.bot ?? {};
  return token !== undefined && refreshToken !== undefined && expiresAt !== undefined
    ? { token, refreshToken, expiresAt }
    : undefined;
}
