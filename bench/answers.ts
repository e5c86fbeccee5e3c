import { part, startGenerator } from "../test/support/generator.ts";
import { markdownOf } from "../test/support/journey.ts";
import { type Contender, mean } from "./contenders.ts";

const tokens = 300;
const tokenMs = 40;

interface Course {
  emitted: number[];
  seen: number;
  firstSeen?: number;
  doneAt?: number;
  staleness: number[];
}

export interface AnswerFigures {
  /** The longest time to a first word, in milliseconds, as are the other two times. */
  firstWorst: number;
  stalenessMean: number;
  tailWorst: number;
  refused: number;
  exact: number;
}

/** A news service that writes 25 tokens a second for each question and notes the time of each. */
export async function startTokens() {
  const courses = new Map<string, Course>();
  const generator = await startGenerator(async (response, body) => {
    const question = /question\d+/.exec(body.messages.at(-1)?.content.text ?? "")?.[0] ?? "";
    const course: Course = { emitted: [], seen: 0, staleness: [] };
    courses.set(question, course);
    for (let token = 0; token < tokens; token++) {
      course.emitted.push(performance.now());
      response.write(part(`${question}.${token} `));
      await new Promise((resolve) => setTimeout(resolve, tokenMs));
    }
    response.end();
  });
  return { url: generator.url, close: generator.close, courses };
}

/** Asks `count` questions within a second and measures when readers see the answers. */
export async function streamAnswers(
  { workspace }: Contender,
  courses: Map<string, Course>,
  count: number,
): Promise<AnswerFigures> {
  courses.clear();
  // Not in direct messages: a bare app gets no mention event there.
  const channels = workspace
    .state()
    .conversations.filter(
      ({ kind, members }) => ["channel", "private"].includes(kind) && members.includes(workspace.ids.botUser),
    );
  const stop = workspace.watch((event) => {
    if (event.type === "message" || event.type === "message_changed") see(courses, markdownOf([event.message]));
  });
  const sampler = setInterval(() => sample(courses), 20);
  for (let index = 0; index < count; index++) {
    const channel = channels[index % channels.length]?.id ?? "";
    void workspace.say({ channel, text: `<@${workspace.ids.botUser}> question${index}?` });
    await new Promise((resolve) => setTimeout(resolve, 1_000 / count));
  }
  const all = () => courses.size === count && [...courses.values()].every((course) => course.doneAt);
  await workspace.until(all, 240_000).catch(() => undefined);
  clearInterval(sampler);
  stop();
  return figuresOf([...courses.values()], workspace.calls.filter(({ outcome }) => outcome === "429").length);
}

function see(courses: Map<string, Course>, markdown: string): void {
  const question = /question\d+/.exec(markdown)?.[0] ?? "";
  const course = courses.get(question);
  if (!course) return;
  // A native stream holds back the last space until more text follows.
  const shown = markdown.trimEnd();
  const seen = Number(/\.(\d+)$/.exec(shown)?.[1] ?? -1) + 1;
  const whole = Array.from({ length: seen }, (_, token) => `${question}.${token} `).join("");
  if (whole.trimEnd() !== shown) return;
  course.seen = seen;
  course.firstSeen ??= performance.now();
  if (seen === tokens) course.doneAt ??= performance.now();
}

/** Notes for every answer the age of its oldest token that is written but not yet visible. */
function sample(courses: Map<string, Course>): void {
  for (const { emitted, seen, staleness, doneAt } of courses.values()) {
    const oldest = emitted[seen];
    if (!doneAt) staleness.push(oldest === undefined ? 0 : performance.now() - oldest);
  }
}

function figuresOf(courses: Course[], refused: number): AnswerFigures {
  const worst = (numbers: (number | undefined)[]) =>
    Math.max(...numbers.map((number) => number ?? Number.POSITIVE_INFINITY));
  return {
    firstWorst: worst(courses.map(({ firstSeen, emitted }) => firstSeen && firstSeen - (emitted[0] ?? 0))),
    stalenessMean: mean(courses.flatMap(({ staleness }) => staleness)),
    tailWorst: worst(courses.map(({ doneAt, emitted }) => doneAt && doneAt - (emitted.at(-1) ?? 0))),
    refused,
    exact: courses.filter(({ doneAt }) => doneAt).length,
  };
}
