import type { Message } from "../../src/slack/text/message.ts";
import { messageText } from "./message-text.ts";
import { openStage } from "./stage.ts";
import { generated } from "./tables.ts";

/** What people see, as text: the real commands and jobs on the sample news of one day. */
export async function screensPage(): Promise<string> {
  const shown = await screens();
  return [
    generated,
    "# Screens",
    "What Bellwether shows, as text: a change of words is a change in this file. `[…]` can be pressed, `·` is small print, `┌` and `└` are the frame of a window. The news is sample news; all companies in it are fictional.",
    ...shown.map(({ title, text }) =>
      text === undefined ? `## ${title}` : `### ${title}\n\n\`\`\`text\n${text}\n\`\`\``,
    ),
    "",
  ].join("\n\n");
}

interface Screen {
  title: string;
  /** Missing where it is the heading of those that follow. */
  text?: string;
}

const eight = Date.UTC(2026, 10, 20, 8);
const nine = Date.UTC(2026, 10, 20, 9);
const minuteMs = 60_000;

async function screens(): Promise<Screen[]> {
  const stage = await openStage(eight);
  const shown: Screen[] = [];
  const part = (title: string) => void shown.push({ title });
  const show = (title: string, message: Message) => void shown.push({ title, text: messageText(message) });

  /** What each of these lines is answered with. */
  async function say(...lines: string[]): Promise<void> {
    for (const line of lines) show(`\`${line}\``, await stage.say(line));
  }

  try {
    part("Finding out");
    await say("/bellwether help", "/bellwether help more", "/bellwether help digests", "/bellwether help alerts");
    await say("/news chip export", "/news zzz", "/news channel 501", "/bellwether channels");
    await say("/bellwether channels show 501");
    await say("/trending", "/trending company", "/company Novalith Semiconductor", "/company Novalit");
    await say("/summary chip export");
    show(
      "`@Bellwether why are chip makers in the news?`",
      await stage.say("why are chip makers in the news?", "mention"),
    );
    await say("/bellwether collections", "/bellwether insights", "/bellwether jurisdictions");
    await say("/bellwether models", "/bellwether threads");

    part("Watchlists");
    await say("/watchlists list", "/watchlists new");
    await say("/watchlists new Chip makers: Novalith, ARDN + Trade and Export Controls, -Oil and Gas");
    await say("/watchlists new Banks: Rhenmrk, Lysandre, Nobody Known", "/watchlists share Chip makers");
    await say("/news watchlist Chip makers", "/watchlists list", "/watchlists edit Chip makers");
    await say("/watchlists remove Chip makers", "/watchlists show Chip makers", "/bellwether help watchlists");

    part("Alerts");
    await say("/alerts list", "/alerts add", "/alerts add company every minute eager");
    await stage.pass(1);
    await spike(stage, show);
    await say(
      "/alerts list",
      "/alerts test 1",
      "/alerts why Novalith Semiconductor",
      "/alerts why-not Nordskar Petroleum",
    );
    await say("/alerts mute Novalith Semiconductor 1d", "/alerts unmute Novalith Semiconductor");
    await say("/alerts mute Novalith Semiconductor 5 years", "/alerts mute Nobody Known 1d");
    await say("/alerts edit 1 quiet", "/alerts pause 1", "/alerts resume 1", "/alerts history 1", "/alerts remove 1");

    part("Digests");
    await say("/digests list", "/digests add", '/digests add search "chip" daily at 9:00');
    await say(
      "/digests add channel 501 daily at 9:00 --compact --max 3",
      "/digests add trending company daily at 9:00",
    );
    await say("/digests test 1");
    for (const message of await digestsAtNine(stage)) show("A digest at 9:00", message);
    await say("/digests list", "/digests mute 1 1w", "/digests pause 1", "/digests history 1", "/digests remove 2");

    part("Running it");
    await say("/bellwether usage", "/bellwether status", "/bellwether doctor");
    show("Home", { text: "Home", blocks: await stage.home() });

    part("What can’t be done");
    await say("/bellwether nwes oil", "/news", "/ask --sinc 7d what changed?", "/company Zzyzx");
    await say("/digests add search oil every blue moon", "/digests edit 99 daily at 9:00", "/alerts add banana hourly");
    stage.sandbox.fail({ fault: "server_error", path: "/gateway", times: 10 });
    await say("/news oil");
  } finally {
    await stage.close();
  }
  return shown;
}

type Stage = Awaited<ReturnType<typeof openStage>>;

/** What an alert posts of one spike from its beginning to its end, and of two at once. */
async function spike({ posts, sandbox, pass }: Stage, show: (title: string, message: Message) => void) {
  /** The message in the channel as it reads now, and what has been added to its thread. */
  const course: [title: string, mentions: number, minutes: number][] = [
    ["A spike", 15, 2],
    ["The same spike, growing", 45, 2],
    ["The same spike, over", 0, 20],
  ];
  for (const [title, mentions, minutes] of course) {
    const before = posts.length;
    sandbox.surge({ name: "Novalith Semiconductor", mentions });
    await pass(minutes);
    const [first, ...replies] = posts;
    if (first) show(title, first.message);
    for (const { message } of replies.slice(Math.max(0, before - 1))) show(`${title}, in its thread`, message);
  }
  const before = posts.length;
  for (const name of ["Paylantic", "Skagerrak Wind"]) sandbox.surge({ name, mentions: 30 });
  await pass(2);
  for (const { message } of posts.slice(before)) show("One of two spikes that are two events", message);
  sandbox.clearSurges();
  await pass(20);
}

/** They are posted at the same time, in any order. */
async function digestsAtNine({ posts, leap, pass }: Stage): Promise<Message[]> {
  const before = posts.length;
  leap(nine - minuteMs);
  await pass(1);
  const messages = posts.slice(before).map(({ message }) => message);
  return messages.toSorted((one, other) => (one.text < other.text ? -1 : 1));
}
