/** The Bolt app of the baselines: Socket Mode and nothing else. */
import { App, LogLevel } from "@slack/bolt";

export const app = new App({
  token: process.env["SLACK_BOT_TOKEN"] ?? "",
  appToken: process.env["SLACK_APP_TOKEN"] ?? "",
  socketMode: true,
  logLevel: LogLevel.ERROR,
  clientOptions: { slackApiUrl: process.env["SLACK_API_URL"] ?? "" },
});
