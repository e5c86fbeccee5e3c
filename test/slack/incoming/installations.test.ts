import type { Installation, InstallationQuery } from "@slack/bolt";
import { describe, expect, it } from "vitest";

import { installationSchema, openInstallations } from "../../../src/slack/incoming/installations.ts";
import { memory } from "../../support/builders.ts";

async function setUp() {
  const kept = memory<Installation>();
  const records = {
    ...kept,
    set: (key: string, value: Installation) =>
      kept.set(key, installationSchema.parse(JSON.parse(JSON.stringify(value)))),
  };
  const open = () => openInstallations(records);
  return { open, installations: await open() };
}

function installation(team: string, token: string): Installation<"v2", false> {
  return {
    team: { id: team },
    enterprise: undefined,
    user: { id: "U1", token: undefined, scopes: undefined },
    bot: { id: "B1", userId: "UB", token, scopes: ["chat:write"], refreshToken: "r1", expiresAt: 5 },
    isEnterpriseInstall: false,
  };
}

function query(teamId: string): InstallationQuery<false> {
  return { teamId, enterpriseId: undefined, isEnterpriseInstall: false };
}

describe("installations", () => {
  it("come back as they were stored, each workspace with its own token", async () => {
    const { installations } = await setUp();
    await installations.storeInstallation(installation("T1", "xoxb-1"));
    await installations.storeInstallation(installation("T2", "xoxb-2"));
    expect(await installations.fetchInstallation(query("T1"))).toEqual(
      JSON.parse(JSON.stringify(installation("T1", "xoxb-1"))),
    );
    expect((await installations.fetchInstallation(query("T2"))).bot?.token).toBe("xoxb-2");
  });

  it("of a whole organisation serve all of its workspaces", async () => {
    const { installations } = await setUp();
    const whole: Installation<"v2", true> = {
      ...installation("T1", "xoxb-org"),
      team: undefined,
      enterprise: { id: "E1" },
      isEnterpriseInstall: true,
    };
    await installations.storeInstallation(whole);
    const asked = { teamId: "T7", enterpriseId: "E1", isEnterpriseInstall: true };
    expect((await installations.fetchInstallation(asked)).bot?.token).toBe("xoxb-org");
  });

  it("say where the bot is installed, also after a restart", async () => {
    const { installations, open } = await setUp();
    await installations.storeInstallation(installation("T1", "xoxb-1"));
    await installations.storeInstallation(installation("T2", "xoxb-2"));
    await installations.deleteInstallation(query("T1"));
    for (const known of [installations, await open()]) {
      expect(["T1", "T2", "T3"].map(known.isInstalled)).toEqual([false, true, false]);
    }
  });
});
