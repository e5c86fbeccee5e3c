import { UsageError } from "../../../apis/errors.ts";
import { describe } from "../../../log.ts";
import { isPublic } from "../../../slack/request.ts";
import type { Ask, Command, Message, Services } from "../../feature.ts";
import { standings } from "../spending/rule.ts";
import { type Grouping, groupings, spentView, usageView } from "./view.ts";

/** What may follow the verb: by what to list what was spent, and which page of it. */
const listing = /^(people|channels|commands)(?: (\d{1,4}))?$/;

export const usage: Command = {
  verb: "usage",
  usage: "",
  summary: "Credits left, and who spent them on what",
  examples: ["usage", "usage people"],
  needs: ["gateway"],
  isSlash: false,
  working: "Adding up…",
  fits: (text) => text === "" || listing.test(text.trim().toLowerCase()),
  async run(ask, services) {
    const text = ask.text.trim().toLowerCase();
    if (!text) return overview(ask, services);
    const [, by, page] = listing.exec(text) ?? [];
    if (!isGrouping(by)) {
      throw new UsageError("Type `/bellwether usage`, or one of `people`, `channels` and `commands` after it.");
    }
    // A message in public would call everybody whom it names.
    if (by === "people" && isPublic(ask)) {
      throw new UsageError("Type `/bellwether usage people`: that is shown to you alone.");
    }
    return spentView({ by, page: Number(page ?? 1), report: await services.spending.report(ask.team) });
  },
};

function isGrouping(text: string | undefined): text is Grouping {
  return text !== undefined && Object.hasOwn(groupings, text);
}

async function overview(ask: Ask, services: Services): Promise<Message> {
  const { gateway, spending } = services;
  const [account, statistics, report] = await Promise.all([
    gateway.me(ask.signal),
    unlessFailing("usage.statistics", services, () => gateway.usage(ask.signal)),
    unlessFailing("usage.report", services, () => spending.report(ask.team)),
  ]);
  ask.signal.throwIfAborted();
  const isForAll = isPublic(ask);
  // Where others read it too, "you" would be somebody else.
  const asker = isForAll ? { channel: ask.channel } : ask;
  return usageView({
    account,
    usage: statistics?.usage,
    report,
    standings: report ? standings(report.caps, report.today, asker) : [],
    canTurn: !isForAll,
  });
}

/** The other parts are worth showing without it. */
async function unlessFailing<T>(event: string, { log }: Services, ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    log.warn(event, { error: describe(error) });
    return undefined;
  }
}
