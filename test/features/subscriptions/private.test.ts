import { describe, expect, it } from "vitest";

import { alerts } from "../../../src/features/alerts/commands.ts";
import { watchTrends } from "../../../src/features/alerts/job.ts";
import { digests } from "../../../src/features/digests/commands.ts";
import { openNow } from "../../../src/features/alerts/acknowledge.ts";
import { alertEntry } from "../../../src/features/alerts/view.ts";
import { digestEntry } from "../../../src/features/digests/view.ts";
import { isNear, onlyVisible } from "../../../src/features/subscriptions/permission.ts";
import { homePage } from "../../../src/features/home/commands.ts";
import { watchlistSourceOf } from "../../../src/features/sources/watchlist.ts";
import { createWatchlists } from "../../../src/features/sources/watchlist-store.ts";
import type { Ask } from "../../../src/features/feature.ts";
import { answerOf, orHint } from "../../support/answers.ts";
import { article, asking, memory } from "../../support/builders.ts";
import { desk } from "../alerts/desk.ts";
import { hour, incident } from "../alerts/setting.ts";
import { daily, digestDesk } from "../digests/setting.ts";

const name = "Takeover targets";
const question = "Who bids for whom?";
const search = "project lighthouse";
const headline = "Alba is said to be in talks";
const isSecret = new RegExp([name, question, search, headline].join("|"), "i");

/** What U1 follows in a channel of Slack or alone, with a spike that nobody has taken; U2 is in C1 alone. */
async function following(channel: string, escalateTo?: string) {
  const here = desk();
  here.state.articles = [article({ title: headline, published: here.state.now - hour })];
  const watchlists = createWatchlists(memory());
  const draft = { team: "T1", owner: "U1", name, isShared: false, groups: [[{ id: 7, name: "Alba" }]], excluded: [] };
  const list = await watchlists.add(draft, { by: "U1", at: here.state.now }, async () => undefined);
  const isIn = async ({ user }: { user: string }, to: string) => user === "U1" || to === "C1";
  const joined = async ({ user }: { user: string }) => new Set(user === "U1" ? ["C1", "C7"] : ["C1"]);
  const slackChannels = { ...here.services.slackChannels, isIn, joined };
  const services = {
    ...digestDesk().services(),
    ...here.services,
    watchlists,
    slackChannels,
    configured: { ...here.services.configured, gateway: true },
  };
  const source = watchlistSourceOf(list);
  const options = { sensitivity: "eager" as const, ...(escalateTo && { escalateTo }) };
  const alert = await here.add({ source, channel, options });
  await here.add({ source: { kind: "search", query: search }, channel });
  const common = { team: "T1", owner: "U1", channel, schedule: daily, nextRun: here.state.now };
  await services.digests.add({ ...common, source }, here.state.now);
  await services.digests.add({ ...common, source: { kind: "ask", question, within: source } }, here.state.now);
  await watchTrends.run(services);
  const entity = `watchlist|T1 ${list.id} 1`;
  await services.alerts.update(alert, (current) => ({ ...current, incidents: [incident({ entity, name })] }));
  const seenBy = async (user: string, line: string, about: Partial<Ask> = {}) => {
    const [verb, ...words] = line.split(" ");
    const asked = asking(words.join(" "), { user, channel: "C1", ...about });
    const answer = verb === "alerts" ? answerOf(alerts, asked, services) : answerOf(digests, asked, services);
    return JSON.stringify(await orHint(answer));
  };
  return { seenBy, services };
}

const lines = [
  "alerts list",
  "alerts open",
  "alerts test 1",
  "alerts test 2",
  "alerts why Alba --alert 1",
  "alerts why-not Alba --alert 1",
  "alerts why-not Alba",
  "alerts take #12345678 --alert 1",
  "alerts mute Alba 1d --alert 1",
  "alerts history 1",
  "alerts history 2",
  "alerts edit 1 eager",
  "alerts pause 1",
  "alerts resume 1",
  "alerts remove 1",
  "digests list",
  "digests test 1",
  "digests test 2",
  "digests why 1",
  "digests why-not 1 https://news.example.com/1",
  "digests history 1",
  "digests history 2",
  "digests edit 2 daily",
  "digests pause 1",
  "digests remove 2",
];

describe("a subscription in direct messages, or in a channel that others aren’t in", () => {
  it.each(lines)("is shown to nobody else by /%s", async (line) => {
    for (const channel of ["U1", "C7"]) {
      const { seenBy } = await following(channel);
      for (const about of [{}, { channel: "D2" }, { surface: "mention" as const }]) {
        expect(await seenBy("U2", line, about)).not.toMatch(isSecret);
      }
    }
  });

  it.each(["U1", "C7"])("is on nobody else’s Home tab: %s", async (channel) => {
    const { services } = await following(channel);
    const parts = { openNow, alertEntry, digestEntry, isNear, onlyVisible };
    const homeOf = async (user: string) => JSON.stringify(await homePage({ team: "T1", user }, services, parts));
    expect(await homeOf("U2")).not.toMatch(isSecret);
    expect(await homeOf("U1")).toMatch(isSecret);
  });

  it("is shown to its owner, and never in a public answer", async () => {
    const { seenBy } = await following("U1");
    for (const line of ["alerts test 1", "alerts history 1", "digests history 2"]) {
      expect(await seenBy("U1", line)).toMatch(isSecret);
      expect(await seenBy("U1", line, { surface: "mention" })).not.toMatch(isSecret);
    }
  });

  it("is on its owner’s list, which a mention shows to them alone, with its sign of work", async () => {
    const { seenBy } = await following("U1");
    for (const line of ["alerts list", "digests list"]) {
      expect(await seenBy("U1", line)).toMatch(isSecret);
      const alone = await seenBy("U1", line, { surface: "mention" });
      expect(alone).toMatch(isSecret);
      expect(JSON.parse(alone)).toMatchObject({ isPrivate: true });
    }
    expect([alerts.isPrivate?.("list"), digests.isPrivate?.(""), digests.isPrivate?.("add search oil")]).toEqual([
      true,
      true,
      false,
    ]);
  });
});
