import type { Logger } from "@slack/bolt";

import { isPassing, refusalOf } from "../delivery/refusal.ts";
import type { Timer } from "../timer.ts";

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

interface ReachOptions {
  token: keyof typeof tokens;
  apiUrl: string;
  timer: Timer;
  logger: Logger;
}

/** What Slack answers at the start, tried a few times while it is only out of order; rejects with SlackUnreachable. */
export async function reachSlack<T>(ask: () => Promise<T>, options: ReachOptions): Promise<T> {
  const { token, apiUrl, timer, logger } = options;
  for (let attempt = 0; ; attempt++) {
    try {
      return await ask();
    } catch (error) {
      const refused = refusalOf(tokens[token].method, error);
      const pauseMs = pausesMs[attempt];
      if (isPassing(refused) && pauseMs !== undefined) {
        const ms = Math.min(longestPauseMs, refused.retryAfterMs ?? pauseMs);
        logger.warn(`${refused.message}, trying again in ${Math.ceil(ms / 1000)} s`);
        await new Promise<void>((resolve) => timer.after(ms, resolve));
        continue;
      }
      const isRefused = !isPassing(refused) && refused.code !== "not_sent";
      const text = isRefused
        ? `Slack refused ${token} (${refused.code}): ${tokens[token].remedy}`
        : `Cannot reach Slack at ${apiUrl} (${refused.code}): check SLACK_API_URL and the network.`;
      throw new SlackUnreachable(text, { cause: refused });
    }
  }
}
