/** Baseline of the streaming measurement: a Bolt app that posts the first words and edits the message every second. */
import { app } from "./bare-app.ts";

app.event("app_mention", async ({ event, client }) => {
  const response = await fetch(`${process.env["INTELLIGENCE_URL"]}/generative/generate`, {
    method: "POST",
    body: JSON.stringify({ messages: [{ role: "user", content: { type: "text", text: event.text } }] }),
  });
  let text = "";
  let ts = "";
  let shownAt = 0;
  let shown = "";
  const show = async () => {
    shown = text;
    const body = { channel: event.channel, text: "answer", blocks: [{ type: "markdown" as const, text }] };
    if (ts) await client.chat.update({ ...body, ts });
    else ts = (await client.chat.postMessage({ ...body, thread_ts: event.ts })).ts ?? "";
    shownAt = Date.now();
  };
  let rest = "";
  for await (const chunk of response.body ?? []) {
    const lines = (rest + Buffer.from(chunk).toString()).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines.filter((each) => each.startsWith("data: "))) {
      const data = JSON.parse(line.slice(6)) as { message: { content: { text: string } } };
      text += data.message.content.text;
    }
    if (text && Date.now() - shownAt >= 1_000) await show();
  }
  if (shown !== text) await show();
});
await app.start();
