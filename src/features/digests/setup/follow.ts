import { UsageError } from "../../../apis/errors.ts";
import { describe } from "../../../log.ts";
import { inCode } from "../../../slack/mrkdwn.ts";
import { isAside } from "../../../slack/request.ts";
import type { Ask, Command, Services } from "../../feature.ts";
import type { Source } from "../../news/view.ts";
import { channelOf } from "../../subscriptions/commands.ts";
import { needSource } from "../read/needs.ts";
import { type Wanted, kinds, wantedLine } from "./line.ts";
import { nameOf } from "../view.ts";
import { digestWindow } from "./window.ts";

/** How long a window waits for a name: Slack opens none that comes late. */
const nameMs = 1_200;

const listKey = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const sourceWords = /^(channel|collection|search|jurisdiction)\s+(\S[\s\S]*)$/i;

/** What a button beside a list runs; typed, `digests add` is shorter. */
export const follow: Command = {
  verb: "follow",
  usage: "KEY | channel ID | collection ID | search QUERY",
  summary: "Opens a window to subscribe to a list",
  examples: [],
  isSlash: false,
  isHidden: true,
  working: "",
  fits: (text) => listKey.test(text.trim()),
  async run(ask, services) {
    const { wanted, name } = await wantedIn(ask, services);
    await needSource(wanted.kind, services);
    if (isAside(ask)) {
      return digestWindow({ wanted, channel: channelOf(ask), ...(name && { name }) });
    }
    throw new UsageError(
      `Say when it should come: type \`digests add ${inCode(wantedLine(wanted))} weekdays at 9:00\`, for example.`,
    );
  },
};

async function wantedIn(ask: Ask, services: Services): Promise<{ wanted: Wanted; name?: string | undefined }> {
  const text = ask.text.trim();
  if (listKey.test(text)) {
    const source = (await services.lists.get(text))?.source;
    if (source) return { wanted: wantedOf(source), name: nameOf(source) };
    throw new UsageError("This list is too old to be followed. Ask for it again, then subscribe.");
  }
  const [, word = "", what = ""] = sourceWords.exec(text) ?? [];
  const kind = kinds.find((each) => each === word.toLowerCase());
  if (!kind) throw new UsageError("What should I follow? Type `/digests add`.");
  return { wanted: { kind, what }, name: await nameUnder({ kind, what }, ask, services) };
}

function wantedOf(source: Source): Wanted {
  if (source.kind === "search") return { kind: source.kind, what: source.query };
  // The database knows a jurisdiction by its name; its channel's number is the news service's.
  return { kind: source.kind, what: source.kind === "jurisdiction" ? source.name : String(source.id) };
}

/** Nothing where it cannot be had in time: an ID will do. */
async function nameUnder({ kind, what }: Wanted, ask: Ask, services: Services): Promise<string | undefined> {
  const signal = AbortSignal.any([ask.signal, AbortSignal.timeout(nameMs)]);
  try {
    if (kind === "channel" && /^\d+$/.test(what))
      return (await services.intelligence.channel(Number(what), signal)).name;
    if (kind === "collection") return (await services.gateway.collection(what, signal)).collection.name;
  } catch (error) {
    services.log.warn("follow.name", { error: describe(error) });
  }
  return undefined;
}
