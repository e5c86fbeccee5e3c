import type { Command } from "../feature.ts";
import { type Act, actIn, type createActs, unknownAct } from "./acts.ts";
import type { Kind } from "./kind.ts";
import { withPlacesNamed } from "./named.ts";
import type { Subscription } from "./subscription.ts";

/** What is said of a new one, and of one that stands. */
type Step = Record<"add" | "edit", Act>;

interface Options<S extends Subscription> extends Pick<Command, "summary" | "examples"> {
  kind: Kind<S>;
  shared: Pick<ReturnType<typeof createActs<S>>, "list" | "pause" | "resume" | "remove" | "history">;
  /** How one is asked for in a line. */
  usage: string;
  /** What each kind does in its own way. */
  own: Record<"add" | "edit" | "test" | "why-not" | "mute" | "unmute", Act>;
  /** Steps between a window and what it saves: what would come of it, and the window again. */
  steps: Record<"preview" | "change", Step>;
  /** Run from buttons of ours. */
  buttons?: Record<string, Act>;
}

/** The command of a kind of subscriptions; nobody has to know that its steps and buttons can be typed. */
export function subscriptionCommand<S extends Subscription>(options: Options<S>): Command {
  const { kind, shared, usage, own, steps, buttons, summary, examples } = options;
  const { noun } = kind;
  const { list, pause, resume, remove, history } = shared;
  const { add, edit, ...others } = own;
  const offered = { list, add, edit, pause, resume, remove, ...others, history };
  const hidden = { "": list, preview: stepping(steps.preview), change: stepping(steps.change), ...buttons };
  const acts = new Map<string, Act>(Object.entries({ ...offered, ...hidden }));
  const verbs = Object.keys(offered);
  return {
    verb: `${noun}s`,
    usage: `[${verbs.join(" | ")}]`,
    summary,
    examples,
    needs: ["intelligence", "gateway"],
    isSlash: true,
    working: `Looking at the ${noun}s…`,
    fits: (text) => acts.has(actIn(text).act),
    async run(ask, services) {
      const { act, rest } = actIn(ask.text);
      const run = acts.get(act);
      if (run) return run(await withPlacesNamed(rest, ask, services), ask, services);
      throw unknownAct(act, { noun, verbs, usage });
    },
  };
}

function stepping(step: Step): Act {
  return (text, ask, services) => {
    const { act, rest } = actIn(text);
    return step[act === "edit" ? "edit" : "add"](rest, ask, services);
  };
}
