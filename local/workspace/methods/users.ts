import { flagArg, needText } from "../args.ts";
import type { WorkspaceClock } from "../clock.ts";
import type { Fields } from "../page/fields.ts";
import type { WorkspaceUser } from "../protocol.ts";
import { APP, TEAM, homeOf } from "../seed.ts";
import { SlackError } from "../slack-error.ts";
import type { SocketMode } from "../socket-mode.ts";
import type { WorkspaceWorld } from "../world.ts";
import type { SlackMethod } from "./method.ts";

/** Parts of the workspace for the methods about people, the app itself and its Socket Mode address. */
export interface UserContext {
  world: WorkspaceWorld;
  clock: WorkspaceClock;
  socket: SocketMode;
  /** The page's address. */
  url: () => string;
}

function zoneName(timeZone: string, now: number, timeZoneName: "long" | "longOffset"): string {
  const parts = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName }).formatToParts(now);
  return parts.find((part) => part.type === "timeZoneName")?.value ?? timeZone;
}

/** The time that a zone is ahead of UTC at a moment, in seconds. */
function zoneOffset(timeZone: string, now: number): number {
  const match = /GMT([+-])(\d{2}):(\d{2})/.exec(zoneName(timeZone, now, "longOffset"));
  const seconds = Number(match?.[2] ?? 0) * 3600 + Number(match?.[3] ?? 0) * 60;
  return match?.[1] === "-" ? -seconds : seconds;
}

/** Whether somebody is a stranger to Slack: a partner who shares no channel with the app. */
function isStranger({ id, role }: WorkspaceUser, world: WorkspaceWorld): boolean {
  if (role !== "partner") return false;
  return !world.conversations().some(({ members }) => members.includes(id) && members.includes(APP.botUser));
}

function shownUser(user: WorkspaceUser, { world, clock }: UserContext, hasLocale: boolean): Fields {
  const now = clock.now();
  const team = homeOf(user.id);
  return {
    id: user.id,
    team_id: team,
    name: user.name,
    real_name: user.realName,
    deleted: false,
    tz: user.timeZone,
    tz_label: zoneName(user.timeZone, now, "long"),
    tz_offset: zoneOffset(user.timeZone, now),
    profile: {
      real_name: user.realName,
      display_name: user.realName,
      team,
      ...(user.isBot && { bot_id: APP.bot, api_app_id: APP.id }),
    },
    is_admin: user.role === "admin",
    is_owner: false,
    is_restricted: user.role === "guest",
    is_stranger: isStranger(user, world),
    is_ultra_restricted: false,
    is_bot: user.isBot,
    is_app_user: false,
    ...(hasLocale && { locale: user.locale ?? "en-US" }),
    updated: 1_700_000_000,
  };
}

const info: SlackMethod<UserContext> = (context, args) => {
  const user = context.world.user(needText(args, "user", "user_not_found"));
  if (!user) throw new SlackError("user_not_found");
  return { user: shownUser(user, context, flagArg(args, "include_locale")) };
};

const whoami: SlackMethod<UserContext> = ({ world, url }) => {
  const user = world.user(APP.botUser)?.name;
  const ours = { user_id: APP.botUser, bot_id: APP.bot, is_enterprise_install: false };
  return { url: `${url()}/`, team: TEAM.name, user, team_id: TEAM.id, ...ours };
};

/** The methods about people, the app itself and its connection. */
export const userMethods: Record<string, SlackMethod<UserContext>> = {
  "apps.connections.open": ({ socket }) => ({ url: socket.address() }),
  "auth.test": whoami,
  "users.info": info,
};
