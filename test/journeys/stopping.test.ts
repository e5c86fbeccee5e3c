import { spawn } from "node:child_process";
import { once } from "node:events";
import { type Socket, connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, expect, it } from "vitest";
import { mention } from "../slack/incoming/receiver.ts";
import { freePort } from "../support/free-port.ts";
import { identity, signed } from "../slack/incoming/served.ts";
import { part, startGenerator } from "../support/generator.ts";
import { buttonOf, markdownOf, says, startConversations } from "../support/journey.ts";
import { type Answerer, json, startUpstream } from "../support/upstream.ts";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** A Slack in which every call goes well; `shown` is what each message says now. */
async function startSlack() {
  const shown = new Map<string, string>();
  const answer: Answerer = (exchange) => {
    const { channel, ts = `${shown.size + 1}.000100`, blocks } = Object.fromEntries(new URLSearchParams(exchange.body));
    if (/chat\.(postMessage|update)$/.test(exchange.path)) shown.set(ts, blocks ?? "");
    return json({ ...identity, channel, ts, messages: [], user: { id: "U1", team_id: "T1" } })(exchange);
  };
  const api = await startUpstream(answer);
  closers.push(() => api.close());
  return { api, shown };
}

/** A bot in HTTP mode, in a process of its own, whose answers never come further than "Half". */
async function startBot(apiUrl: string) {
  const generator = await startGenerator((response) => void response.write(part("Half")));
  const port = await freePort();
  const bot = spawn(process.execPath, ["src/main.ts"], {
    env: {
      SLACK_API_URL: `${apiUrl}/`,
      SLACK_BOT_TOKEN: "xoxb-1",
      SLACK_SIGNING_SECRET: "a-signing-secret",
      PORT: String(port),
      INTELLIGENCE_URL: generator.url,
      STREAMING: "edits",
      INTELLIGENCE_CREDENTIALS: "{}",
      STORE_URL: "sqlite::memory:",
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  closers.push(generator.close, () => bot.kill("SIGKILL"));
  const exit = once(bot, "exit");
  const lines = text(bot.stdout);
  const health = `http://127.0.0.1:${port}/health`;
  await expect.poll(() => fetch(health).then((answer) => answer.ok), { timeout: 20_000 }).toBe(true);
  return { bot, port, exit, lines };
}

it("on SIGTERM every answer says that the bot is stopping, whatever connections are open, and the bot exits cleanly", async () => {
  const { api, shown } = await startSlack();
  const { bot, port, exit, lines } = await startBot(api.url);
  const send = (body: unknown) =>
    fetch(`http://127.0.0.1:${port}/slack/events`, signed(JSON.stringify(body), "application/json"));
  await send(mention("<@UBOT> why?", { channel: "C1" }));
  await send(mention("<@UBOT> why?", { channel: "C2" }));
  await expect.poll(() => [...shown.values()].filter((said) => said.includes("Half")).length).toBe(2);
  const connections: Socket[] = Array.from({ length: 100 }, () => connect(port, "127.0.0.1"));
  closers.push(() => connections.forEach((socket) => socket.destroy()));
  await Promise.all(connections.map((socket) => once(socket, "connect")));
  const halves = [
    "",
    "POST /slack/events HTTP/1.1\r\nhost: x\r\nx-a: ",
    "POST /slack/events HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n{",
  ];
  for (const [index, socket] of connections.entries()) {
    socket.on("error", () => {}).write(halves[index % 3] ?? "");
  }
  // A search of a menu that is not ours.
  const unanswered = send({ type: "block_suggestion", user: { id: "U1", team_id: "T1" } }).catch(() => undefined);
  // Once this is answered, the bot has read what came before.
  expect(await send(null)).toMatchObject({ status: 400 });
  bot.kill("SIGTERM");
  expect(await exit).toEqual([0, null]);
  await unanswered;
  const said = [...shown.values()].filter((words) => /Half.*I’m being restarted/.test(words));
  expect(said).toHaveLength(2);
  expect(await lines).toMatch(/ stopped\n$/);
});

it("each of twenty askers in a channel is told that the bot is restarting, below the answer so far or privately", async () => {
  const bot = await startConversations();
  closers.push(() => bot.stop());
  bot.answers((response) => void response.write(part("Half a")));
  const { newsroom, workspace } = bot;
  const before = workspace.calls.length;
  const questions = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      workspace.say({ channel: newsroom, text: `${bot.mention} why ${index}?` }),
    ),
  );
  const halves = () => bot.ofBot(newsroom).filter((message) => markdownOf([message]) === "Half a");
  await workspace.until(() => halves().length >= 5 && bot.asked().length === 20);
  await bot.stopApp();
  const said = bot.ofBot(newsroom);
  expect(said.map(says(/restart/i))).toEqual(Array.from({ length: 20 }, () => true));
  const roots = questions.map(({ ts }) => ts);
  const alone = said.filter(({ onlyFor }) => onlyFor);
  for (const answer of said.filter(({ onlyFor }) => !onlyFor)) {
    expect(roots).toContain(answer.thread_ts);
    expect(buttonOf(answer, "Try again").action.value).toMatch(/^ask why \d+\?$/);
  }
  expect(alone.every((one) => one.onlyFor === workspace.me && one.thread_ts === undefined)).toBe(true);
  expect(workspace.calls.slice(before).filter(({ outcome }) => outcome !== "ok")).toEqual([]);
  expect(bot.lines.filter((line) => /stop\.unfinished|slack\.undelivered/.test(line))).toEqual([]);
});
