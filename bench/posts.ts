/** Baseline of the schedule's measurement: a Bolt app that posts one message after another with Slack's own client. */
import { app } from "./bare-app.ts";

app.command("/bellwether", async ({ ack }) => ack());
await app.start();
const channels = JSON.parse(process.env["CHANNELS"] ?? "[]") as string[];
for (let round = 0; round < Number(process.env["ROUNDS"]); round++) {
  for (const channel of channels) await app.client.chat.postMessage({ channel, text: "What is new: one article." });
}
