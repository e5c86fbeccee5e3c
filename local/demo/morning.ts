import type { NewsCalendar } from "../sandbox/news.ts";
import type { Sandbox } from "../sandbox/server.ts";
import type { DemoState, WorkspaceMessage } from "../workspace/protocol.ts";
import type { Workspace } from "../workspace/server.ts";
import type { DemoClock } from "./clock.ts";

/** The clock, workspace and services that the morning is played in. */
export interface MorningStage {
  clock: DemoClock;
  workspace: Workspace;
  sandbox: Pick<Sandbox, "hurry">;
  /** Resolves when every job of the bot has run once more. */
  jobsRan: () => Promise<void>;
}

interface Subcommand {
  at: number;
  run: () => Promise<unknown>;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** The times of the morning, in epoch milliseconds. */
export interface MorningPlan {
  begin: number;
  /** The time at which the digests of the day post. */
  digests: number;
  /** The end of the morning, which is now. */
  end: number;
  /** The time zone of the person who looks at it. */
  timeZone: string;
}

/**
 * A quarter of an hour, in milliseconds: the step between possible full hours, as some time zones are 30 or 45 minutes
 * off.
 */
export const quarterMs = 15 * minuteMs;
export const nine = "09:00";
/** The hour of the sample news at which the digests post; no other company's coverage spikes in the hours around it. */
const newsHour = 189;
const newsRunMs = 240 * hourMs;
/** The story that the alert is about: twelve articles in an hour and a quarter, the last one some minutes old. */
const story = { name: "forecast", beganMs: 80 * minuteMs, hourMs: 8 * minuteMs };
/** The times before the end at which the alert is added and somebody asks in its thread, in milliseconds. */
const alertMs = 8 * hourMs;
const askedMs = 24 * minuteMs;

/** Plans the morning before a moment. Its digests post at nine, or at an earlier full hour if it is not ten yet. */
export function planMorning(end: number, timeZone: string): MorningPlan {
  const clockOf = timesIn(timeZone);
  const latest = Math.floor((end - hourMs) / quarterMs) * quarterMs;
  const quarters = Array.from({ length: 24 * 4 }, (_, back) => latest - back * quarterMs);
  const hours = quarters.filter((at) => clockOf(at).endsWith(":00"));
  const nines = hours.filter((at) => clockOf(at) === nine && end - at < clockMs(clockOf(end)) + minuteMs);
  const digests = nines[0] ?? hours[0] ?? latest;
  return { begin: Math.min(digests - 2 * hourMs, end - alertMs), digests, end, timeZone };
}

/** Writes moments as `09:00`. */
export function timesIn(timeZone: string): (at: number) => string {
  const format = new Intl.DateTimeFormat("en-GB", { timeStyle: "short", timeZone });
  return (at) => format.format(at);
}

/** The time from midnight to a time of day such as `09:00`, in milliseconds. */
function clockMs(clock: string): number {
  const [hours = 0, minutes = 0] = clock.split(":").map(Number);
  return hours * hourMs + minutes * minuteMs;
}

/** The times at which the bot may run its jobs: each full hour, when digests post, and often while the story spreads. */
function looks({ begin, digests, end }: MorningPlan): number[] {
  const count = (from: number, stepMs: number) =>
    Array.from({ length: Math.ceil((end - from) / stepMs) }, (_, at) => from + at * stepMs);
  const hourly = count(digests - Math.floor((digests - begin) / hourMs) * hourMs, hourMs);
  return [...hourly, ...count(end - story.beganMs, 6 * minuteMs)];
}

/** The sample news of that morning, the same whatever day it is. */
export function morningNews({ digests, end }: MorningPlan): NewsCalendar {
  const start = (digests - newsHour * hourMs) % newsRunMs;
  return { start, begun: [{ story: story.name, at: end - story.beganMs, hourMs: story.hourMs }] };
}

/** A message of a colleague in a channel; one that begins with `>` is a reply in the thread of the message before. */
interface Line {
  at: number;
  by: string;
  channel: string;
  text: string;
}

function chatter({ digests, end }: MorningPlan): Line[] {
  const before = (minutes: number) => end - minutes * minuteMs;
  const after = (minutes: number) => digests + minutes * minuteMs;
  const line = (at: number, channel: string, by: string, text: string): Line => ({ at, channel, by, text });
  return [
    line(after(-34), "newsroom", "tomas", "Morning all. Front page is thin, what do we have?"),
    line(after(-31), "newsroom", "priya", "Two central bank speeches. I can take both."),
    line(after(4), "newsroom", "ellis", "The chip rule is our lead until somebody finds a better one."),
    line(after(6), "newsroom", "jonas", "> I'll ask in Brussels whether Europe follows."),
    line(before(9), "newsroom", "keiko", "Novalith for the top then. I'll have 400 words in half an hour."),
    line(after(-17), "energy-desk", "keiko", "Spot LNG in Asia is up again, third day in a row."),
    line(after(-17), "energy-desk", "tomas", "> Same story in the storage numbers. Chart by noon?"),
    line(after(-17), "policy", "priya", "The AI liability draft is out for comment, 140 pages."),
    line(after(-17), "random", "jonas", "Coffee machine on 4 is back. You may thank facilities."),
    line(after(-17), "deal-room", "ellis", "Embargo holds until Thursday, 07:00 London."),
    line(after(-17), "regulators-private", "priya", "Filing expected this week. Draft is in the usual place."),
    line(after(-17), "partners", "sam", "Morning from Dublin. We file at noon."),
    line(after(-17), "mpdm", "tomas", "Shall we ask in here what moves oil?"),
  ];
}

/** The number of characters at the beginning of an alert that hold its title. */
const titleMost = 60;
/** The question that is asked in the alert's thread. */
const question = "why is Novalith in the news, and what comes next?";

/**
 * Plays a morning with a bot that has just started. The clock begins in the past; at the end it shows the present.
 * Colleagues talk, digests post, an alert fires and grows, and somebody asks in its thread. Resolves with the channel
 * and thread that the page opens at.
 */
export async function playMorning(stage: MorningStage, plan: MorningPlan): Promise<DemoState["opening"]> {
  const { clock, workspace, sandbox, jobsRan } = stage;
  const desk = createDesk(workspace);
  let opening: DemoState["opening"];

  async function passTo(at: number): Promise<void> {
    const minutes = Math.ceil((at - clock.now()) / minuteMs);
    if (minutes < 1) return;
    const ran = jobsRan();
    clock.jump(Math.min(minutes * minuteMs, -clock.offset()));
    await ran;
  }

  async function askBelowAlert(): Promise<void> {
    const alert = desk.latest("newsroom", ({ text }) => text.slice(0, titleMost).includes("Novalith"));
    if (!alert) throw new Error("no alert about Novalith");
    await desk.ask("tomas", alert, question);
    opening = { channel: alert.channel, thread: alert.ts };
  }

  const { begin, digests, end, timeZone } = plan;
  const daily = (time: string) => `daily at ${time} ${timeZone}`;
  const subscribe = (by: string, channel: string, what: string) => () => desk.command(by, channel, what);
  const first = timesIn(timeZone)(digests);
  const subcommands: Subcommand[] = [
    { at: begin, run: subscribe("tomas", "newsroom", "/alerts add company every minute") },
    {
      at: digests - 80 * minuteMs,
      run: subscribe("priya", "newsroom", `/digests add search central bank hourly ${timeZone}`),
    },
    { at: digests - 25 * minuteMs, run: subscribe("tomas", "newsroom", `/digests add search chip ${daily(first)}`) },
    {
      at: digests - 25 * minuteMs,
      run: subscribe("keiko", "energy-desk", `/digests add search oil ${daily(first)} compact`),
    },
    ...chatter(plan).map((line) => ({ at: line.at, run: () => desk.say(line) })),
    { at: end - askedMs, run: askBelowAlert },
    ...looks(plan).map((at) => ({ at, run: async () => {} })),
  ];
  if (first !== nine) {
    // From tomorrow on, the digests post at nine.
    const edit = (by: string, channel: string, number: number) =>
      subscribe(by, channel, `/digests edit ${number} ${daily(nine)}`);
    subcommands.push({ at: digests + 2 * minuteMs, run: edit("tomas", "newsroom", 2) });
    subcommands.push({ at: digests + 2 * minuteMs, run: edit("keiko", "energy-desk", 3) });
  }
  sandbox.hurry(true);
  try {
    for (const { at, run } of subcommands.toSorted((one, other) => one.at - other.at)) {
      await passTo(at);
      await run();
    }
    await passTo(end);
  } finally {
    sandbox.hurry(false);
    clock.jump(-clock.offset());
  }
  return opening;
}

/** The actions of colleagues in the workspace. */
function createDesk(workspace: Workspace) {
  const { botUser } = workspace.ids;
  const { users, conversations } = workspace.state();
  const idOf = (name: string) => users.find((user) => user.name === name)?.id ?? name;
  const channelOf = (name: string) =>
    conversations.find((one) => one.name === name || (name === "mpdm" && one.kind === "mpim"))?.id ?? name;
  const latest = (channel: string, fits: (message: WorkspaceMessage) => boolean) =>
    workspace
      .messages(channelOf(channel))
      .findLast((message) => message.user === botUser && message.thread_ts === undefined && fits(message));

  return {
    latest,
    say({ by, channel: name, text }: Line) {
      const channel = channelOf(name);
      const above = workspace.messages(channel).findLast(({ user }) => user !== botUser);
      const isReply = text.startsWith("> ");
      const thread = isReply && above ? { thread_ts: above.ts } : {};
      return workspace.say({ user: idOf(by), channel, text: text.replace(/^> /, ""), ...thread });
    },
    /** Types a command; resolves when the bot has answered it. */
    async command(by: string, name: string, text: string) {
      const [user, channel] = [idOf(by), channelOf(name)];
      const replies = () => workspace.messages(channel).filter(({ onlyFor }) => onlyFor === user).length;
      const before = replies();
      await workspace.say({ user, channel, text });
      await workspace.until(() => replies() > before, waitMs);
    },
    /** Asks in a thread; resolves when the answer is complete. */
    async ask(by: string, { channel, ts }: WorkspaceMessage, text: string) {
      await workspace.say({ user: idOf(by), channel, text: `<@${botUser}> ${text}`, thread_ts: ts });
      const isComplete = (message: WorkspaceMessage) =>
        message.user === botUser &&
        message.thread_ts === ts &&
        !message.streaming &&
        /Sources/.test(JSON.stringify(message.blocks));
      await workspace.until(() => workspace.messages(channel).findLast(isComplete), waitMs);
    },
  };
}

/** The longest wait for an answer of the bot, in milliseconds. */
const waitMs = 10_000;
