import { subscriptionCommand } from "../subscriptions/commands.ts";
import { digestKind } from "./kind.ts";
import { mute, unmute } from "./mute.ts";
import { add, changeAdd, previewAdd } from "./setup/add.ts";
import { changeEdit, edit, previewEdit } from "./setup/edit.ts";
import { usage } from "./setup/line.ts";
import { shared } from "./shared.ts";
import { test } from "./trial.ts";
import { whyNot } from "./why/whynot.ts";

export const digests = subscriptionCommand({
  kind: digestKind,
  shared,
  usage,
  summary:
    "What is new in a search, a saved channel, a collection or a jurisdiction, or in what is trending, posted when you say",
  examples: [
    "digests add channel 501 weekdays at 9:00",
    'digests add search "bank of england" Mondays 08:30 compact',
    "digests list",
  ],
  own: { add, edit, test, "why-not": whyNot, mute, unmute },
  steps: {
    preview: { add: previewAdd, edit: previewEdit },
    change: { add: changeAdd, edit: changeEdit },
  },
});
