import type { Outcome } from "./delivery.ts";
import type { Desk } from "./desk.ts";
import type { Fields } from "./fields.ts";
import type { Said, Say } from "./protocol.ts";
import { builtIn } from "./builtins.ts";
import { Refusal } from "./refusal.ts";
import { type Acting, needMember, notice } from "./payload.ts";
import { answer } from "./respond.ts";
import { APP, TEAM, homeOf } from "./seed.ts";
import { commandText, messageText } from "./spoken.ts";

const NAMELESS: Record<string, string | undefined> = { im: "directmessage", private: "privategroup" };

function commandPayload(to: Acting, said: Required<Pick<Say, "channel" | "text">>, user: string): Fields {
  const { desk, responses, token } = to;
  const [command = "", ...rest] = said.text.trim().split(/(?<=^\S+)\s+/);
  const place = desk.world.conversation(said.channel);
  const shouldEscape = desk.manifest.commands.find((one) => one.command === command)?.should_escape ?? false;
  return {
    token,
    team_id: TEAM.id,
    team_domain: TEAM.domain,
    channel_id: said.channel,
    channel_name: place && (NAMELESS[place.kind] ?? place.name),
    user_id: user,
    user_name: desk.world.user(user)?.name,
    command,
    text: commandText(desk.world, rest.join(" "), shouldEscape),
    api_app_id: APP.id,
    is_enterprise_install: "false",
    response_url: responses.issue({ channel: said.channel, user }),
    trigger_id: desk.triggers.issue(user),
  };
}

/** An ack may carry the first answer itself. */
function showAck(desk: Desk, place: { channel: string; user: string }, outcome: Outcome): void {
  if (!outcome.acked || (outcome.payload["text"] === undefined && outcome.payload["blocks"] === undefined)) return;
  try {
    answer(desk, place, outcome.payload);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    notice(desk, place.channel, `the app's answer was refused with the error ${error.code}`, place.user);
  }
}

async function sayCommand(to: Acting, said: Say, user: string): Promise<void> {
  const { desk, delivery } = to;
  const name = said.text.trim().split(/\s/)[0] ?? "";
  const tell = (text: string) => notice(desk, said.channel, text, user);
  // A workspace has commands of its own: who comes from another one has not those of this one's apps.
  const isKnown = homeOf(user) === TEAM.id && desk.manifest.commands.some((one) => one.command === name);
  if (!isKnown) return tell(`${name} is not a valid command.`);
  if (said.thread_ts !== undefined) return tell(`${name} is not supported in threads. Sorry!`);
  const outcome = await delivery.request("slash_commands", commandPayload(to, said, user));
  if (!outcome.acked) return tell(`${name} failed with the error ${outcome.reason}`);
  showAck(desk, { channel: said.channel, user }, outcome);
}

async function sayMessage(to: Acting, said: Say, user: string): Promise<{ ts: string }> {
  const { desk } = to;
  const head = said.thread_ts === undefined ? undefined : desk.world.find(said.channel, said.thread_ts);
  if (said.thread_ts !== undefined && !head) throw new Refusal("thread_not_found");
  const thread = head ? { thread_ts: head.thread_ts ?? head.ts } : {};
  const text = messageText(said.text);
  const posted = desk.world.post({ channel: said.channel, user, text, ...thread });
  const place = desk.world.conversation(said.channel);
  if (text.includes(`<@${APP.botUser}>`) && !place?.members.includes(APP.botUser)) {
    const way = place?.kind === "mpim" ? "group; open one with it by /dm" : "channel; add it with /invite";
    notice(desk, said.channel, `${desk.manifest.name} is not in this ${way}.`, user);
  }
  await to.settled();
  return { ts: posted.ts };
}

/** A person says something: a slash command, or a message as it stands. */
export async function say(to: Acting, said: Say, user: string): Promise<Said> {
  const place = needMember(to.desk, said.channel, user);
  if (said.text.trim() === "") throw new Refusal("no_text");
  // Slack has a button for it; here it is typed.
  if (place.isArchived && said.text.trim() !== "/unarchive") throw new Refusal("is_archived");
  if (place.kind === "im" && to.desk.manifest.messagesReadOnly) throw new Refusal("restricted_action");
  if (!said.text.trimStart().startsWith("/")) return sayMessage(to, said, user);
  const done = await builtIn(to, said, user);
  if (done) return done;
  await sayCommand(to, said, user);
  return {};
}
