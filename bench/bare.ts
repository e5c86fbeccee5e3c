/** Baseline of the ack measurement: a Bolt app that does nothing but acknowledge. */
import { App, LogLevel } from "@slack/bolt";

const app = new App({
  token: process.env["SLACK_BOT_TOKEN"] ?? "",
  appToken: process.env["SLACK_APP_TOKEN"] ?? "",
  socketMode: true,
  logLevel: LogLevel.ERROR,
  clientOptions: { slackApiUrl: process.env["SLACK_API_URL"] ?? "" },
});
app.command(/.*/, async ({ ack }) => ack());
await app.start();
