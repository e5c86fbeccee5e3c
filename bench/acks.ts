import { startTokens } from "./answers.ts";
import { startContender } from "./contenders.ts";

const commands = 300;
const everyMs = 25;

/** Milliseconds from a slash command to its ack, for many commands in a row, while `answers` answers stream. */
export async function startAcks(script: string, answers: number): Promise<number[]> {
  const tokens = await startTokens();
  const contender = await startContender(script, { INTELLIGENCE_URL: tokens.url, INTELLIGENCE_CREDENTIALS: "{}" });
  const { workspace } = contender;
  const channel = workspace.state().conversations.find(({ name }) => name === "newsroom")?.id ?? "";
  const times: number[] = [];
  // Both are measured warm, as a service that runs for weeks is.
  for (let warm = 0; warm < 20; warm++) await workspace.say({ channel, text: "/bellwether help" });
  for (let index = 0; index < answers; index++) {
    void workspace.say({ channel, text: `<@${workspace.ids.botUser}> question${index}?` });
  }
  await workspace.until(() => tokens.courses.size >= answers, 30_000);
  for (let index = 0; index < commands; index++) {
    const since = performance.now();
    await workspace.say({ channel, text: "/bellwether help" });
    times.push(performance.now() - since);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
  await contender.stop();
  await tokens.close();
  return times;
}
