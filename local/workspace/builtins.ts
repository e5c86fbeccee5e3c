import { type Acting, notice } from "./payload.ts";
import type { Conversation, Said, Say, SlashCommand } from "./protocol.ts";
import { PARTNER, homeOf } from "./seed.ts";
import { messageText } from "./spoken.ts";
import type { World } from "./world.ts";

/** Slack's own commands, as far as the workspace has them; it has typed what is a button there. */
export const BUILT_IN: SlashCommand[] = [
  { command: "/dm", usage_hint: "@somebody @somebody [text]", description: "Opens a group direct message" },
  { command: "/invite", usage_hint: "@somebody", description: "Adds a person or the app to this channel" },
  { command: "/remove", usage_hint: "@somebody", description: "Takes a person or the app out of this channel" },
  { command: "/archive", usage_hint: "", description: "Archives this channel" },
  { command: "/unarchive", usage_hint: "", description: "Brings this channel back" },
  { command: "/share", usage_hint: "", description: `Shares this channel with ${PARTNER.name}, another workspace` },
];

interface Typed {
  to: Acting;
  place: Conversation;
  user: string;
  rest: string;
}

/** Finds the person or app named in `/invite @name`, written by id or by name. */
function personIn(world: World, text: string): string | undefined {
  const id = /<@([UW][A-Z0-9]+)>/.exec(text)?.[1];
  if (id !== undefined) return world.user(id)?.id;
  const name = /@?(.+)/.exec(text.trim())?.[1]?.toLowerCase();
  return world.users().find((one) => one.name === name || one.realName.toLowerCase() === name)?.id;
}

function tell({ to, place, user }: Typed, text: string): Said {
  notice(to.desk, place.id, text, user);
  return {};
}

/** Those who are named at the beginning, and what is said to them. */
function addressed(world: World, rest: string): { users: string[]; text: string } {
  const users: string[] = [];
  let text = rest;
  for (;;) {
    const [whole = "", id, name] = /^(?:<@([UW][A-Z0-9]+)>|@(\S+))\s*/.exec(text) ?? [];
    const found = id ?? world.users().find((one) => one.name === name?.toLowerCase())?.id;
    if (found === undefined || !world.user(found)) return { users, text };
    users.push(found);
    text = text.slice(whole.length);
  }
}

function openGroup(typed: Typed): Said {
  const { to, user, rest } = typed;
  const { world } = to.desk;
  const { users, text } = addressed(world, rest);
  const members = [...new Set([user, ...users])];
  if (members.length < 3) return tell(typed, "Name two others at least: /dm @tomas @bellwether");
  const { id: opened } = world.group(members);
  if (text !== "") world.post({ channel: opened, user, text: messageText(text) });
  return { opened };
}

function invite(typed: Typed): Said {
  const { to, place, rest } = typed;
  const who = personIn(to.desk.world, rest);
  if (who === undefined) return tell(typed, "Nobody here goes by that name.");
  if (homeOf(who) === PARTNER.id && !place.isShared) return tell(typed, "They are of another workspace: /share first.");
  to.desk.world.join(place.id, who);
  return {};
}

function remove(typed: Typed): Said {
  const who = personIn(typed.to.desk.world, typed.rest);
  if (who === undefined) return tell(typed, "Nobody here goes by that name.");
  typed.to.desk.world.leave(typed.place.id, who);
  return {};
}

function archive({ to, place, user }: Typed, isArchived: boolean): Said {
  to.desk.world.archive(place.id, user, isArchived);
  return {};
}

const CARRY_OUT: Record<string, ((typed: Typed) => Said) | undefined> = {
  "/invite": invite,
  "/remove": remove,
  "/archive": (typed) => archive(typed, true),
  "/unarchive": (typed) => archive(typed, false),
  "/share": ({ to, place }) => {
    to.desk.world.share(place.id);
    return {};
  },
};

/** Carries out a command that is Slack's own; nothing for all others. */
export async function builtIn(to: Acting, said: Say, user: string): Promise<Said | undefined> {
  const [, name = "", rest = ""] = /^\s*(\S+)\s*([^]*?)\s*$/.exec(said.text) ?? [];
  const place = to.desk.world.conversation(said.channel);
  const carryOut = name === "/dm" ? openGroup : CARRY_OUT[name];
  if (!carryOut || !place) return undefined;
  const typed: Typed = { to, place, user, rest };
  const isDirect = place.kind === "im" || place.kind === "mpim";
  const done = isDirect && name !== "/dm" ? tell(typed, `${name} is for channels.`) : carryOut(typed);
  await to.settled();
  return done;
}
