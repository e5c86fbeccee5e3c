import type { Ask, Command, Message, Services } from "../feature.ts";
import { type Act, actIn, unknownAct } from "../subscriptions/acts.ts";
import { createPortableActs } from "../subscriptions/portable.ts";
import { add, changeAdd, previewAdd } from "./setup/add.ts";
import { changeEdit, edit, previewEdit } from "./setup/edit.ts";
import { digestKind } from "./kind.ts";
import { usage } from "./setup/line.ts";
import { mute, unmute } from "./mute.ts";
import { shared } from "./shared.ts";
import { test } from "./trial.ts";
import { whyNot } from "./why/whynot.ts";

const carried = createPortableActs(digestKind);

const acts = new Map<string, Act>([
  ["", shared.list],
  ["list", shared.list],
  ["add", add],
  ["edit", edit],
  ["pause", shared.pause],
  ["resume", shared.resume],
  ["remove", shared.remove],
  ["test", test],
  ["why-not", whyNot],
  ["mute", mute],
  ["unmute", unmute],
  ["history", shared.history],
  ["export", carried.export],
  ["import", carried.import],
]);

/** Steps between a window and what it saves; nobody has to know that they can be typed. */
const steps = new Map<string, Act>([
  ["preview", (text, ask, services) => step(text, ask, services, { add: previewAdd, edit: previewEdit })],
  ["change", (text, ask, services) => step(text, ask, services, { add: changeAdd, edit: changeEdit })],
]);

const verbs = [...acts.keys()].filter(Boolean);

export const digests: Command = {
  verb: "digests",
  usage: "[list | add | edit | pause | resume | remove | test | why-not | mute | unmute | history | export | import]",
  summary:
    "What is new in a search, a saved channel, a collection or a jurisdiction, or in what is trending, posted when you say",
  examples: [
    "digests add channel 501 weekdays at 9:00",
    'digests add search "bank of england" Mondays 08:30 compact',
    "digests list",
  ],
  needs: ["intelligence", "gateway"],
  isSlash: true,
  working: "Looking at the digests…",
  fits(text) {
    const { act } = actIn(text);
    return text === "" || acts.has(act) || steps.has(act);
  },
  async run(ask, services) {
    const { act, rest } = actIn(ask.text);
    const run = acts.get(act) ?? steps.get(act);
    if (run) return run(rest, ask, services);
    throw unknownAct(act, { noun: "digest", verbs, usage });
  },
};

function step(text: string, ask: Ask, services: Services, { add: ofNew, edit: ofOld }: Steps): Promise<Message> {
  const { act, rest } = actIn(text);
  return (act === "edit" ? ofOld : ofNew)(rest, ask, services);
}

interface Steps {
  add: Act;
  edit: Act;
}
