import { withIds } from "./blocks.ts";
import type { Ids } from "./clock.ts";
import type { EventFeed } from "./feed.ts";
import { type Fields, stringOf, textOf } from "./page/fields.ts";
import { carryOver, type FormValues, mergeValues, valuesFor } from "./page/form.ts";
import type { WorkspaceBlock, WorkspaceView } from "./protocol.ts";
import { SlackError } from "./slack-error.ts";

/** A modal or Home view as the workspace keeps it. */
export interface OpenView {
  id: string;
  hash: string;
  user: string;
  type: "modal" | "home";
  /** The fields that the app sent: title, blocks, private_metadata … */
  given: Fields;
  blocks: WorkspaceBlock[];
  /** The blocks before the latest update. A person may still press one of them, and Slack reports that to the app. */
  blocksBefore?: WorkspaceBlock[];
  /** The values that the person filled in; an update keeps those of fields that stay. */
  values: FormValues;
  errors: Record<string, string>;
  root: string;
  previous?: string;
}

/** Every person's open modals and Home. */
export interface Views {
  /** Open modals of a person, the topmost last. */
  stack: (user: string) => OpenView[];
  home: (user: string) => OpenView | undefined;
  /** Finds a view that is still open. */
  find: (id: string) => OpenView | undefined;
  open: (user: string, given: Fields) => OpenView;
  push: (user: string, given: Fields) => OpenView;
  /** Refuses with `hash_conflict` if the app saw an older state. */
  update: (view: OpenView, given: Fields, hash?: string) => OpenView;
  publish: (user: string, given: Fields, hash?: string) => OpenView;
  /** Adds the values that a person filled in. */
  fill: (view: OpenView, values: FormValues) => OpenView;
  setErrors: (view: OpenView, errors: Record<string, string>) => void;
  close: (view: OpenView) => void;
  clear: (user: string) => void;
}

const maxDepth = 3;

/** The view as the page draws it. */
export function drawnView({ id, type, given, blocks, errors }: OpenView): WorkspaceView {
  return {
    id,
    type,
    title: textOf(given["title"]),
    callback_id: stringOf(given["callback_id"]),
    private_metadata: stringOf(given["private_metadata"]),
    blocks,
    ...(given["submit"] !== undefined && { submit: textOf(given["submit"]) }),
    ...(given["close"] !== undefined && { close: textOf(given["close"]) }),
    ...(Object.keys(errors).length > 0 && { errors }),
  };
}

/** Builds the views of one workspace. */
export function createViews({ ids, feed }: { ids: Ids; feed: EventFeed }): Views {
  const stacks = new Map<string, OpenView[]>();
  const homes = new Map<string, OpenView>();
  const stack = (user: string) => stacks.get(user) ?? [];
  const newHash = () => `${ids.ts()}.${ids.next("h")}`;

  function setStack(user: string, views: OpenView[]): void {
    stacks.set(user, views);
    feed.publish({ type: "modals", modals: views.map(drawnView) }, user);
  }

  /** Replaces a view without telling the page, which already shows the person's input. */
  function keep(view: OpenView): OpenView {
    const swapped = stack(view.user).map((one) => (one.id === view.id ? view : one));
    if (view.type === "home") homes.set(view.user, view);
    else stacks.set(view.user, swapped);
    return view;
  }

  function show(view: OpenView): OpenView {
    keep(view);
    if (view.type === "home") feed.publish({ type: "home", home: drawnView(view) }, view.user);
    else setStack(view.user, stack(view.user));
    return view;
  }

  function find(id: string): OpenView | undefined {
    return [...homes.values(), ...[...stacks.values()].flat()].find((view) => view.id === id);
  }

  function build(user: string, given: Fields): OpenView {
    const id = ids.next("V");
    const blocks = withIds(given["blocks"], ids);
    const type = given["type"] === "home" ? "home" : "modal";
    return { id, hash: newHash(), user, type, given, blocks, values: {}, errors: {}, root: id };
  }

  function update(view: OpenView, given: Fields, hash?: string): OpenView {
    if (hash !== undefined && hash !== view.hash) throw new SlackError("hash_conflict");
    const blocks = withIds(given["blocks"], ids);
    const values = carryOver(view.values, { from: view.blocks, to: blocks });
    return show({ ...view, given, blocks, blocksBefore: view.blocks, hash: newHash(), errors: {}, values });
  }

  return {
    stack,
    home: (user) => homes.get(user),
    find,
    open(user, given) {
      const view = build(user, given);
      setStack(user, [view]);
      return view;
    },
    push(user, given) {
      const below = stack(user);
      const top = below.at(-1);
      if (below.length >= maxDepth) throw new SlackError("push_limit_reached");
      const view = { ...build(user, given), ...(top && { root: top.root, previous: top.id }) };
      setStack(user, [...below, view]);
      return view;
    },
    update,
    publish(user, given, hash) {
      const known = homes.get(user);
      return known ? update(known, given, hash) : show(build(user, given));
    },
    fill: (view, values) => keep({ ...view, values: valuesFor(view.blocks, mergeValues(view.values, values)) }),
    setErrors: (view, errors) => void show({ ...view, errors }),
    close: (view) => {
      const others = stack(view.user).filter((one) => one.id !== view.id);
      setStack(view.user, others);
    },
    clear: (user) => setStack(user, []),
  };
}
