import type { Installation, InstallationStore } from "@slack/bolt";
import { z } from "zod";

/** An installation, kept whole: token rotation needs fields that only Slack's SDK knows. */
const installationSchema: z.ZodType<Installation> = z.custom<Installation>(
  (value) => z.looseObject({ bot: z.looseObject({ token: z.string() }).optional() }).safeParse(value).success,
);

/** An installation as it is stored: earlier versions kept it in plain text. */
export type StoredInstallation = { encrypted: string } | Installation;

export const storedInstallationSchema: z.ZodType<StoredInstallation> = z.union([
  z.strictObject({ encrypted: z.string() }),
  installationSchema,
]);

/** An earlier version would take an encrypted installation for none at all, so it has a version that it refuses. */
export const installationMigrations = [(value: unknown) => value];

interface InstallationRecords {
  get(key: string): Promise<StoredInstallation | undefined>;
  set(key: string, installation: StoredInstallation): Promise<void>;
  delete(key: string): Promise<boolean>;
  entries(): AsyncIterable<[string, StoredInstallation]>;
}

/** Encrypts for the key of a record, and decrypts there alone; decrypting throws where that cannot be done. */
interface Encryption {
  encrypt(text: string, place: string): string;
  decrypt(encrypted: string, place: string): string;
  isCurrent(encrypted: string): boolean;
}

/** Where the bot is installed. */
export interface Installations extends Required<InstallationStore> {
  /** Whether it is installed in this workspace; known without asking the store. */
  isInstalled: (team: string) => boolean;
  /** Reads anew which of the workspaces that fit have it, as another process has left that. */
  reload(fits: (team: string) => boolean): Promise<void>;
}

/** Stored installations cannot be decrypted; the message says which and what to do. */
class UnreadableInstallations extends Error {
  override readonly name = "UnreadableInstallations";
}

/**
 * Installations in the store, by organisation for those on all of its workspaces, else by workspace. They are encrypted
 * with the first key: one that is in plain text or was encrypted with an older key is written anew here. Rejects with
 * UnreadableInstallations where none of the keys fits.
 */
export async function openInstallations(records: InstallationRecords, encryption: Encryption): Promise<Installations> {
  const installed = new Set<string>();
  const outdated: [string, Installation][] = [];
  const unreadable: string[] = [];
  for await (const [key, stored] of records.entries()) {
    installed.add(key);
    try {
      const installation = read(key, stored);
      if (!("encrypted" in stored) || !encryption.isCurrent(stored.encrypted)) outdated.push([key, installation]);
    } catch {
      unreadable.push(key);
    }
  }
  if (unreadable.length > 0) throw new UnreadableInstallations(explainUnreadable(unreadable));
  for (const [key, installation] of outdated) await write(key, installation);

  function read(key: string, stored: StoredInstallation): Installation {
    return "encrypted" in stored
      ? installationSchema.parse(JSON.parse(encryption.decrypt(stored.encrypted, key)))
      : stored;
  }

  async function write(key: string, installation: Installation): Promise<void> {
    await records.set(key, { encrypted: encryption.encrypt(JSON.stringify(installation), key) });
  }

  return {
    isInstalled: (team) => installed.has(team),
    async reload(fits) {
      const found: string[] = [];
      for await (const [key] of records.entries()) if (fits(key)) found.push(key);
      for (const key of installed) if (fits(key)) installed.delete(key);
      for (const key of found) installed.add(key);
    },
    async storeInstallation(installation) {
      const { team, enterprise, isEnterpriseInstall } = installation;
      const key = installationKey(team?.id, enterprise?.id, isEnterpriseInstall);
      await write(key, installation);
      installed.add(key);
    },
    async fetchInstallation({ teamId, enterpriseId, isEnterpriseInstall }) {
      const key = installationKey(teamId, enterpriseId, isEnterpriseInstall);
      const stored = await records.get(key);
      if (!stored) throw new Error(`not installed in ${teamId ?? enterpriseId}`);
      // Another process may have stored it.
      installed.add(key);
      return read(key, stored);
    },
    async deleteInstallation({ teamId, enterpriseId, isEnterpriseInstall }) {
      const key = installationKey(teamId, enterpriseId, isEnterpriseInstall);
      // First, so that nothing more is done for it, even where the store fails.
      installed.delete(key);
      await records.delete(key);
    },
  };
}

function explainUnreadable(keys: string[]): string {
  const shown = keys.slice(0, 5).join(", ") + (keys.length > 5 ? ` and ${keys.length - 5} more` : "");
  return (
    `ENCRYPTION_KEY cannot decrypt the tokens of ${shown}. Add the key that they were encrypted with after the new one, ` +
    "separated by a comma. If it is lost, `npm start -- forget TEAM` deletes what is kept of a workspace, which then installs the app again."
  );
}

function installationKey(team: string | undefined, enterprise: string | undefined, isEnterprise = false): string {
  const id = isEnterprise ? enterprise : team;
  if (!id) throw new Error("an installation without a workspace");
  return id;
}
