import { type Incoming, createAnswers } from "../../../src/slack/answer/answer.ts";
import { type Respond, createPrivateReply } from "../../../src/slack/answer/private-reply.ts";
import type { Reply } from "../../../src/slack/text/message.ts";
import type { Request, Routes } from "../../../src/slack/incoming/request.ts";
import type { Sharing } from "../../../src/slack/answer/share.ts";
import { type FakeClock, createClock } from "../../support/clock.ts";
import { createWorkspaces } from "../../../src/slack/workspaces/workspaces.ts";
import { createSlack } from "../../support/slack.ts";

export interface Setting {
  run: (request: Request, clock: FakeClock) => Reply | Promise<Reply>;
  explain?: Routes["explain"];
  find?: Routes["find"];
  offer?: Sharing["offer"];
  /** Calls of the response_url that fail, counted from one. */
  refuses?: number[];
}

interface Line {
  level: string;
  event: string;
  fields: Record<string, unknown>;
}

const explainPlainly: Routes["explain"] = (error, last) => ({
  text: `${last ? `${last.text} + ` : ""}${error instanceof Error ? error.message : String(error)}`,
  private: true,
});

export function setUp({
  run,
  explain = explainPlainly,
  find,
  offer = async (message) => message,
  refuses = [],
}: Setting) {
  const clock = createClock();
  const slack = createSlack(clock);
  const lines: Line[] = [];
  const logAt =
    (level: string) =>
    (event: string, fields: Record<string, unknown> = {}) =>
      void lines.push({ level, event, fields });
  const bodies: Parameters<Respond>[0][] = [];
  const respond: Respond = async (body) => {
    bodies.push(body);
    if (refuses.includes(bodies.length)) throw new Error("expired_url");
  };
  const routes: Routes = {
    slashes: ["/news"],
    find:
      find ??
      (() => ({
        name: "news",
        line: "news oil",
        isQuestion: false,
        working: "Searching…",
        run: (request) => run(request, clock),
      })),
    explain,
    rebuild: async () => ({ text: "" }),
    offer: async () => [],
    check: async () => ({}),
    read: () => ({ errors: {} }),
    shortcuts: {},
    home: async () => [],
    reacted: async () => {},
    channelChanged: async () => {},
  };
  const underWay: string[] = [];
  const noted = new Map<string, string>();
  const note = async ({ key, ts = "intended" }: { key: string; ts?: string | undefined }) => {
    noted.set(key, ts);
    underWay.splice(0, Infinity, ...noted.values());
  };
  const forget = async (key: string) => {
    noted.delete(key);
    underWay.splice(0, Infinity, ...noted.values());
  };
  const answers = createAnswers({
    routes,
    sharing: { offer, share: async () => undefined },
    unfinished: { note, forget },
    workspaceOf: createWorkspaces(clock),
    timer: clock,
    log: { debug: logAt("debug"), info: logAt("info"), warn: logAt("warn"), error: logAt("error") },
  });
  const incoming: Incoming = {
    line: "news oil",
    team: "T1",
    user: "U1",
    channel: "C1",
    surface: "mention",
    call: slack.call,
  };
  const ask = (more: Partial<Incoming> = {}) => void answers.begin({ ...incoming, ...more });
  const whispering: Partial<Incoming> = { surface: "slash", replyPrivately: createPrivateReply(respond) };
  const texts = () => slack.messages.map(({ text }) => text);
  return { clock, slack, lines, underWay, noted, bodies, answers, ask, whispering, texts };
}

export const manyMinutes = 10 * 60_000;

/** What stands many minutes after somebody has asked once. */
export async function answered(setting: Setting, more?: Partial<Incoming>) {
  const all = setUp(setting);
  all.ask(more);
  await all.clock.advance(manyMinutes);
  return all;
}
