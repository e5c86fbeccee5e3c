import type { Installation, InstallationQuery } from "@slack/bolt";
import { describe, expect, it } from "vitest";

import {
  type StoredInstallation,
  openInstallations,
  storedInstallationSchema,
} from "../../../src/slack/incoming/installations.ts";
import { createEncryption } from "../../../src/store/encryption.ts";
import { memory } from "../../support/builders.ts";

const [older, newer] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];

async function setUp(first: [string, StoredInstallation][] = []) {
  const kept = memory<StoredInstallation>(first);
  const records = {
    ...kept,
    set: (key: string, value: StoredInstallation) =>
      kept.set(key, storedInstallationSchema.parse(JSON.parse(JSON.stringify(value)))),
  };
  const open = (...keys: Buffer[]) => openInstallations(records, createEncryption(keys));
  return { open, records, installations: await open(older) };
}

async function stored(records: { entries(): AsyncIterable<[string, StoredInstallation]> }): Promise<string> {
  const all = [];
  for await (const entry of records.entries()) all.push(entry);
  return JSON.stringify(all);
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
    for (const known of [installations, await open(older)]) {
      expect(["T1", "T2", "T3"].map(known.isInstalled)).toEqual([false, true, false]);
    }
  });

  it("are encrypted in the store, those of earlier versions from the next start on", async () => {
    const { installations, records } = await setUp([["T0", installation("T0", "xoxb-plain")]]);
    await installations.storeInstallation(installation("T1", "xoxb-1"));
    expect(await stored(records)).not.toMatch(/xoxb-/);
    expect((await installations.fetchInstallation(query("T0"))).bot?.token).toBe("xoxb-plain");
  });

  it("are encrypted anew when there is a new key, after which the old one is not needed", async () => {
    const { installations, open } = await setUp();
    await installations.storeInstallation(installation("T1", "xoxb-1"));
    await open(newer, older);
    expect((await (await open(newer)).fetchInstallation(query("T1"))).bot?.token).toBe("xoxb-1");
    await expect(open(older)).rejects.toThrow(/^ENCRYPTION_KEY cannot decrypt the tokens of T1\. /);
  });

  it("are never read as those of another workspace", async () => {
    const { installations, records } = await setUp();
    await installations.storeInstallation(installation("T1", "xoxb-1"));
    await records.set("T2", (await records.get("T1")) ?? { encrypted: "" });
    await expect(installations.fetchInstallation(query("T2"))).rejects.toThrow(/belongs to another record/);
  });
});
