import type { Installation, InstallationStore } from "@slack/bolt";
import { z } from "zod";

/** A stored installation, kept whole: token rotation needs fields that only Slack's SDK knows. */
export const installationSchema: z.ZodType<Installation> = z.custom<Installation>(
  (value) => z.looseObject({ bot: z.looseObject({ token: z.string() }).optional() }).safeParse(value).success,
);

interface InstallationRecords {
  get(key: string): Promise<Installation | undefined>;
  set(key: string, installation: Installation): Promise<void>;
  delete(key: string): Promise<boolean>;
  entries(): AsyncIterable<[string, Installation]>;
}

/** Where the bot is installed. */
export interface Installations extends Required<InstallationStore> {
  /** Whether it is installed in this workspace; known without asking the store. */
  isInstalled: (team: string) => boolean;
}

/** Installations in the store, by organisation for those on all of its workspaces, else by workspace. */
export async function openInstallations(records: InstallationRecords): Promise<Installations> {
  const installed = new Set<string>();
  for await (const [key] of records.entries()) installed.add(key);
  return {
    isInstalled: (team) => installed.has(team),
    async storeInstallation(installation) {
      const { team, enterprise, isEnterpriseInstall } = installation;
      const key = installationKey(team?.id, enterprise?.id, isEnterpriseInstall);
      await records.set(key, installation);
      installed.add(key);
    },
    async fetchInstallation({ teamId, enterpriseId, isEnterpriseInstall }) {
      const installation = await records.get(installationKey(teamId, enterpriseId, isEnterpriseInstall));
      if (!installation) throw new Error(`not installed in ${teamId ?? enterpriseId}`);
      return installation;
    },
    async deleteInstallation({ teamId, enterpriseId, isEnterpriseInstall }) {
      const key = installationKey(teamId, enterpriseId, isEnterpriseInstall);
      // First, so that nothing more is done for it, even where the store fails.
      installed.delete(key);
      await records.delete(key);
    },
  };
}

function installationKey(team: string | undefined, enterprise: string | undefined, isEnterprise = false): string {
  const id = isEnterprise ? enterprise : team;
  if (!id) throw new Error("an installation without a workspace");
  return id;
}
