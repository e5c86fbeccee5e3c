import { type Fields, fieldsOf, textOf } from "./fields.ts";
import type { Feed } from "./feed.ts";
import { identified } from "./identified.ts";
import type { Ids } from "./ids.ts";
import { fitting, surviving } from "./initial.ts";
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
  /** What the person filled in; an update keeps it for the fields that it keeps. */
  values: Values;
  errors: Record<string, string>;
  root: string;
  previous?: string;
}

/** Both together; what is new stands in place of what was there. */
export function withValues(values: Values, more: Values): Values {
  const added = Object.entries(more).map(([id, fields]) => [id, { ...values[id], ...fields }] as const);
  return { ...values, ...Object.fromEntries(added) };
}

/** Every person's open modals and Home. */
export interface Views {
  /** Open modals of a person, the topmost last. */
  stack: (user: string) => View[];
  home: (user: string) => View | undefined;
  /** By id or external_id; only what is still open. */
  find: (by: { id?: string; external?: string }) => View | undefined;
  open: (user: string, given: Fields) => View;
  push: (user: string, given: Fields) => View;
  /** Refuses with `hash_conflict` where the app saw an older state. */
  update: (view: View, given: Fields, hash?: string) => View;
  publish: (user: string, given: Fields, hash?: string) => View;
  /** Adds what a person filled in. */
  fill: (view: View, values: Values) => View;
  setErrors: (view: View, errors: Record<string, string>) => void;
  close: (view: View) => void;
  clear: (user: string) => void;
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

/** Where views are kept: what it changes, the person sees. */
function createShelf(feed: Feed) {
  const stacks = new Map<string, View[]>();
  const homes = new Map<string, View>();
  const stack = (user: string) => stacks.get(user) ?? [];

  function settle(user: string, views: View[]): void {
    stacks.set(user, views);
    feed.publish({ type: "modals", modals: views.map(drawn) }, user);
  }

  /** Replaces a view and tells nobody: what a person typed, their page knows. */
  function keep(view: View): View {
    const swapped = stack(view.user).map((one) => (one.id === view.id ? view : one));
    if (view.type === "home") homes.set(view.user, view);
    else stacks.set(view.user, swapped);
    return view;
  }

  function fill(view: View, values: Values): View {
    return keep({ ...view, values: fitting(view.blocks, withValues(view.values, values)) });
  }

  function put(view: View): View {
    keep(view);
    if (view.type === "home") feed.publish({ type: "home", home: drawn(view) }, view.user);
    else settle(view.user, stack(view.user));
    return view;
  }

  function close(view: View): void {
    settle(
      view.user,
      stack(view.user).filter((one) => one.id !== view.id),
    );
  }

  const all = () => [...homes.values(), ...[...stacks.values()].flat()];
  return { stack, settle, fill, put, close, all, home: (user: string) => homes.get(user) };
}

/** Builds the views of one workspace. */
export function createViews(options: { ids: Ids; feed: Feed }): Views {
  const { ids } = options;
  const { stack, settle, fill, put, close, all, home } = createShelf(options.feed);
  const hash = () => `${ids.ts()}.${ids.next("h")}`;

  const find: Views["find"] = ({ id, external }) =>
    all().find((view) => (id === undefined ? view.given["external_id"] === external : view.id === id));

  function build(user: string, given: Fields): View {
    const id = ids.next("V");
    const external = textOf(given["external_id"]);
    if (external !== "" && find({ external })) throw new Refusal("duplicate_external_id");
    const blocks = identified(given["blocks"], ids);
    const type = given["type"] === "home" ? "home" : "modal";
    return { id, hash: hash(), user, type, given, blocks, values: {}, errors: {}, root: id };
  }

  function update(view: View, given: Fields, seen?: string): View {
    if (seen !== undefined && seen !== view.hash) throw new Refusal("hash_conflict");
    const blocks = identified(given["blocks"], ids);
    const values = surviving(view.values, { from: view.blocks, to: blocks });
    return put({ ...view, given, blocks, hash: hash(), errors: {}, values });
  }

  function push(user: string, given: Fields): View {
    const below = stack(user);
    const top = below.at(-1);
    if (below.length >= DEEPEST) throw new Refusal("push_limit_reached");
    const view = { ...build(user, given), ...(top && { root: top.root, previous: top.id }) };
    settle(user, [...below, view]);
    return view;
  }

  function publish(user: string, given: Fields, seen?: string): View {
    const known = home(user);
    return known ? update(known, given, seen) : put(build(user, given));
  }

  function open(user: string, given: Fields): View {
    const view = build(user, given);
    settle(user, [view]);
    return view;
  }

  return {
    stack,
    home,
    find,
    open,
    push,
    update,
    publish,
    fill,
    setErrors: (view, errors) => void put({ ...view, errors }),
    close,
    clear: (user) => settle(user, []),
  };
}
