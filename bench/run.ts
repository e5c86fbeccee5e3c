/** `npm run bench`: the bot's speed, beside a named baseline in the same run; `npm run bench acks` runs one bench. */
import { startAcks, startAcksBesideResults } from "./acks.ts";
import { startTokens, streamAnswers } from "./answers.ts";
import { mean, percentile, printTable, startContender } from "./contenders.ts";
import { seedAlerts, seedDigests } from "./deliveries.ts";
import { evaluateTicks } from "./evaluate.ts";
import { judgeAlerts } from "./judgement-alerts.ts";
import { raceClients, raceRows } from "./line.ts";
import { parseRows, parseStreams } from "./parse.ts";
import {
  firstRows,
  joinTwins,
  labelledSet,
  paceRows,
  readLabelled,
  sampleRows,
  shownRows,
  storyRows,
  textsOf,
} from "./judgement.ts";
import { drain, drainPlainly, drainRows } from "./schedule.ts";
import { startUps } from "./start.ts";
import { busyRows, costRows, hostileRows, mixRows, streamRows } from "./streams.ts";
import { talkRows } from "./talk.ts";
import { crossRows, writeModel } from "./talk-train.ts";
import { walkAll, walkRows } from "./walk.ts";
import { worstRows } from "./worst.ts";

const bot = "src/main.ts";
const seconds = (ms: number) => (Number.isFinite(ms) ? (ms / 1000).toFixed(2) : "never");

const talkTitle = "Plain sentences: wishes that become what was meant, and questions that are taken for wishes";
const talkHead = ["set", "sentences", "right", "missed", "wrong or taken", "wrong and unseen"];

const benches: Record<string, () => Promise<void>> = {
  start: benchStart,
  acks: benchAcks,
  answers: benchAnswers,
  requests: benchRequests,
  parse: benchParse,
  schedule: benchSchedule,
  evaluate: benchEvaluate,
  walk: benchWalk,
  talk: benchTalk,
  "talk-train": async () => writeModel(),
  "talk-cross": benchTalkCross,
  judgement: benchJudgement,
  "judgement-alerts": benchJudgementAlerts,
};

/** Benches that run only if they are named, because they do not measure speed. */
const onlyNamed = ["talk-train", "talk-cross", "judgement", "judgement-alerts"];

const wanted = process.argv.slice(2);
for (const [name, bench] of Object.entries(benches)) {
  if (wanted.length === 0 ? !onlyNamed.includes(name) : wanted.includes(name)) await bench();
}
process.exit(0);

/** Measures plain sentences; `npm run bench talk FILE` adds a file of sentences that are not requests, one a line. */
async function benchTalk(): Promise<void> {
  const files = wanted.filter((each) => each.includes("/"));
  printTable(talkTitle, [talkHead, ...talkRows(files)]);
}

/** Measures models that each learned from the other files only; takes three minutes. */
async function benchTalkCross(): Promise<void> {
  printTable(talkTitle, [talkHead, ...crossRows()]);
}

async function benchStart(): Promise<void> {
  const { ours, bare } = await startUps(5);
  printTable("Start: npm start to the printed address, beside Node running an empty file (seconds)", [
    ["", "median", "worst"],
    ["Bellwether, with workspace and sandbox", seconds(percentile(ours, 0.5)), seconds(Math.max(...ours))],
    ["npm and Node alone", seconds(percentile(bare, 0.5)), seconds(Math.max(...bare))],
    ["ratio", (mean(ours) / mean(bare)).toFixed(1), ""],
  ]);
}

async function benchAcks(): Promise<void> {
  const ours = await startAcks(bot, 20);
  const beside = await startAcksBesideResults(bot);
  const bare = await startAcks("bench/bare.ts", 0);
  const row = (name: string, times: number[]) => [
    name,
    ...[0.5, 0.99, 1].map((share) => percentile(times, share).toFixed(1)),
  ];
  printTable("Ack of a slash command (milliseconds)", [
    ["", "median", "p99", "worst"],
    row("Bellwether, 20 answers streaming", ours),
    row("Bellwether, an answer with 10 MB of results of tools", beside),
    row("a bare Bolt app that only acks", bare),
    ["ratio of the medians", (percentile(ours, 0.5) / percentile(bare, 0.5)).toFixed(1), "", ""],
  ]);
}

async function benchAnswers(): Promise<void> {
  const work = "600 tokens at 25 a second, all within a second, 80 ms a call (seconds of a clock that runs ahead)";
  printTable(`Streaming: ${work}, limits as a window`, await streamRows("window"));
  printTable(`Streaming: ${work}, limits as a bucket`, await streamRows("bucket"));
  const mixed = "20 answers over a minute, lengths, speeds and pauses drawn by lot";
  printTable(`Streaming: ${mixed}`, await mixRows());
  printTable("Streaming: after five busy minutes", await busyRows());
  await benchCost();
  await benchProcess();
}

async function benchCost(): Promise<void> {
  printTable("Streaming: one answer at 100 tokens a second (milliseconds of processor per 1,000)", await costRows());
  printTable("Streaming: the same with texts that are hard to read", await hostileRows());
}

async function benchProcess(): Promise<void> {
  const rows = [
    [
      "answers at once",
      "contender",
      "first words, worst",
      "staleness, mean",
      "tail, worst",
      "refused",
      "exact",
      "memory",
    ],
  ];
  for (const count of [1, 20]) {
    for (const [name, script] of [
      ["Bellwether", bot],
      ["edit every second", "bench/plain.ts"],
    ] as const) {
      const tokens = await startTokens();
      const contender = await startContender(script, {
        INTELLIGENCE_URL: tokens.url,
        INTELLIGENCE_CREDENTIALS: "{}",
        // One person asks all questions.
        QUESTIONS_PER_MINUTE: "100",
        ANSWERS_AT_ONCE: "100",
      });
      const figures = await streamAnswers(contender, tokens.courses, count);
      const { firstWorst, stalenessMean, tailWorst, refused, exact } = figures;
      const memory = `${await contender.memory()} MB`;
      rows.push([
        String(count),
        name,
        ...[firstWorst, stalenessMean, tailWorst].map(seconds),
        String(refused),
        `${exact}/${count}`,
        memory,
      ]);
      await contender.stop();
      await tokens.close();
    }
  }
  printTable(
    "Streaming, in a process of its own: 300 tokens at 25 a second, 50 edits in any 60 seconds, 80 ms a call (seconds)",
    rows,
  );
}

async function benchRequests(): Promise<void> {
  const title = "Requests a second through the gateway's client, 50 at a time, the service in a thread of its own";
  printTable(title, raceRows(await raceClients()));
}

async function benchParse(): Promise<void> {
  const title = "Event streams that arrive byte by byte (nanoseconds a byte)";
  printTable(title, parseRows(await parseStreams()));
  printTable("Readers of text on the worst text that a search finds for each (milliseconds)", worstRows());
}

async function benchSchedule(): Promise<void> {
  const posts = 10_000;
  const rows = drainRows([
    ["digests, for three minutes", await drain({ posts, seed: seedDigests, mostMs: 180_000 })],
    ["alerts, for one minute", await drain({ posts, seed: seedAlerts, mostMs: 60_000 })],
    ["a loop that posts one after the other", await drainPlainly({ posts, mostMs: 30_000 })],
  ]);
  printTable(
    "10,000 digests due in one minute, 500 channels, 500 filters, 300 posts a minute, 80 ms a call, a command every quarter second",
    rows,
  );
}

async function benchEvaluate(): Promise<void> {
  await evaluateTicks(2_000);
  const { bare, whole, plain, sources, incidents } = await evaluateTicks();
  const row = (name: string, ms: number) => [name, ms.toFixed(0), (ms / bare).toFixed(1)];
  const standing = incidents.toLocaleString("en");
  printTable(
    `One tick of 10,000 trending alerts against 100 entities, ${standing} rises under way, nothing new (ms of processor)`,
    [
      ["", "a tick", "ratio"],
      row("the rules alone", bare),
      row("with what is due, its next time and the store in memory", whole),
      row("the rules, the sample not prepared for all at once", plain),
      row("as many alerts on 500 sources, each read once", sources),
    ],
  );
}

async function benchJudgementAlerts(): Promise<void> {
  const { chance, clumps, busy, first, full } = await judgeAlerts();
  printTable("Alerts on generated sources: articles by chance, with a rhythm of the day and of the week", chance);
  printTable("The same with articles in clumps of two on average", clumps);
  if (busy) printTable("Alerts on busy series: mentions of ten companies in 55 days, from the benchmark in NAB", busy);
  else console.log("\nBusy series: name a copy of the public repository numenta/NAB in NAB.");
  printTable("A balanced alert that was set two minutes before", first);
  printTable("A balanced alert on a source that fills each read, every 15 minutes", full);
}

async function benchWalk(): Promise<void> {
  printTable("Files and named functions of the bot that run for one of each", walkRows(await walkAll()));
}

async function benchJudgement(): Promise<void> {
  const [path] = wanted.filter((each) => !Object.hasOwn(benches, each));
  if (path === undefined) {
    process.stdout.write(
      `Fetch the labelled headlines, then name the file: npm run bench judgement FILE\n${labelledSet}\n`,
    );
    return;
  }
  const events = await readLabelled(path);
  const joined = joinTwins(events);
  const sets = {
    headlines: events,
    "texts made of three headlines": textsOf(events),
    "headlines, double labels joined": joined,
    "texts, double labels joined": textsOf(joined),
  };
  for (const [set, own] of Object.entries(sets)) {
    printTable(`Stories among 100 articles of a day, 40 days (${set})`, storyRows(own));
    printTable(`A story that a channel was shown, when another report comes (${set})`, shownRows(own));
    printTable(`What stands first, 60 days, 8 of the 50 newest of 60 articles (${set})`, firstRows(own));
  }
  printTable("Stories of the sample news, 100 articles at a time", sampleRows());
  printTable("Articles into stories (ms of processor)", paceRows(events));
}
