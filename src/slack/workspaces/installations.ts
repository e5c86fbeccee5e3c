import type { Installation, InstallationQuery } from "@slack/bolt";
import { z } from "zod";

import type { Records } from "../records.ts";
import { type TokenRotation, createFreshReader } from "./tokens.ts";

/** An installation, kept whole: token rotation needs fields that only Slack's SDK knows. */
const installationSchema: z.ZodType<Installation> = z.custom<Installation>(
  (value) => z.looseObject({ bot: z.looseObject({ token: z.string() }).optional() }).safeParse(value).success,
);

/** An installation as it is stored. */
export const storedInstallationSchema = z.object({ encrypted: z.string() });
export type StoredInstallation = z.infer<typeof storedInstallationSchema>;

/** The organisation whose installation a workspace uses, by the workspace. */
export const organisationSchema = z.object({ enterprise: z.string() });

/** Encrypts for the key of a record, and decrypts there alone; decrypting throws if that cannot be done. */
interface Encryption {
  encrypt(text: string, place: string): string;
  decrypt(encrypted: string, place: string): string;
  isCurrent(encrypted: string): boolean;
}

/** The places where the bot is installed. A workspace uses its own installation, or that of its organisation. */
export type Installations = Awaited<ReturnType<typeof openInstallations>>;

/** Nobody has installed the bot there. */
export class NotInstalled extends Error {
  override readonly name = "NotInstalled";
}

type Bot = NonNullable<Installation["bot"]>;

/** Slack's description of an installation that was removed. */
type Removal = Partial<Pick<InstallationQuery<boolean>, "teamId" | "enterpriseId" | "isEnterpriseInstall">>;

/** Stored installations cannot be decrypted; the message says which and what to do. */
class UnreadableInstallations extends Error {
  override readonly name = "UnreadableInstallations";
}

interface InstallationsOptions {
  records: Records<StoredInstallation>;
  organisations: Omit<Records<z.infer<typeof organisationSchema>>, "get">;
  encryption: Encryption;
  rotation: TokenRotation;
}

/**
 * Installations in the store, by organisation for those on all of its workspaces, else by workspace. They are encrypted
 * with the first key: one that was encrypted with an older key is written anew when they are opened. Rejects with
 * UnreadableInstallations if none of the keys fits.
 */
export async function openInstallations(options: InstallationsOptions) {
  const { records, organisations, encryption, rotation } = options;
  const installed = new Set<string>();
  const organisationOf = new Map<string, string>();
  const readFresh = createFreshReader({ read, write }, rotation);

  async function read(key: string): Promise<Installation | undefined> {
    const stored = await records.get(key);
    return stored && decrypt(key, stored);
  }

  function decrypt(key: string, stored: StoredInstallation): Installation {
    return installationSchema.parse(JSON.parse(encryption.decrypt(stored.encrypted, key)));
  }

  async function write(key: string, installation: Installation): Promise<void> {
    await records.set(key, { encrypted: encryption.encrypt(JSON.stringify(installation), key) });
    installed.add(key);
  }

  /** Reads anew in which of the workspaces that fit it is installed, as another process has left that. */
  async function reload(fits: (team: string) => boolean): Promise<void> {
    const [keys, pairs] = [new Set<string>(), new Map<string, string>()];
    // Several processes work for the workspaces of an organisation.
    const isWanted = (key: string) => fits(key) || key.startsWith("E");
    for await (const [key] of records.entries()) if (isWanted(key)) keys.add(key);
    for await (const [team, { enterprise }] of organisations.entries()) if (fits(team)) pairs.set(team, enterprise);
    for (const key of installed) if (isWanted(key) && !keys.has(key)) installed.delete(key);
    for (const team of organisationOf.keys()) if (fits(team) && !pairs.has(team)) organisationOf.delete(team);
    for (const key of keys) installed.add(key);
    for (const [team, enterprise] of pairs) organisationOf.set(team, enterprise);
  }

  /** The installation under the first of these IDs that has one. */
  async function findFresh(ids: (string | undefined)[]): Promise<Installation> {
    for (const key of new Set(ids)) {
      if (!key) continue;
      const found = await readFresh(key);
      // Another process may have installed or removed it.
      if (found) installed.add(key);
      else installed.delete(key);
      if (found) return found;
    }
    throw new NotInstalled(`not installed in ${ids.find(Boolean)}`);
  }

  const organisation = (team: string | undefined) => (team === undefined ? undefined : organisationOf.get(team));

  /** Finds what is not encrypted with the first key. */
  async function findOutdated(): Promise<string[]> {
    const found: string[] = [];
    const unreadable: string[] = [];
    for await (const [key, stored] of records.entries()) {
      try {
        decrypt(key, stored);
        if (!encryption.isCurrent(stored.encrypted)) found.push(key);
      } catch {
        unreadable.push(key);
      }
    }
    if (unreadable.length > 0) throw new UnreadableInstallations(explainUnreadable(unreadable));
    return found;
  }

  /** Encrypts anew what an older key encrypted. */
  async function encryptAnew(): Promise<void> {
    const outdated = await findOutdated();
    for (const key of outdated) {
      // Not while its token is refreshed: Slack takes the older one no more.
      await rotation.exclusively(`token ${key}`, async () => {
        const installation = await read(key);
        if (installation) await write(key, installation);
      });
    }
    if (outdated.length > 0) rotation.log.info("tokens.encrypted", { count: outdated.length });
  }

  await encryptAnew();
  await reload(() => true);
  return {
    /** It is installed in this workspace, or in its organisation; known without asking the store. */
    isInstalled: (team: string): boolean => installed.has(team) || installed.has(organisation(team) ?? ""),
    /** The bot in a workspace, with a token that is valid; rejects if it is not installed. */
    async botOf(team: string): Promise<Bot | undefined> {
      return (await findFresh([team, organisation(team)])).bot;
    },
    async storeInstallation(installation: Installation): Promise<void> {
      const { team, enterprise, isEnterpriseInstall } = installation;
      const key = isEnterpriseInstall ? enterprise?.id : team?.id;
      if (!key) throw new Error("an installation without a workspace");
      await write(key, installation);
    },
    async fetchInstallation({ teamId, enterpriseId, isEnterpriseInstall }: InstallationQuery<boolean>) {
      // Slack does not always say that the app is installed on the organisation, or names that as the workspace.
      const first = isEnterpriseInstall ? enterpriseId : teamId;
      return withoutRotation(await findFresh([first, teamId, enterpriseId, organisation(teamId)]));
    },
    /** Notes that a workspace uses the installation of its organisation. */
    async joinOrganisation(team: string, enterprise: string): Promise<void> {
      if (organisationOf.get(team) === enterprise) return;
      await organisations.set(team, { enterprise });
      organisationOf.set(team, enterprise);
    },
    /** Notes that workspaces no longer use the installation of their organisation. */
    async leaveOrganisation(teams: string[]): Promise<void> {
      for (const team of teams) {
        organisationOf.delete(team);
        await organisations.delete(team);
      }
    },
    /** Deletes the installation that was removed, if `isGone` does not find that its token still works. */
    async remove(
      { teamId, enterpriseId, isEnterpriseInstall }: Removal,
      isGone: (token: string) => Promise<boolean | undefined>,
    ): Promise<void> {
      const named = isEnterpriseInstall || !teamId ? enterpriseId : teamId;
      for (const key of new Set([named, enterpriseId, organisation(teamId)])) {
        const installation = key === undefined ? undefined : await read(key);
        if (key === undefined || !installation) continue;
        // Slack may tell of it late, when it is installed again, and may name one workspace when it was the organisation.
        if ((await isGone(installation.bot?.token ?? "")) ?? key === named) {
          // First, so that nothing more is done for it, even if the store fails.
          installed.delete(key);
          await records.delete(key);
        }
        return;
      }
    },
    reload,
  };
}

/** An installation as the SDK reads it, which would refresh tokens by itself, for each request on its own. */
function withoutRotation({ bot, user: _user, ...installation }: Installation): Installation {
  const { refreshToken: _refreshToken, expiresAt: _expiresAt, ...lasting } = bot ?? {};
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the SDK does without a user
  return { ...installation, ...(bot && { bot: lasting }) } as Installation;
}

function explainUnreadable(keys: string[]): string {
  const shown = keys.slice(0, 5).join(", ") + (keys.length > 5 ? ` and ${keys.length - 5} more` : "");
  return (
    `ENCRYPTION_KEY cannot decrypt the tokens of ${shown}. Add the key that they were encrypted with after the new one, ` +
    "separated by a comma. If it is lost, `npm start -- forget TEAM` deletes what is kept of a workspace, which then installs the app again."
  );
}
