import type { Installation, InstallationStore } from "@slack/bolt";
import { z } from "zod";

/** A stored installation, kept whole: token rotation needs fields that only Slack's SDK knows. */
export const installationSchema: z.ZodType<Installation> = z.custom<Installation>(
  (value) => z.looseObject({ bot: z.looseObject({ token: z.string() }).optional() }).safeParse(value).success,
);

interface Records {
  get(key: string): Promise<Installation | undefined>;
  set(key: string, installation: Installation): Promise<void>;
  delete(key: string): Promise<boolean>;
}

/** Where the bot is installed, by organisation for installations on all of its workspaces, else by workspace. */
export function createInstallations(records: Records): InstallationStore {
  return {
    async storeInstallation(installation) {
      const { team, enterprise, isEnterpriseInstall } = installation;
      await records.set(keyOf(team?.id, enterprise?.id, isEnterpriseInstall), installation);
    },
    async fetchInstallation({ teamId, enterpriseId, isEnterpriseInstall }) {
      const installation = await records.get(keyOf(teamId, enterpriseId, isEnterpriseInstall));
      if (!installation) throw new Error(`not installed in ${teamId ?? enterpriseId}`);
      return installation;
    },
    async deleteInstallation({ teamId, enterpriseId, isEnterpriseInstall }) {
      await records.delete(keyOf(teamId, enterpriseId, isEnterpriseInstall));
    },
  };
}

function keyOf(team: string | undefined, enterprise: string | undefined, isEnterprise = false): string {
  const id = isEnterprise ? enterprise : team;
  if (!id) throw new Error("an installation without a workspace");
  return id;
}
