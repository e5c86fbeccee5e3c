import { subscriptionCommand } from "../subscriptions/commands.ts";
import { shared } from "./acts.ts";
import { alertKind } from "./kind.ts";
import { rising, show, test, why, whyNot } from "./look/look.ts";
import { mute, unmute } from "./muting.ts";
import { add, changeAdd, previewAdd } from "./setup/add.ts";
import { changeEdit, edit, previewEdit } from "./setup/edit.ts";
import { usage } from "./setup/line.ts";

export const alerts = subscriptionCommand({
  kind: alertKind,
  shared,
  usage,
  summary: "Tells a channel when something is written about more than usual",
  examples: ["alerts add all every 15 minutes balanced", "alerts add company hourly eager", "alerts list"],
  own: { add, edit, test, "why-not": whyNot, mute, unmute },
  steps: {
    preview: { add: previewAdd, edit: previewEdit },
    change: { add: changeAdd, edit: changeEdit },
  },
  buttons: { why, show, now: rising },
});
