import type { WorkspaceMessage } from "./workspace/protocol.ts";
import type { Workspace } from "./workspace/server.ts";

/** One step of the tour: a line that a person types, and a check of its answer. */
interface Step {
  line(context: TourContext): string;
  /** Whether the line is typed in the thread that the step before began. */
  isFollowUp?: true;
  isAnswer(text: string): boolean;
}

interface TourContext {
  bot: string;
  /** A name that is trending, once the tour has seen one. */
  trending: string;
}

const steps: Step[] = [
  { line: () => "/news chip export", isAnswer: (text) => /News: chip export/.test(text) && /articles/.test(text) },
  { line: () => "/trending", isAnswer: (text) => /Trending now/.test(text) && /×\snormal/.test(text) },
  { line: ({ trending }) => `/company ${trending}`, isAnswer: (text) => /Ask about it/.test(text) },
  { line: () => "/summary data breach", isAnswer: (text) => /Sources/.test(text) && /Get a digest/.test(text) },
  {
    line: ({ bot, trending }) => `<@${bot}> what is going on with ${trending}?`,
    isAnswer: (text) => /Sources/.test(text),
  },
  {
    line: ({ bot }) => `<@${bot}> and why does it matter?`,
    isFollowUp: true,
    isAnswer: (text) => /Sources/.test(text),
  },
  { line: () => "/bellwether status", isAnswer: (text) => /(answers in.*){3}/s.test(text) },
];

/** The longest time that one step may take, in milliseconds. */
const stepMs = 30_000;

/** Plays a short tour in #newsroom and prints what a reader sees; resolves with whether every answer was right. */
export async function playTour(workspace: Workspace, print: (text: string) => void): Promise<boolean> {
  const channel = workspace.state().conversations.find(({ name }) => name === "newsroom")?.id;
  if (!channel) throw new Error("the workspace has no #newsroom");
  const context: TourContext = { bot: workspace.ids.botUser, trending: "" };
  let thread: string | undefined;
  let failures = 0;
  for (const step of steps) {
    const line = step.line(context);
    print(`\n> ${line.replace(`<@${context.bot}>`, "@Bellwether")}\n`);
    const before = new Set(workspace.messages(channel).map(({ ts }) => ts));
    const { ts } = await workspace.say({
      channel,
      text: line,
      ...(step.isFollowUp && thread && { thread_ts: thread }),
    });
    thread = step.isFollowUp ? thread : ts;
    const isAnswer = (message: WorkspaceMessage) =>
      message.user === context.bot && !before.has(message.ts) && step.isAnswer(contentOf(message));
    const answer = await workspace
      .until(() => workspace.messages(channel).find(isAnswer), stepMs)
      .catch(() => undefined);
    print(answer ? contentOf(answer).replace(/^/gm, "  ") : "  (no answer as it should be)");
    failures += answer ? 0 : 1;
    context.trending ||= /^\*?1\. (.+?)\*?\s·\s/m.exec(answer ? contentOf(answer) : "")?.[1] ?? "";
  }
  const outcome = `${failures} of ${steps.length} steps were not answered as they should be.`;
  print(failures === 0 ? "\nEvery step was answered." : `\n${outcome}`);
  return failures === 0;
}

/** The words of a message, blocks included, as a reader sees them. */
function contentOf({ text, blocks = [] }: WorkspaceMessage): string {
  const words: string[] = [];
  JSON.stringify(blocks, (key, value: unknown) => {
    if (key === "text" && typeof value === "string") words.push(value);
    return value;
  });
  return (words.length > 0 ? words.join("\n") : text)
    .replace(/<!date\^[^|>]*\|([^>]*)>/g, "$1")
    .replace(/<https?:[^|>]*\|([^>]*)>/g, "$1")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}
