import type { Logger } from "@slack/bolt";
import { type SlackRefused, refusalOf } from "./delivery/refusal.ts";
import type { Timer } from "./timer.ts";

/** Slack cannot be used as the bot is set up; the message is for the operator and holds no token. */
class SlackUnreachable extends Error {
  override readonly name = "SlackUnreachable";
}

/** What is asked first with each token, and what an operator does where Slack does not take it. */
const tokens = {
  SLACK_BOT_TOKEN: { method: "auth.test", remedy: "check it in the app's settings under OAuth & Permissions." },
  SLACK_APP_TOKEN: {
    method: "apps.connections.open",
    remedy:
      "check it in the app's settings under Basic Information, App-Level Tokens (it needs connections:write), and that Socket Mode is on.",
  },
};

/** Pauses before each further try while Slack is only out of order. */
const pausesMs = [1_000, 2_000, 4_000, 8_000];
const longestPauseMs = 60_000;

interface Reaching {
  token: keyof typeof tokens;
  apiUrl: string;
  timer: Timer;
  logger: Logger;
}

/** What Slack answers at the start, tried a few times while it is only out of order; rejects with SlackUnreachable. */
export async function reach<T>(ask: () => Promise<T>, options: Reaching): Promise<T> {
  const { token, timer, logger } = options;
  const { method } = tokens[token];
  for (let attempt = 0; ; attempt++) {
    try {
      return await ask();
    } catch (error) {
      const refused = refusalOf(method, error);
      const pauseMs = pausesMs[attempt];
      if (pauseMs === undefined || !mayPass(refused)) throw unreachable(refused, options);
      const ms = Math.min(longestPauseMs, refused.retryAfterMs ?? pauseMs);
      logger.warn(`${refused.message}, trying again in ${Math.ceil(ms / 1000)} s`);
      await new Promise<void>((resolve) => timer.after(ms, resolve));
    }
  }
}

function mayPass({ reaction }: SlackRefused): boolean {
  return reaction === "wait" || reaction === "look";
}

function unreachable(refused: SlackRefused, { token, apiUrl }: Reaching): SlackUnreachable {
  const isAnswer = !mayPass(refused) && refused.code !== "not_sent";
  const text = isAnswer
    ? `Slack refused ${token} (${refused.code}): ${tokens[token].remedy}`
    : `Cannot reach Slack at ${apiUrl} (${refused.code}): check SLACK_API_URL and the network.`;
  return new SlackUnreachable(text, { cause: refused });
}
