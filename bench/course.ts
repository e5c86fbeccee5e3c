/** Token streams with known times, and what a reader sees of them. */
import type { FakeClock } from "../test/support/clock.ts";
import type { FakeSlack } from "../test/support/slack.ts";

/** An answer: its start, and its tokens, each with its time after that. */
export interface Script {
  startMs: number;
  /** Whether readers see a sign of work until the first token. */
  isThinking?: boolean;
  tokens: { afterMs: number; text: string }[];
}

export interface StreamFigures {
  /** Times in milliseconds; `refused` and `calls` are counts. */
  firstWorst: number;
  mean: number;
  p95: number;
  worst: number;
  /** The mean of the answer with the largest mean. */
  worstMean: number;
  tailWorst: number;
  refused: number;
  calls: number;
  exact: number;
}

const sampleMs = 40;

/** Answers of the same length and speed that begin within a second, with or without some thought first. */
export function flock(answers: number, tokens: number, perSecond: number, thinkingMs = 0): Script[] {
  return Array.from({ length: answers }, (_, index) => ({
    startMs: (index * 1_000) / answers,
    isThinking: thinkingMs > 0,
    tokens: Array.from({ length: tokens }, (__, token) => ({
      afterMs: thinkingMs + (token * 1_000) / perSecond,
      text: word(token),
    })),
  }));
}

/** Answers over a minute, with random lengths, speeds and pauses; the same for the same seed. */
export function mix(answers: number, seed: number): Script[] {
  const random = lots(seed);
  return Array.from({ length: answers }, () => {
    const perSecond = 8 + random() ** 2 * 72;
    const length = Math.round(40 + random() ** 2 * 1_100);
    let afterMs = 0;
    const tokens = Array.from({ length }, (_, token) => {
      const isPause = random() < 0.006;
      afterMs += isPause ? 1_000 + random() * 4_000 : (1_000 / perSecond) * (0.4 + random() * 1.2);
      return { afterMs, text: word(token) };
    });
    return { startMs: random() * 60_000, tokens };
  });
}

/** Tokens as models write them: four and a half characters on average. */
const pieces =
  " of oil| is|ing| supply| at| a|,| mar|kets| to| rise| fell|er| on| the| news|.| Prices|s| in| two| days".split("|");

function word(token: number): string {
  return pieces[(token * 7) % pieces.length] ?? "";
}

/** Random numbers from 0 to 1, by Mulberry32. */
export function lots(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Samples one reader's view from the first token until the whole answer is visible. */
export function watch(script: Script, channel: string, { clock, slack }: { clock: FakeClock; slack: FakeSlack }) {
  const start = clock.now() + script.startMs;
  const whole = script.tokens.map(({ text }) => text).join("");
  const ends: number[] = [];
  for (const { text } of script.tokens) ends.push((ends.at(-1) ?? 0) + text.length);
  const ages: number[] = [];
  let firstAt: number | undefined;
  let doneAt: number | undefined;
  let seen = 0;
  const shown = () =>
    slack.messages
      .filter((message) => message.channel === channel)
      .flatMap(({ blocks }) => blocks.map((block) => (block.type === "markdown" ? block.text : "")))
      .join("");
  const observe = () => {
    const text = shown();
    if (!whole.startsWith(text)) return;
    seen = ends.findLastIndex((end) => end <= text.length) + 1;
    if (seen > 0) firstAt ??= clock.now();
    if (text === whole) doneAt ??= clock.now();
  };
  const sample = () => {
    const now = clock.now();
    const oldest = script.tokens[seen];
    const isBegun = now >= start + (script.tokens[0]?.afterMs ?? 0);
    if (isBegun) ages.push(oldest ? Math.max(0, now - start - oldest.afterMs) : 0);
    if (doneAt === undefined && now < start + 400_000) clock.after(sampleMs, sample);
  };
  clock.after(script.startMs, sample);
  return {
    observe,
    result: () => ({
      ages,
      first: (firstAt ?? Number.POSITIVE_INFINITY) - start - (script.tokens[0]?.afterMs ?? 0),
      tail: (doneAt ?? Number.POSITIVE_INFINITY) - start - (script.tokens.at(-1)?.afterMs ?? 0),
      isExact: shown() === whole,
    }),
  };
}

type Seen = ReturnType<ReturnType<typeof watch>["result"]>;

/** The figures of all answers that were watched together. */
export function figuresOf(seen: Seen[], slack: FakeSlack): StreamFigures {
  const ages = seen.flatMap((one) => one.ages).toSorted((one, other) => one - other);
  const means = seen.map((one) => average(one.ages));
  return {
    firstWorst: Math.max(...seen.map(({ first }) => first)),
    mean: average(ages),
    p95: ages[Math.floor(ages.length * 0.95)] ?? Number.NaN,
    worst: ages.at(-1) ?? Number.NaN,
    worstMean: Math.max(...means),
    tailWorst: Math.max(...seen.map(({ tail }) => tail)),
    refused: slack.refusals,
    calls: slack.calls.length,
    exact: seen.filter(({ isExact }) => isExact).length,
  };
}

function average(numbers: number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}
