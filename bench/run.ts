/** `npm run bench`: how fast it is, beside a named baseline in the same run. */
import { startAcks } from "./acks.ts";
import { startTokens, streamAnswers } from "./answers.ts";
import { mean, percentile, printTable, startContender } from "./contenders.ts";
import { startUps } from "./start.ts";

const bot = "src/main.ts";
const seconds = (ms: number) => (Number.isFinite(ms) ? (ms / 1000).toFixed(2) : "never");

await benchStart();
await benchAcks();
await benchAnswers();
process.exit(0);

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
  const bare = await startAcks("bench/bare.ts", 0);
  const row = (name: string, times: number[]) => [
    name,
    ...[0.5, 0.99, 1].map((share) => percentile(times, share).toFixed(1)),
  ];
  printTable("Ack of a slash command (milliseconds)", [
    ["", "median", "p99", "worst"],
    row("Bellwether, 20 answers streaming", ours),
    row("a bare Bolt app that only acks", bare),
    ["ratio of the medians", (percentile(ours, 0.5) / percentile(bare, 0.5)).toFixed(1), "", ""],
  ]);
}

async function benchAnswers(): Promise<void> {
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
  for (const count of [1, 5, 20]) {
    for (const [name, script] of [
      ["Bellwether", bot],
      ["edit every second", "bench/plain.ts"],
    ] as const) {
      const tokens = await startTokens();
      const contender = await startContender(script, { INTELLIGENCE_URL: tokens.url, INTELLIGENCE_CREDENTIALS: "{}" });
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
  printTable("Streaming: 300 tokens at 25 a second, 50 edits in any 60 seconds, 80 ms a call (seconds)", rows);
}
