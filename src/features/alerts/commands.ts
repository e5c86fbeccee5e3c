import type { Command } from "../feature.ts";
import { type Act, actIn, unknownAct } from "../subscriptions/acts.ts";
import { createPortableActs } from "../subscriptions/portable.ts";
import { shared } from "./acts.ts";
import { add, changeAdd, previewAdd } from "./setup/add.ts";
import { changeEdit, edit, previewEdit } from "./setup/edit.ts";
import { alertKind } from "./kind.ts";
import { usage } from "./setup/line.ts";
import { rising, show, test, why, whyNot } from "./look/look.ts";
import { mute, unmute } from "./muting.ts";

const carried = createPortableActs(alertKind);

const acts = new Map<string, Act>([
  ["", shared.list],
  ["list", shared.list],
  ["add", add],
  ["edit", edit],
  ["pause", shared.pause],
  ["resume", shared.resume],
  ["remove", shared.remove],
  ["history", shared.history],
  ["export", carried.export],
  ["import", carried.import],
  ["test", test],
  ["why-not", whyNot],
  ["mute", mute],
  ["unmute", unmute],
  // Run from buttons of ours; nobody has to know that they can be typed.
  ["why", why],
  ["show", show],
  ["now", rising],
  // Steps between a window and what it saves.
  ["preview", stepping(previewAdd, previewEdit)],
  ["change", stepping(changeAdd, changeEdit)],
]);

const hidden = ["why", "show", "now", "preview", "change"];
const verbs = [...acts.keys()].filter((verb) => verb && !hidden.includes(verb));

export const alerts: Command = {
  verb: "alerts",
  usage: "[list | add | edit | pause | resume | remove | test | why-not | mute | unmute | history | export | import]",
  summary: "Tells a channel when something is written about more than usual",
  examples: ["alerts add all every 15 minutes balanced", "alerts add company hourly eager", "alerts list"],
  needs: ["intelligence", "gateway"],
  isSlash: true,
  working: "Looking at the alerts…",
  fits: (text) => acts.has(actIn(text).act),
  async run(ask, services) {
    const { act, rest } = actIn(ask.text);
    const run = acts.get(act);
    if (run) return run(rest, ask, services);
    throw unknownAct(act, { noun: "alert", verbs, usage });
  },
};

/** Says of a new one or of one that stands what follows the word. */
function stepping(ofNew: Act, ofOld: Act): Act {
  return (text, ask, services) => {
    const { act, rest } = actIn(text);
    return (act === "edit" ? ofOld : ofNew)(rest, ask, services);
  };
}
