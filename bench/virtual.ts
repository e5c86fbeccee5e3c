/** Growing answers, measured on a virtual clock: minutes pass in moments. */
import type { Call } from "../src/slack/delivery/web-api.ts";
import { type FakeClock, createClock } from "../test/support/clock.ts";
import { type Limit, createSlack } from "../test/support/slack.ts";
import { type StreamFigures, type Script, figuresOf, watch } from "./course.ts";
import type { Editor } from "./editors.ts";

/** Makes the editor that shows the answers, on a clock and with calls of Slack. */
export type MakeEditor = (clock: FakeClock, call: Call) => Editor;

interface Race {
  make: MakeEditor;
  scripts: Script[];
  limit: Limit;
  /** The answers that were shown in the minutes before, one list per minute. */
  before?: Script[][];
}

const minuteMs = 60_000;

/** Shows the answers of all scripts in one workspace and measures what readers see. */
export async function race({
  make,
  scripts,
  limit,
  before = [],
}: Race): Promise<StreamFigures & { refusedBefore: number }> {
  const clock = createClock();
  const slack = createSlack(clock, { limit });
  const edit = make(clock, slack.call);

  async function show(shown: Script[]): Promise<StreamFigures> {
    slack.messages.length = 0;
    slack.calls.length = 0;
    const channels = shown.map((_, index) => `C${index}`);
    const watched = shown.map((script, index) => watch(script, channels[index] ?? "", { clock, slack }));
    const byChannel = new Map(channels.map((channel, index) => [channel, watched[index]]));
    slack.onEdit = ({ channel }) => byChannel.get(channel)?.observe();
    slack.onPost = () => byChannel.get(slack.messages.at(-1)?.channel ?? "")?.observe();
    const work = shown.map(async (script, index) => {
      await clock.sleep(script.startMs);
      // An error that stops an editor counts as an answer that is not exact.
      await edit(script, channels[index] ?? "").catch(() => undefined);
    });
    await clock.until(Promise.all(work));
    const results = watched.map((one) => one.result());
    return figuresOf(results, slack);
  }

  for (const minute of before) {
    const end = clock.now() + minuteMs;
    await show(minute);
    if (clock.now() < end) await clock.advance(end - clock.now());
  }
  // Slack no longer counts any call of those minutes.
  if (before.length > 0) await clock.advance(minuteMs + 1_000);
  const refusedBefore = slack.refusals;
  slack.refusals = 0;
  return { ...(await show(scripts)), refusedBefore };
}
