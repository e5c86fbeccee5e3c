import type { AppManifest } from "./manifest.ts";
import type { DemoState, SlashCommand, WorkspaceEvent, WorkspaceState } from "./protocol.ts";
import { APP, TEAM } from "./seed.ts";
import type { Statuses } from "./statuses.ts";
import { type Views, drawnView } from "./views.ts";
import { type WorkspaceWorld, canSee } from "./world.ts";

/** The parts of the workspace that make up the page's state, for any user. */
interface StateOptions {
  manifest: AppManifest;
  world: WorkspaceWorld;
  views: Views;
  statuses: Statuses;
  isConnected: boolean;
  /** The commands of Slack itself. */
  commands: SlashCommand[];
  /** The words that may come first after a command, or after a mention (`@`), each with a summary. */
  words: Record<string, Record<string, string>>;
  demo: DemoState | undefined;
}

/** The whole workspace as one person sees it. */
export function stateFor(options: StateOptions, user: string): WorkspaceState {
  const { manifest, world, views, statuses, isConnected, commands, words, demo } = options;
  const wordsAfter = (sign: string) => Object.entries(words[sign] ?? {}).map(([word, summary]) => ({ word, summary }));
  const conversations = world.conversations().filter((one) => canSee(one, user));
  const visible = new Set(conversations.map((one) => one.id));
  const messages = (channel: string) => world.messages(channel).filter((one) => (one.onlyFor ?? user) === user);
  const shortcuts = (type: string) => manifest.shortcuts.filter((one) => one.type === type);
  const home = views.home(user);
  return {
    team: { id: TEAM.id, name: TEAM.name },
    commands,
    app: {
      id: APP.id,
      name: manifest.name,
      botUserId: APP.botUser,
      description: manifest.description,
      connected: isConnected,
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
export function maySee(world: WorkspaceWorld, user: string, event: WorkspaceEvent, onlyFor?: string): boolean {
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
