import type { Installation } from "@slack/bolt";

import {
  openInstallations,
  organisationSchema,
  storedInstallationSchema,
} from "../src/slack/workspaces/installations.ts";
import { createEncryption } from "../src/store/encryption.ts";
import { openStore } from "../src/store/store.ts";
import { systemClock } from "../src/schedule/clock.ts";

/** A workspace to install the bot in, and the bot's token and IDs there. */
interface Target {
  team: string;
  token: string;
  bot: string;
  botUser: string;
}

/** Installs the bot in workspaces: stores what an installation through Slack would. */
export async function installBot(storeUrl: string, key: Buffer, targets: Target[]): Promise<void> {
  const store = await openStore(storeUrl);
  const installations = await openInstallations({
    records: store.collection("installations", storedInstallationSchema),
    organisations: store.collection("organisations", organisationSchema),
    encryption: createEncryption([key]),
    rotation: {
      exchange: () => Promise.reject(new Error("these tokens don't expire")),
      exclusively: (name, work) => store.exclusively(name, work),
      timer: systemClock,
      log: { info() {}, warn() {} },
    },
  });
  for (const target of targets) await installations.storeInstallation(installationOf(target));
  await store.close();
}

function installationOf({ team, token, bot, botUser }: Target): Installation {
  return {
    team: { id: team },
    enterprise: undefined,
    user: { id: "U0INSTALLER", token: undefined, scopes: undefined },
    bot: { id: bot, userId: botUser, token, scopes: ["chat:write"] },
    appId: "A0BENCH",
    tokenType: "bot",
    authVersion: "v2",
    isEnterpriseInstall: false,
  };
}
