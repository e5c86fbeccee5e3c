import { needText, textArg } from "../args.ts";
import { viewLimits } from "../block-rules.ts";
import { checkView } from "../blocks.ts";
import type { AppManifest } from "../manifest.ts";
import { type Fields, isFields } from "../page/fields.ts";
import { shownView } from "../shown.ts";
import { SlackError } from "../slack-error.ts";
import type { Triggers } from "../triggers.ts";
import type { OpenView, Views } from "../views.ts";
import type { WorkspaceWorld } from "../world.ts";
import type { SlackMethod } from "./method.ts";

/** Parts of the workspace that view methods work on. */
export interface ViewContext {
  views: Views;
  triggers: Triggers;
  world: WorkspaceWorld;
  manifest: AppManifest;
}

/** A view from a call or an ack; refused if Slack would refuse it. */
export function needGoodView(view: unknown, type?: "modal" | "home"): Fields {
  if (!isFields(view)) throw invalidView(["missing required field: view"]);
  if (Buffer.byteLength(JSON.stringify(view)) > viewLimits.bytes) throw new SlackError("view_too_large");
  const problems = checkView(view);
  if (problems.length > 0) throw invalidView(problems.map((one) => `${one.message} [json-pointer:${one.pointer}]`));
  if (type && view["type"] !== type) throw invalidView([`must be of type ${type} [json-pointer:/view/type]`]);
  return view;
}

function invalidView(problems: string[]): SlackError {
  const messages = problems.map((problem) => `[ERROR] ${problem}`);
  return new SlackError("invalid_arguments", { response_metadata: { messages } });
}

/** A method that opens a view with a trigger; a faulty view does not use the trigger up. */
function triggered(open: (views: Views, user: string, view: Fields) => OpenView): SlackMethod<ViewContext> {
  return ({ views, triggers }, args) => {
    const trigger = textArg(args, "trigger_id");
    const view = needGoodView(args["view"], "modal");
    if (trigger === undefined) throw invalidView(["missing required field: trigger_id"]);
    return { view: shownView(open(views, triggers.spend(trigger), view)) };
  };
}

const update: SlackMethod<ViewContext> = ({ views }, args) => {
  const given = needGoodView(args["view"]);
  const known = views.find(needText(args, "view_id"));
  if (!known) throw new SlackError("not_found");
  return { view: shownView(views.update(known, needGoodView(given, known.type), textArg(args, "hash"))) };
};

const publish: SlackMethod<ViewContext> = ({ manifest, world, views }, args) => {
  if (!manifest.hasHomeTab) throw new SlackError("not_enabled");
  const user = needText(args, "user_id");
  if (!world.user(user)) throw new SlackError("user_not_found");
  return { view: shownView(views.publish(user, needGoodView(args["view"], "home"), textArg(args, "hash"))) };
};

/** The view methods. */
export const viewMethods: Record<string, SlackMethod<ViewContext>> = {
  "views.open": triggered((views, user, view) => views.open(user, view)),
  "views.push": triggered((views, user, view) => views.push(user, view)),
  "views.update": update,
  "views.publish": publish,
};
