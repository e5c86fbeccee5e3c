import { needText, textArg } from "../args.ts";
import type { Desk, Method } from "../desk.ts";
import type { Fields } from "../fields.ts";
import type { WorkspaceUser } from "../protocol.ts";
import { Refusal } from "../refusal.ts";
import { APP, TEAM, homeOf } from "../seed.ts";
import { pageOf } from "./conversations.ts";

/** Seconds a zone is ahead of UTC at a moment, by the calendar of this runtime. */
function offsetOf(timeZone: string, now: number): number {
  const parts = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" }).formatToParts(now);
  const name = parts.find((part) => part.type === "timeZoneName")?.value ?? "";
  const match = /GMT([+-])(\d{2}):(\d{2})/.exec(name);
  if (!match) return 0;
  const seconds = Number(match[2]) * 3600 + Number(match[3]) * 60;
  return match[1] === "-" ? -seconds : seconds;
}

function zoneName(timeZone: string, now: number): string {
  const parts = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "long" }).formatToParts(now);
  return parts.find((part) => part.type === "timeZoneName")?.value ?? timeZone;
}

/** Slack calls somebody a stranger while they share no channel with the app. */
function isStranger({ id, role }: WorkspaceUser, { world }: Desk): boolean {
  if (role !== "partner") return false;
  return !world.conversations().some(({ members }) => members.includes(id) && members.includes(APP.botUser));
}

function shownUser(user: WorkspaceUser, desk: Desk): Fields {
  const now = desk.clock.now();
  const home = homeOf(user.id);
  return {
    id: user.id,
    team_id: home,
    name: user.name,
    real_name: user.realName,
    deleted: false,
    tz: user.timeZone,
    tz_label: zoneName(user.timeZone, now),
    tz_offset: offsetOf(user.timeZone, now),
    profile: {
      real_name: user.realName,
      display_name: user.name,
      team: home,
      ...(user.isBot && { bot_id: APP.bot, api_app_id: APP.id }),
    },
    is_admin: user.role === "admin",
    is_owner: false,
    is_restricted: user.role === "guest",
    is_stranger: isStranger(user, desk),
    is_ultra_restricted: false,
    is_bot: user.isBot,
    is_app_user: false,
    locale: "en-US",
    updated: 1_700_000_000,
  };
}

const info: Method = (desk, args) => {
  const user = desk.world.user(needText(args, "user", "user_not_found"));
  if (!user) throw new Refusal("user_not_found");
  return { user: shownUser(user, desk) };
};

const list: Method = (desk, args) => {
  const { items, response_metadata } = pageOf(desk.world.users(), args, { usual: 200, most: 1000 });
  return { members: items.map((user) => shownUser(user, desk)), response_metadata };
};

const bot: Method = (desk, args) => {
  if ((textArg(args, "bot") ?? APP.bot) !== APP.bot) throw new Refusal("bot_not_found");
  const { name } = desk.manifest;
  return {
    bot: { id: APP.bot, deleted: false, name, app_id: APP.id, user_id: APP.botUser, updated: 1_700_000_000, icons: {} },
  };
};

function whoami(desk: Desk): Fields {
  const user = desk.world.user(APP.botUser)?.name;
  const ours = { user_id: APP.botUser, bot_id: APP.bot, is_enterprise_install: false };
  return { url: `${desk.url()}/`, team: TEAM.name, user, team_id: TEAM.id, ...ours };
}

const team: Method = () => ({
  team: { id: TEAM.id, name: TEAM.name, domain: TEAM.domain, email_domain: "", icon: {} },
});

/** The methods about people, the app itself and its connection. */
export const userMethods: Record<string, Method> = {
  "api.test": (_desk, args) => ({ args }),
  "apps.connections.open": (desk) => ({ url: desk.link.address() }),
  "auth.test": whoami,
  "bots.info": bot,
  "team.info": team,
  "users.info": info,
  "users.list": list,
};
