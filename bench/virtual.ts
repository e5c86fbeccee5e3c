/** Answers that grow, measured on a clock of their own: minutes pass in moments. */
import type { Call } from "../src/slack/delivery/web-api.ts";
import { type FakeClock, createClock } from "../test/support/clock.ts";
import { type Limit, createSlack } from "../test/support/slack.ts";
import { type Figures, type Script, figuresOf, watch } from "./course.ts";
import type { Editor } from "./editors.ts";

/** Makes what shows the answers, before a Slack. */
export type MakeEditor = (clock: FakeClock, call: Call) => Editor;

interface Race {
  make: MakeEditor;
  scripts: Script[];
  limit: Limit;
  /** How often the same work was done before, long enough ago that no call of it counts any more. */
  rehearsals?: number;
}

/** Shows the answers of all scripts in one workspace and measures what readers see. */
export async function race({ make, scripts, limit, rehearsals = 0 }: Race): Promise<Figures> {
  const clock = createClock();
  const slack = createSlack(clock, { limit });
  const edit = make(clock, slack.call);
  for (let round = 0; ; round++) {
    const channels = scripts.map((_, index) => `C${index}`);
    const watched = scripts.map((script, index) => watch(script, channels[index] ?? "", { clock, slack }));
    const byChannel = new Map(channels.map((channel, index) => [channel, watched[index]]));
    slack.onEdit = ({ channel }) => byChannel.get(channel)?.look();
    slack.onPost = () => byChannel.get(slack.messages.at(-1)?.channel ?? "")?.look();
    const work = scripts.map(async (script, index) => {
      await clock.sleep(script.startMs);
      // What an editor does not get over counts as an answer that is not exact.
      await edit(script, channels[index] ?? "").catch(() => undefined);
    });
    await clock.until(Promise.all(work));
    if (round === rehearsals)
      return figuresOf(
        watched.map((one) => one.result()),
        slack,
      );
    await clock.advance(600_000);
    slack.messages.length = 0;
    slack.calls.length = 0;
  }
}
