import { describe, expect, it } from "vitest";
import { alerts } from "../../src/features/alerts/commands.ts";
import { digests } from "../../src/features/digests/commands.ts";
import { NotYet, failureView } from "../../src/features/failure.ts";
import type { Services } from "../../src/features/feature.ts";
import type { ChannelState } from "../../src/slack/delivery/channels.ts";
import { answerOf, asking, now, services, wordsOf } from "../support/builders.ts";

const commands = {
  alerts: { command: alerts, line: "add all every 5 minutes" },
  digests: { command: digests, line: 'add search "copper" daily at 9:00' },
};
const both = Object.entries(commands);

/** A desk where Slack says so of every channel; `asked` counts its questions. */
function desk(state: ChannelState | undefined, about: Parameters<typeof services>[0] = {}) {
  const count = { asked: 0 };
  const look = async () => {
    count.asked++;
    return state;
  };
  const people = { timeZone: async () => "Europe/London", isAdmin: async () => false };
  const one = { at: now, entities: [] };
  const samples = { take: async () => one, since: async () => [one] };
  return { to: services({ people, samples, ...about, places: { look, ...about.places } }), count };
}

const standing = async ({ alerts: own, digests: others }: Services) =>
  (await own.ofTeam("T1")).length + (await others.ofTeam("T1")).length;

describe("a place that the bot is not in", () => {
  it.each(both)("is no place for %s, and it is said at once what to do", async (_, { command, line }) => {
    const { to } = desk("closed");
    const refused = await answerOf(command, asking(line), to).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(NotYet);
    expect(String(refused)).toMatch(/not in <#C1>.*`\/invite @Bellwether`.*group direct message.*`--in me`/);
    expect(await standing(to)).toBe(0);
    // After the invitation, the same is one press away.
    const view = failureView(refused, { now, configured: to.configured }, undefined, { line: `x ${line}`, user: "U1" });
    expect(wordsOf(view)).toContain("Try again");
    await answerOf(command, asking(`${line} --in me`), to);
    expect(await standing(to)).toBe(1);
  });

  it.each(both)("is no place to take one of the %s to", async (_, { command, line }) => {
    const { to } = desk("closed");
    await answerOf(command, asking(`${line} --in me`), to);
    await expect(answerOf(command, asking("edit 1 --in C0B"), to)).rejects.toThrow(
      /do not see <#C0B>.*In a channel, type `\/invite @Bellwether`.*group direct message takes no app later/,
    );
    const all = [...(await to.alerts.ofTeam("T1")), ...(await to.digests.ofTeam("T1"))];
    expect(all.map(({ channel }) => channel)).toEqual(["U1"]);
  });

  it.each(both)("takes %s where anybody may post, and says what is less sure there", async (_, { command, line }) => {
    const { to } = desk("open");
    expect(wordsOf(await answerOf(command, asking(line), to))).toMatch(/without being in it.*\/invite @Bellwether/);
    expect(await standing(to)).toBe(1);
    const { to: joined } = desk("joined");
    expect(wordsOf(await answerOf(command, asking(line), joined))).not.toContain("/invite");
  });

  it.each(both)("takes no %s where it is archived, and takes them where Slack says nothing", async (_, one) => {
    const archived = answerOf(one.command, asking(`${one.line} --in C0B`), desk("archived").to);
    await expect(archived).rejects.toThrow("<#C0B> is archived");
    const { to } = desk(undefined);
    await answerOf(one.command, asking(one.line), to);
    expect(await standing(to)).toBe(1);
  });
});
