import { type Fields, fieldsOf, isFields, listOf, textOf } from "./fields.ts";
import type { Feed } from "./feed.ts";
import type { Ids } from "./ids.ts";
import type { Block, WorkspaceView } from "./protocol.ts";
import { Refusal } from "./refusal.ts";

/** What the inputs of a view or message hold: block_id → action_id → value. */
export type Values = Record<string, Record<string, Fields>>;

/** A modal or Home view as the workspace keeps it. */
export interface View {
  id: string;
  hash: string;
  user: string;
  type: "modal" | "home";
  /** The fields the app sent: title, blocks, private_metadata … */
  given: Fields;
  blocks: Block[];
  values: Values;
  errors: Record<string, string>;
  root: string;
  previous?: string;
}

/** Every person's open modals and Home. */
export interface Views {
  /** Open modals of a person, the topmost last. */
  stack(user: string): View[];
  home(user: string): View | undefined;
  /** By id or external_id; only what is still open. */
  find(by: { id?: string; external?: string }): View | undefined;
  open(user: string, given: Fields): View;
  push(user: string, given: Fields): View;
  /** Refuses with `hash_conflict` where the app saw an older state. */
  update(view: View, given: Fields, hash?: string): View;
  publish(user: string, given: Fields, hash?: string): View;
  setValues(view: View, values: Values): View;
  setErrors(view: View, errors: Record<string, string>): void;
  close(view: View): void;
  clear(user: string): void;
}

const DEEPEST = 3;

function titleOf(value: unknown): string {
  return textOf(fieldsOf(value)["text"]);
}

/** The view as the page draws it. */
export function drawn(view: View): WorkspaceView {
  const { given } = view;
  return {
    id: view.id,
    type: view.type,
    title: titleOf(given["title"]),
    callback_id: textOf(given["callback_id"]),
    private_metadata: textOf(given["private_metadata"]),
    blocks: view.blocks,
    ...(given["submit"] !== undefined && { submit: titleOf(given["submit"]) }),
    ...(given["close"] !== undefined && { close: titleOf(given["close"]) }),
    ...(Object.keys(view.errors).length > 0 && { errors: view.errors }),
  };
}

/** Keeps what was typed where the new blocks still have the field. */
function surviving(values: Values, blocks: Block[]): Values {
  const kept = new Set(blocks.map((block) => textOf(block["block_id"])));
  return Object.fromEntries(Object.entries(values).filter(([id]) => kept.has(id)));
}

/** Gives every block and element an id, as Slack does for those the app left without one. */
export function identified(blocks: unknown, ids: Ids): Block[] {
  return listOf(blocks)
    .filter(isFields)
    .map((block) => {
      const type = textOf(block["type"]);
      const block_id = typeof block["block_id"] === "string" ? block["block_id"] : ids.next("b");
      return { ...identifiedElements(block, ids), type, block_id };
    });
}

function identifiedElements(block: Fields, ids: Ids): Fields {
  const name = (element: unknown): unknown =>
    isFields(element) && element["action_id"] === undefined && !NAMELESS.has(textOf(element["type"]))
      ? { ...element, action_id: ids.next("a") }
      : element;
  const named: Fields = { ...block };
  if (INTERACTIVE.has(textOf(block["type"]))) named["elements"] = listOf(block["elements"]).map(name);
  if (block["accessory"] !== undefined) named["accessory"] = name(block["accessory"]);
  if (block["type"] === "input") named["element"] = name(block["element"]);
  return named;
}

const INTERACTIVE = new Set(["actions", "context_actions"]);
const NAMELESS = new Set(["image"]);

/** Builds the views of one workspace. */
export function createViews(options: { ids: Ids; feed: Feed }): Views {
  const { ids, feed } = options;
  const stacks = new Map<string, View[]>();
  const homes = new Map<string, View>();
  const stack = (user: string) => stacks.get(user) ?? [];

  function settle(user: string, views: View[]): void {
    stacks.set(user, views);
    feed.publish({ type: "modals", modals: views.map(drawn) }, user);
  }

  function build(user: string, given: Fields): View {
    const id = ids.next("V");
    const external = textOf(given["external_id"]);
    if (external !== "" && find({ external })) throw new Refusal("duplicate_external_id");
    const blocks = identified(given["blocks"], ids);
    const type = given["type"] === "home" ? "home" : "modal";
    return { id, hash: hash(), user, type, given, blocks, values: {}, errors: {}, root: id };
  }

  const hash = () => `${ids.ts()}.${ids.next("h")}`;

  function all(): View[] {
    return [...homes.values(), ...[...stacks.values()].flat()];
  }

  function find({ id, external }: { id?: string; external?: string }): View | undefined {
    return all().find((view) => (id === undefined ? view.given["external_id"] === external : view.id === id));
  }

  function put(view: View): View {
    if (view.type === "home") {
      homes.set(view.user, view);
      feed.publish({ type: "home", home: drawn(view) }, view.user);
      return view;
    }
    settle(
      view.user,
      stack(view.user).map((one) => (one.id === view.id ? view : one)),
    );
    return view;
  }

  function update(view: View, given: Fields, seen?: string): View {
    if (seen !== undefined && seen !== view.hash) throw new Refusal("hash_conflict");
    const blocks = identified(given["blocks"], ids);
    return put({ ...view, given, blocks, hash: hash(), errors: {}, values: surviving(view.values, blocks) });
  }

  return {
    stack,
    home: (user) => homes.get(user),
    find,
    open(user, given) {
      const view = build(user, given);
      settle(user, [view]);
      return view;
    },
    push(user, given) {
      const below = stack(user);
      const top = below.at(-1);
      if (below.length >= DEEPEST) throw new Refusal("push_limit_reached");
      const view = { ...build(user, given), ...(top && { root: top.root, previous: top.id }) };
      settle(user, [...below, view]);
      return view;
    },
    update,
    publish(user, given, seen) {
      const known = homes.get(user);
      return known ? update(known, given, seen) : put(build(user, given));
    },
    setValues: (view, values) => replaceQuietly({ ...view, values }),
    setErrors: (view, errors) => void put({ ...view, errors }),
    close(view) {
      const rest = stack(view.user).filter((one) => one.id !== view.id);
      settle(view.user, rest);
    },
    clear: (user) => settle(user, []),
  };

  /** What was typed is the person's own: the page knows it already. */
  function replaceQuietly(view: View): View {
    if (view.type === "home") homes.set(view.user, view);
    else
      stacks.set(
        view.user,
        stack(view.user).map((one) => (one.id === view.id ? view : one)),
      );
    return view;
  }
}
