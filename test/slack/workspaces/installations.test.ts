import type { InstallationQuery } from "@slack/bolt";
import { describe, expect, it } from "vitest";

import {
  type StoredInstallation,
  openInstallations,
  storedInstallationSchema,
} from "../../../src/slack/workspaces/installations.ts";
import type { TokenRotation } from "../../../src/slack/workspaces/tokens.ts";
import { createEncryption } from "../../../src/store/encryption.ts";
import { memory } from "../../support/builders.ts";
import { createClock } from "../../support/clock.ts";
import { installation, organisationInstallation } from "./installation.ts";

const [older, newer] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];

async function setUp() {
  const kept = memory<StoredInstallation>();
  const organisations = memory<{ enterprise: string }>();
  const records = {
    ...kept,
    set: (key: string, value: StoredInstallation) =>
      kept.set(key, storedInstallationSchema.parse(JSON.parse(JSON.stringify(value)))),
  };
  const lines: string[] = [];
  const rotation = { ...noRotation, log: { ...noRotation.log, info: (event: string) => void lines.push(event) } };
  const open = (...keys: Buffer[]) =>
    openInstallations({ records, organisations, encryption: createEncryption(keys), rotation });
  return { open, records, organisations, lines, installations: await open(older) };
}

/** The tokens of these tests do not expire. */
const noRotation: TokenRotation = {
  exchange: () => expect.fail("a token was refreshed"),
  exclusively: (_name, work) => work(),
  timer: createClock(),
  log: { info: () => undefined, warn: () => undefined },
};

async function stored(records: { entries(): AsyncIterable<[string, StoredInstallation]> }): Promise<string> {
  const all = [];
  for await (const entry of records.entries()) all.push(entry);
  return JSON.stringify(all);
}

function query(teamId: string): InstallationQuery<false> {
  return { teamId, enterpriseId: undefined, isEnterpriseInstall: false };
}

const isGone = async () => true;

describe("installations", () => {
  it("come back as they were stored, each workspace with its own token", async () => {
    const { installations } = await setUp();
    await installations.storeInstallation(installation("T1"));
    await installations.storeInstallation(installation("T2"));
    const { user: _user, ...first } = installation("T1");
    expect(await installations.fetchInstallation(query("T1"))).toEqual(JSON.parse(JSON.stringify(first)));
    expect((await installations.botOf("T2"))?.token).toBe("xoxb-T2");
    await expect(installations.botOf("T3")).rejects.toThrow("not installed in T3");
  });

  it.each([
    ["says so", { teamId: "T7", enterpriseId: "E1", isEnterpriseInstall: true }],
    ["does not say so", { teamId: "T7", enterpriseId: "E1", isEnterpriseInstall: false }],
    ["names it as the workspace", { teamId: "E1", enterpriseId: undefined, isEnterpriseInstall: false }],
  ])("of a whole organisation serve a request from any of its workspaces, also if Slack %s", async (_, asked) => {
    const { installations } = await setUp();
    await installations.storeInstallation(installation("T1"));
    await installations.storeInstallation(organisationInstallation("E1"));
    expect((await installations.fetchInstallation(asked)).bot?.token).toBe("xoxb-E1");
  });

  it("of a whole organisation serve jobs, too, in workspaces that have used it and have none of their own", async () => {
    const { installations, open } = await setUp();
    await installations.storeInstallation(organisationInstallation("E1"));
    await installations.storeInstallation(installation("T2"));
    for (const team of ["T1", "T2"]) await installations.joinOrganisation(team, "E1");
    for (const known of [installations, await open(older)]) {
      const bots = await Promise.all(["T1", "T2"].map((team) => known.botOf(team)));
      expect(bots.map((bot) => bot?.token)).toEqual(["xoxb-E1", "xoxb-T2"]);
      await expect(known.botOf("T3")).rejects.toThrow("not installed in T3");
      expect(["T1", "T2", "T3", "E1"].map(known.isInstalled)).toEqual([true, true, false, true]);
    }
    await installations.leaveOrganisation(["T1"]);
    expect(["T1", "T2", "E1"].map(installations.isInstalled)).toEqual([false, true, true]);
  });

  it("say where the bot is installed, also after a restart, and of what another process does", async () => {
    const { installations, open } = await setUp();
    const other = await open(older);
    await installations.storeInstallation(installation("T1"));
    await installations.storeInstallation(installation("T2"));
    await installations.storeInstallation(organisationInstallation("E1"));
    await installations.joinOrganisation("T4", "E1");
    await installations.remove({ teamId: "T1" }, isGone);
    await other.reload((team) => team !== "E1");
    for (const known of [installations, other, await open(older)]) {
      expect(["T1", "T2", "T3", "T4"].map(known.isInstalled)).toEqual([false, true, false, true]);
    }
  });

  it("are removed once Slack no longer takes their token: it may tell of it when the app is back", async () => {
    const { installations } = await setUp();
    await installations.storeInstallation(installation("T1"));
    await installations.remove({ teamId: "T1" }, async () => false);
    expect(installations.isInstalled("T1")).toBe(true);
    const asked: string[] = [];
    await installations.remove({ teamId: "T1" }, async (token) => {
      asked.push(token);
      return undefined;
    });
    expect(asked).toEqual(["xoxb-T1"]);
    expect(installations.isInstalled("T1")).toBe(false);
    await installations.remove({ teamId: "T1" }, () => expect.fail("nothing is left to ask about"));
  });

  it.each([
    ["says so", { teamId: "T1", enterpriseId: "E1", isEnterpriseInstall: true }, true],
    ["names no workspace", { enterpriseId: "E1" }, true],
    ["names it as the workspace", { teamId: "E1" }, true],
    ["names one of its workspaces", { teamId: "T1", enterpriseId: "E1" }, true],
    ["names one of its workspaces only", { teamId: "T1" }, true],
    ["names a workspace with an installation of its own", { teamId: "T2", enterpriseId: "E1" }, false],
  ])("of an organisation are removed with all of its workspaces, if Slack %s", async (_, removal, isRemoved) => {
    const { installations } = await setUp();
    await installations.storeInstallation(organisationInstallation("E1"));
    await installations.storeInstallation(installation("T2"));
    for (const team of ["T1", "T2"]) await installations.joinOrganisation(team, "E1");
    await installations.remove(removal, isGone);
    expect(["E1", "T1"].map(installations.isInstalled)).toEqual([!isRemoved, !isRemoved]);
    expect(installations.isInstalled("T2")).toBe(true);
  });

  it("of an organisation stay if Slack names a workspace, and does not say what became of the token", async () => {
    const { installations } = await setUp();
    await installations.storeInstallation(organisationInstallation("E1"));
    await installations.remove({ teamId: "T1", enterpriseId: "E1" }, async () => undefined);
    expect(installations.isInstalled("E1")).toBe(true);
  });

  it("are encrypted in the store, and a record in plain text is refused", async () => {
    const { installations, records } = await setUp();
    await installations.storeInstallation(installation("T1"));
    expect(await stored(records)).not.toMatch(/xoxb|chat:write/);
    expect(storedInstallationSchema.safeParse(installation("T0")).success).toBe(false);
  });

  it("are encrypted anew when there is a new key, after which the old one is not needed", async () => {
    const { installations, open } = await setUp();
    await installations.storeInstallation(installation("T1"));
    await open(newer, older);
    expect((await (await open(newer)).fetchInstallation(query("T1"))).bot?.token).toBe("xoxb-T1");
    await expect(open(older)).rejects.toThrow(/^ENCRYPTION_KEY cannot decrypt the tokens of T1\. /);
  });

  it("are never read as those of another workspace", async () => {
    const { installations, records } = await setUp();
    await installations.storeInstallation(installation("T1"));
    await records.set("T2", (await records.get("T1")) ?? { encrypted: "" });
    await expect(installations.fetchInstallation(query("T2"))).rejects.toThrow(/belongs to another record/);
  });
});
