import type { WorkspaceConversation, WorkspaceUser } from "./protocol.ts";

/** The contents of a new workspace: its team, people and channels. */
export const TEAM = { id: "T0HARBOUR1", name: "Harbour Desk", domain: "harbour-desk" };

/** The other workspace, with which channels are shared. */
export const PARTNER = { id: "T0NORTHWI1", name: "Northwire" };

/** The app's IDs in this workspace; its name comes from the manifest. */
export const APP = { id: "A0BELLWTH1", bot: "B0BELLWTH1", botUser: "U0BELLWTH1" };

/** The person that the page acts as. */
export const ME = "U0MARALIN1";

/** The people of the workspace, each in a time zone of their own. */
const STAFF: WorkspaceUser[] = [
  person(ME, "mara", "Mara Lindqvist", "Europe/Stockholm"),
  person("U0TOMASOK1", "tomas", "Tomás Okafor", "Europe/London"),
  person("U0PRIYAVE1", "priya", "Priya Venkatesan", "Asia/Kolkata"),
  person("U0JONASRE1", "jonas", "Jonas Reuter", "Europe/Berlin"),
  { ...person("U0ELLISHA1", "ellis", "Ellis Hart", "America/New_York"), role: "admin" },
  person("U0KEIKOMO1", "keiko", "Keiko Mori", "Asia/Tokyo"),
];

/** Everybody: the people of the workspace, a guest, and a person of the other workspace. */
export const PEOPLE: WorkspaceUser[] = [
  ...STAFF,
  { ...person("U0NOORHAD1", "noor", "Noor Haddad", "Asia/Beirut"), role: "guest" },
  { ...person("U0SAMWHIT1", "sam", "Sam Whitfield", "Europe/Dublin"), role: "partner" },
];

function person(id: string, name: string, realName: string, timeZone: string): WorkspaceUser {
  return { id, name, realName, isBot: false, timeZone, role: "member" };
}

/** The workspace that a person belongs to. */
export function homeOf(user: string): string {
  return PEOPLE.some(({ id, role }) => id === user && role === "partner") ? PARTNER.id : TEAM.id;
}

/** Whether a person sees only the channels that they are in. */
export function isFromOutside(user: string): boolean {
  return PEOPLE.some(({ id, role }) => id === user && (role === "guest" || role === "partner"));
}

const everyone = STAFF.map((one) => one.id);
const some = (...names: string[]) => PEOPLE.filter((one) => names.includes(one.name)).map((one) => one.id);

function channel(id: string, name: string, topic: string, members: string[]): WorkspaceConversation {
  return { id, name, kind: "channel", topic, members, isArchived: false };
}

/** The channels; the app is a member of those that list its user. */
export const CHANNELS: WorkspaceConversation[] = [
  channel("C0NEWSROOM", "newsroom", "What we run today, and why", [...everyone, APP.botUser]),
  channel("C0ENERGYDK", "energy-desk", "Oil, gas, power, carbon", [
    ...some("mara", "tomas", "keiko", "jonas"),
    APP.botUser,
  ]),
  channel("C0POLICYDK", "policy", "Laws, regulators, elections", [...some("mara", "priya", "ellis"), APP.botUser]),
  channel("C0RANDOMXX", "random", "Off the record", everyone),
  { ...channel("C0DEALROOM", "deal-room", "Nothing leaves this room", some("mara", "ellis")), kind: "private" },
  {
    ...channel("C0REGULATE", "regulators-private", "Filings before they are public", [
      ...some("mara", "priya", "jonas"),
      APP.botUser,
    ]),
    kind: "private",
  },
  {
    ...channel("C0PARTNERS", "partners", "With Northwire, who read along here", [
      ...some("mara", "tomas", "ellis", "noor", "sam"),
      APP.botUser,
    ]),
    isShared: true,
  },
];

/** A group direct message that the app is in. */
export const GROUP = { id: "G0MARATOMA", members: [ME, "U0TOMASOK1", APP.botUser] };

/** A channel with everybody and the app in it; the name determines its ID. */
export function openChannel(name: string): WorkspaceConversation {
  const id = `C0${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, "")}`;
  return channel(id, name, "", [...everyone, APP.botUser]);
}
