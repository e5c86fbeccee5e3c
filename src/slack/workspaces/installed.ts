import { type App, type AuthorizeResult, type Context, type InstallationQuery, type Logger, webApi } from "@slack/bolt";

import { refusalOf } from "../delivery/refusal.ts";
import { clientOptions } from "../delivery/web-api.ts";
import { teamOf } from "../incoming/payload.ts";
import type { Installations } from "./installations.ts";
import type { createOAuth } from "./oauth.ts";

/** The workspaces where the bot is installed, and as whom. */
interface InstalledWorkspaces {
  authorize: (source: InstallationQuery<boolean>) => Promise<AuthorizeResult>;
  /** The bot's user in one workspace. */
  botOf: (team: string) => Promise<{ token: string; id: string; userId: string } | undefined>;
  remove(context: Context): Promise<void>;
  isInstalled: (team: string) => boolean;
}

/** The one workspace whose token is in the settings. */
export function oneWorkspace(identity: ReturnType<typeof createIdentity>): InstalledWorkspaces {
  let isRemoved = false;
  return {
    /** Called for each event but those about the token: if Slack sends anything else, the bot is installed again. */
    async authorize() {
      isRemoved = false;
      return identity();
    },
    async botOf() {
      const { botToken: token, botId: id, botUserId: userId } = await identity();
      return { token, id, userId };
    },
    async remove() {
      isRemoved = true;
    },
    isInstalled: () => !isRemoved,
  };
}

/** The workspaces that installed the bot, each with its own token. */
export function manyWorkspaces(
  { installations, authorize }: ReturnType<typeof createOAuth>,
  { apiUrl, logger }: { apiUrl: string; logger: Logger },
): InstalledWorkspaces {
  const client = new webApi.WebClient(undefined, { ...clientOptions(apiUrl), logger });

  /** Says whether Slack no longer takes a token; nothing if it does not say, or the token was to be refreshed. */
  async function isRevoked(token: string): Promise<boolean | undefined> {
    try {
      await client.auth.test({ token });
      return false;
    } catch (error) {
      const { reaction, code } = refusalOf("auth.test", error);
      return reaction === "install" && code !== "token_expired" ? true : undefined;
    }
  }

  return {
    authorize,
    botOf: (team) => installations.botOf(team),
    remove: (context) => installations.remove(context, isRevoked),
    isInstalled: installations.isInstalled,
  };
}

/**
 * Notes which organisation a workspace belongs to, for work that no request starts: a request on an installation of a whole
 * organisation names both. An organisation may take the app out of one of its workspaces.
 */
export function noteOrganisations(app: App, installations: Installations, logger: Logger): void {
  app.use(async ({ context, body, next }) => {
    const team = teamOf(context, body);
    const isWorkspace = team.startsWith("T");
    if (isWorkspace) context.teamId = team;
    const { isEnterpriseInstall, enterpriseId } = context;
    if (isWorkspace && isEnterpriseInstall && enterpriseId) {
      // The request itself is answered all the same, and the next one brings it again.
      await installations.joinOrganisation(team, enterpriseId).catch((error: unknown) => logger.error(error));
    }
    await next();
  });
  app.event("team_access_revoked", ({ event }) => installations.leaveOrganisation(event.team_ids));
}

/** Slack tells an app that it was removed from a workspace or lost its token there. */
export function listenForRemoval(app: App, workspaces: Pick<InstalledWorkspaces, "remove">, logger: Logger): void {
  const remove = async (context: Context) => {
    const where = context.teamId ?? context.enterpriseId;
    logger.warn(`${where} removed the app or revoked its token: alerts and digests wait until it is back`);
    await workspaces.remove(context);
  };
  app.event("app_uninstalled", ({ context }) => remove(context));
  app.event("tokens_revoked", async ({ context, event }) => {
    if (event.tokens.bot?.length) await remove(context);
  });
}

/** Asks Slack once who the bot is, so that authorising costs no call per event; a failure is asked again. */
export function createIdentity(botToken: string, { apiUrl, logger }: { apiUrl: string; logger: Logger }) {
  const client = new webApi.WebClient(botToken, { ...clientOptions(apiUrl), logger });
  let known: ReturnType<typeof ask> | undefined;

  async function ask() {
    const { bot_id: botId = "", user_id: botUserId = "", ...answer } = await client.auth.test();
    const { team_id: teamId = "", team = "", user = "" } = answer;
    return { botToken, botId, botUserId, teamId, team, user };
  }
  return () => {
    known ??= ask().catch((error: unknown) => {
      known = undefined;
      throw error;
    });
    return known;
  };
}
