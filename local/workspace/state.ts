import type { WorkspaceContext } from "./context.ts";
import type { WorkspaceEvent, WorkspaceState } from "./protocol.ts";
import { builtInCommands } from "./say.ts";
import { APP, TEAM } from "./seed.ts";
import { drawnView } from "./views.ts";
import { canSee } from "./world.ts";

/** The whole workspace as one person sees it. */
export function stateFor(context: WorkspaceContext, user: string): WorkspaceState {
  const { manifest, world, views, socket, statuses } = context;
  const wordsAfter = (sign: string) =>
    Object.entries(context.words[sign] ?? {}).map(([word, summary]) => ({ word, summary }));
  const demo = context.demo?.state();
  const conversations = world.conversations().filter((one) => canSee(one, user));
  const visible = new Set(conversations.map((one) => one.id));
  const messages = (channel: string) => world.messages(channel).filter((one) => (one.onlyFor ?? user) === user);
  const shortcuts = (type: string) => manifest.shortcuts.filter((one) => one.type === type);
  const home = views.home(user);
  return {
    team: { id: TEAM.id, name: TEAM.name },
    commands: builtInCommands.map(({ run: _run, ...command }) => command),
    app: {
      id: APP.id,
      name: manifest.name,
      botUserId: APP.botUser,
      description: manifest.description,
      connected: socket.count() > 0,
      commands: manifest.commands.map(({ should_escape: _should_escape, ...command }) => {
        return { ...command, words: wordsAfter(command.command) };
      }),
      words: wordsAfter("@"),
      messageShortcuts: shortcuts("message"),
      globalShortcuts: shortcuts("global"),
      suggestedPrompts: manifest.prompts,
    },
    me: user,
    users: world.users(),
    conversations,
    messages: Object.fromEntries(conversations.map(({ id }) => [id, messages(id)])),
    ...(home && { home: drawnView(home) }),
    ...(demo && { demo }),
    modals: views.stack(user).map(drawnView),
    statuses: statuses.list().filter(({ channel }) => visible.has(channel)),
  };
}

/** Whether a person may see an event. */
export function maySee({ world }: WorkspaceContext, user: string, event: WorkspaceEvent, onlyFor?: string): boolean {
  if (onlyFor !== undefined) return onlyFor === user;
  const channel = channelOf(event);
  const conversation = channel === undefined ? undefined : world.conversation(channel);
  return channel === undefined || (conversation !== undefined && canSee(conversation, user));
}

function channelOf(event: WorkspaceEvent): string | undefined {
  if ("message" in event) return event.message.channel;
  if ("channel" in event) return event.channel;
  return "conversation" in event ? event.conversation.id : undefined;
}
