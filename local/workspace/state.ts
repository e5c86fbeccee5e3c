import { BUILT_IN } from "./builtins.ts";
import type { Desk } from "./desk.ts";
import type { WorkspaceEvent, WorkspaceState } from "./protocol.ts";
import { APP, TEAM } from "./seed.ts";
import { drawn } from "./views.ts";
import { canSee } from "./world.ts";

/** The whole workspace as one person sees it. */
export function stateFor(desk: Desk, user: string): WorkspaceState {
  const { manifest, world, views } = desk;
  const conversations = world.conversations().filter((one) => canSee(one, user));
  const seen = (channel: string) => world.messages(channel).filter((one) => (one.onlyFor ?? user) === user);
  const shortcuts = (type: string) =>
    manifest.shortcuts.filter((one) => one.type === type).map(({ name, callback_id }) => ({ name, callback_id }));
  const home = views.home(user);
  const visible = new Set(conversations.map((one) => one.id));
  return {
    team: { id: TEAM.id, name: TEAM.name },
    commands: BUILT_IN,
    app: {
      id: APP.id,
      name: manifest.name,
      botUserId: APP.botUser,
      description: manifest.description,
      connected: desk.link.count() > 0,
      commands: manifest.commands.map(({ command, description, usage_hint }) => ({ command, description, usage_hint })),
      messageShortcuts: shortcuts("message"),
      globalShortcuts: shortcuts("global"),
      suggestedPrompts: manifest.prompts,
    },
    me: user,
    users: world.users(),
    conversations,
    messages: Object.fromEntries(conversations.map((one) => [one.id, seen(one.id)])),
    ...(home && { home: drawn(home) }),
    modals: views.stack(user).map(drawn),
    statuses: desk.statuses.list().filter((one) => visible.has(one.channel)),
  };
}

/** Says whether a person may see an event. */
export function maySee(desk: Desk, user: string, event: WorkspaceEvent, onlyFor: string | undefined): boolean {
  if (onlyFor !== undefined) return onlyFor === user;
  const channel = channelOf(event);
  if (channel === undefined) return true;
  const place = desk.world.conversation(channel);
  return place !== undefined && canSee(place, user);
}

function channelOf(event: WorkspaceEvent): string | undefined {
  if ("message" in event) return event.message.channel;
  if ("channel" in event) return event.channel;
  return "conversation" in event ? event.conversation.id : undefined;
}
