import { needText, textArg } from "../args.ts";
import { checkView } from "../blocks.ts";
import type { Desk, Method } from "../desk.ts";
import { type Fields, isFields } from "../fields.ts";
import { shownView } from "../identity.ts";
import { VIEW } from "../limits.ts";
import { Refusal } from "../refusal.ts";
import type { View } from "../views.ts";

/** A view that a call or an ack brings, refused where Slack would refuse it. */
export function needGoodView(view: unknown): Fields {
  if (!isFields(view)) throw invalid(["missing required field: view"]);
  if (Buffer.byteLength(JSON.stringify(view)) > VIEW.bytes) throw new Refusal("view_too_large");
  const problems = checkView(view);
  if (problems.length > 0) throw invalid(problems.map((one) => `${one.message} [json-pointer:${one.pointer}]`));
  return view;
}

function invalid(problems: string[]): Refusal {
  return new Refusal("invalid_arguments", {
    response_metadata: { messages: problems.map((problem) => `[ERROR] ${problem}`) },
  });
}

function needType(view: Fields, type: "modal" | "home"): Fields {
  if (view["type"] !== type) throw invalid([`must be of type ${type} [json-pointer:/view/type]`]);
  return view;
}

/** Opens a view over a trigger; a faulty view does not use the trigger up. */
function triggered(open: (desk: Desk, user: string, view: Fields) => View): Method {
  return (desk, args) => {
    const trigger = textArg(args, "trigger_id") ?? textArg(args, "interactivity_pointer");
    const view = needType(needGoodView(args["view"]), "modal");
    if (trigger === undefined) throw invalid(["missing required field: trigger_id"]);
    return { view: shownView(open(desk, desk.triggers.spend(trigger), view)) };
  };
}

const update: Method = (desk, args) => {
  const id = textArg(args, "view_id");
  const external = textArg(args, "external_id");
  const given = needGoodView(args["view"]);
  if (id === undefined && external === undefined) throw invalid(["missing required field: view_id"]);
  const known = desk.views.find({ ...(id !== undefined && { id }), ...(external !== undefined && { external }) });
  if (!known) throw new Refusal("not_found");
  return { view: shownView(desk.views.update(known, needType(given, known.type), textArg(args, "hash"))) };
};

const publish: Method = (desk, args) => {
  if (!desk.manifest.homeTab) throw new Refusal("not_enabled");
  const user = needText(args, "user_id");
  if (!desk.world.user(user)) throw new Refusal("user_not_found");
  const view = needType(needGoodView(args["view"]), "home");
  return { view: shownView(desk.views.publish(user, view, textArg(args, "hash"))) };
};

/** The view methods. */
export const viewMethods: Record<string, Method> = {
  "views.open": triggered((desk, user, view) => desk.views.open(user, view)),
  "views.push": triggered((desk, user, view) => desk.views.push(user, view)),
  "views.update": update,
  "views.publish": publish,
};
