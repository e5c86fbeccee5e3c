import { UsageError } from "../../../apis/errors.ts";
import { inCode, shorten } from "../../../slack/mrkdwn.ts";
import type { Ask, Message, Services } from "../../feature.ts";
import { channelOf } from "../../subscriptions/commands.ts";
import { keysOf } from "../../subscriptions/announced.ts";
import { sourceProblem } from "../../subscriptions/view.ts";
import type { Digest } from "../compose.ts";
import { type Reads, createReads } from "../read/reads.ts";
import { shared } from "../shared.ts";
import { reasonFor } from "./rule.ts";
import { type Finding, whyNotView } from "./view.ts";

/** Digests that one question is about. */
const most = 5;
const hint =
  "Which story? Type `/digests why-not https://…` with its address; a number before it means one digest: `/digests why-not 2 https://…`.";

/** Whoever types a name means alerts. */
function hintFor(text: string): string {
  return text ? `${hint} About a name, type \`/alerts why-not ${inCode(shorten(text, 60))}\`.` : hint;
}

/** Why a story did not come here. */
export async function whyNot(text: string, ask: Ask, services: Services): Promise<Message> {
  const [, number, typed = ""] = /^(?:#?(\d{1,9})\s+)?<?([^\s<>|]+)\S*$/.exec(text.trim()) ?? [];
  const url = addressIn(typed);
  if (!url) throw new UsageError(hintFor(text.trim()));
  const all =
    number === undefined ? await here(ask, services) : [await shared.standingOf(Number(number), ask, services)];
  if (all.length === 0) throw new UsageError("No digest comes here, so no story does. Type `/digests add`.");
  const reads = createReads(services, { payer: () => services.gateway, signal: ask.signal });
  const examined = await Promise.all(all.slice(0, most).map((digest) => examine({ digest, url }, services, reads)));
  const bills = new Set(examined.flatMap(({ bill }) => bill ?? []));
  const rest = all.length > most ? [`${all.length - most} more digests come here: name one by its number`] : [];
  return whyNotView(
    url,
    examined.map(({ finding }) => finding),
    [...bills, ...rest],
  );
}

function here(ask: Ask, { digests }: Services): Promise<Digest[]> {
  return digests.at({ team: ask.team, channel: channelOf(ask) ?? ask.user });
}

/** Slack leaves out what an address begins with, and so do people. */
function addressIn(typed: string): string | undefined {
  const whole = /^https?:\/\//i.test(typed) ? typed : `https://${typed}`;
  return /\.[a-z]/i.test(URL.parse(whole)?.hostname ?? "") ? whole : undefined;
}

interface Question {
  digest: Digest;
  url: string;
}

async function examine(
  { digest, url }: Question,
  services: Services,
  reads: Reads,
): Promise<{ finding: Finding; bill?: string | undefined }> {
  try {
    const draft = await reads.draft(digest);
    const [address = ""] = keysOf({ url });
    const article = draft.articles.find((each) => keysOf(each).includes(address)) ?? { url };
    const shownAt = await services.announced.lastShown(digest, article);
    return {
      finding: { digest, reason: reasonFor({ digest, draft, keys: keysOf(article), shownAt }) },
      bill: draft.bill,
    };
  } catch (error) {
    return { finding: { digest, problem: sourceProblem(error) } };
  }
}
