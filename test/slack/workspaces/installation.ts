import type { Installation } from "@slack/bolt";

/** The app as a workspace has installed it. */
export function installation(team: string, bot: Partial<Installation["bot"]> = {}): Installation<"v2", false> {
  return {
    team: { id: team },
    enterprise: undefined,
    user: { id: "U1", token: undefined, scopes: undefined },
    bot: { id: `B-${team}`, userId: "UBOT", token: `xoxb-${team}`, scopes: ["chat:write"], ...bot },
    isEnterpriseInstall: false,
  };
}

/** The app as an organisation has installed it, for all of its workspaces. */
export function organisationInstallation(enterprise: string): Installation<"v2", true> {
  return { ...installation(enterprise), team: undefined, enterprise: { id: enterprise }, isEnterpriseInstall: true };
}
