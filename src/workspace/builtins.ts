import type { Say } from "./protocol.ts";
import type { Acting } from "./payload.ts";
import type { World } from "./world.ts";

/** Finds the person or app named in `/invite @name`, written by id or by name. */
function personIn(world: World, text: string): string | undefined {
  const id = /<@([UW][A-Z0-9]+)>/.exec(text)?.[1];
  if (id !== undefined) return id;
  const name = /@?(\S+)/.exec(text)?.[1]?.toLowerCase();
  return world.users().find((one) => one.name === name || one.realName.toLowerCase() === name)?.id;
}

/** Carries out the few commands that are Slack's own: /invite, /remove, /archive, /unarchive; false for all others. */
export async function builtIn(to: Acting, said: Say, user: string): Promise<boolean> {
  const { world } = to.desk;
  const [name = "", ...rest] = said.text.trim().split(/\s+/);
  const who = personIn(world, rest.join(" "));
  if (name === "/archive") world.archive(said.channel, user, true);
  else if (name === "/unarchive") world.archive(said.channel, user, false);
  else if (name === "/invite" && who !== undefined) world.join(said.channel, who);
  else if (name === "/remove" && who !== undefined) world.leave(said.channel, who);
  else return false;
  await to.settled();
  return true;
}
