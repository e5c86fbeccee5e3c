import { type Log, describe } from "../../../log.ts";
import { createTurns } from "../../../store/turns.ts";
import type { Services } from "../../feature.ts";
import type { Line } from "./rule.ts";
import type { Standings } from "./standings.ts";
import { type OperatorNotice, operatorView } from "./view.ts";

/** How long a line is tried; then it is old news. */
const newsMs = 24 * 60 * 60_000;

/** Where the operator reads; without a team, in the one workspace that there is. */
export interface OperatorPlace {
  team?: string | undefined;
  channel: string;
}

export interface LinesOptions {
  /** Missing where nobody is told in Slack; the log has every line. */
  operator?: OperatorPlace | undefined;
  post: Services["post"];
  log: Pick<Log, "info" | "warn" | "error">;
  now: () => number;
}

/** The way of lines to the operator's channel: each is posted once, and tried again while it is news. */
export function createLines(standings: Standings, { operator, post, log, now }: LinesOptions) {
  const inTurn = createTurns();
  let complaint = "";

  /** Once, so that a channel that takes nothing is not told of each minute. */
  function complain(error: unknown): void {
    const reason = describe(error);
    if (reason !== complaint) log.error("operator.untold", { setting: "OPERATOR_CHANNEL", error: reason });
    complaint = reason;
  }

  async function send(place: OperatorPlace, key: string, line: Line): Promise<void> {
    const { team = "", channel } = place;
    const become = (lines: Line[]) =>
      standings.change(key, (current) => {
        const untold = current.untold.flatMap((each) => (each.key === line.key ? lines : [each]));
        return { ...current, untold };
      });
    const onSend = () => become([{ ...line, sentAt: line.sentAt ?? now() }]);
    const to = { team, channel, key: line.key, sentSince: line.sentAt, onSend };
    if (now() - line.at < newsMs) await post(to, operatorView(line.notice));
    await become([]);
  }

  async function sendAll(): Promise<void> {
    if (!operator) return;
    const waiting = [...(await standings.all())].filter(([, { untold }]) => untold.length > 0);
    for (const [key, { untold }] of waiting) for (const line of untold) await send(operator, key, line);
    complaint = "";
  }

  return {
    /** Sends what is written down and waits; never rejects. */
    sendAll: () => inTurn("", sendAll).catch(complain),
    /** Sends what cannot be written down: where the bot ends before, it is lost. Never rejects. */
    async sendNow(notice: OperatorNotice): Promise<void> {
      if (!operator) return;
      const { team = "", channel } = operator;
      await post({ team, channel }, operatorView(notice)).catch(complain);
    },
  };
}
