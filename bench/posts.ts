/** Baseline of the schedule's measurement: a Bolt app that posts one message after the other with Slack's own client. */
import { App, LogLevel } from "@slack/bolt";

const app = new App({
  token: process.env["SLACK_BOT_TOKEN"] ?? "",
  appToken: process.env["SLACK_APP_TOKEN"] ?? "",
  socketMode: true,
  logLevel: LogLevel.ERROR,
  clientOptions: { slackApiUrl: process.env["SLACK_API_URL"] ?? "" },
});

app.command("/bellwether", async ({ ack }) => ack());
await app.start();
const channels = JSON.parse(process.env["CHANNELS"] ?? "[]") as string[];
for (let round = 0; round < Number(process.env["ROUNDS"]); round++) {
  for (const channel of channels) await app.client.chat.postMessage({ channel, text: "What is new: one article." });
}
