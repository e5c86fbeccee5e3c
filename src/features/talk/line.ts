import { quote } from "../options.ts";
import { readLength } from "../span.ts";
import { scheduleProblem } from "../subscriptions/schedule.ts";
import type { Understood } from "./understand.ts";
import type { Wish } from "./wish.ts";

/** The usual time of a digest that nobody gave one. */
const usualDigestTime = "weekdays at 9:00";
const usualAlertTime = "every 15 minutes";

type Followed = Extract<Wish, { act: "alert" | "digest" }>;

/** The words after `alerts add` or `digests add` that follow something, as somebody could have typed them. */
export function followWords(wish: Followed, { source }: Understood): string {
  const { max, outlets, language, place } = wish;
  const where = placeWords(place);
  if (wish.act === "alert") {
    const silence = wish.isSilence ? `--silence ${wish.silence ?? 6}h` : "";
    return words(source, readableWhen(wish) ?? usualAlertTime, wish.sensitivity, silence, where);
  }
  const lead = wish.hasLead === true || language !== undefined ? "--lead" : "";
  return words(
    source,
    digestWhen(wish),
    max !== undefined && `--max ${max}`,
    outlets && `--source ${quote(outlets.join(", "))}`,
    lead,
    language && `--language ${language}`,
    where,
  );
}

/** The same of a question on a schedule. */
export function questionWords(wish: Extract<Wish, { act: "question" }>): string {
  const { question, language, place } = wish;
  return words("ask", quote(question), digestWhen(wish), language && `--language ${language}`, placeWords(place));
}

/** The text after `edit N` for a change to an existing digest or alert. */
export function changeWords(wish: Wish): string {
  const { place, language, max, outlets, sensitivity } = wish;
  return words(
    readableWhen(wish),
    sensitivity,
    max !== undefined && `--max ${max}`,
    outlets && `--source ${quote(outlets.join(", "))}`,
    language && `--lead --language ${language}`,
    placeWords(place),
  );
}

/** A schedule as it was said, if the bot can keep it. */
function readableWhen({ when }: Wish): string | undefined {
  return when !== undefined && scheduleProblem(when) === undefined ? when : undefined;
}

/** The usual time if none was said; none if nobody can read the one that was, so that the card asks for it. */
function digestWhen(wish: Wish): string | undefined {
  return wish.when === undefined ? usualDigestTime : readableWhen(wish);
}

/** Parts of a wish that its command has no words for, as the card says them. */
export function lostWords(wish: Wish): string[] {
  const { when, without, outlets, max, language, span, unread = [] } = wish;
  const isDigest = wish.act === "digest";
  const takesOptions = isDigest || wish.act === "change";
  const isTimed = wish.act === "alert" || isDigest || wish.act === "question";
  return [
    ...(without && wish.act !== "watchlist" ? [`not ${quotedList(without)}`] : []),
    ...(outlets && !takesOptions ? [`only ${quotedList(outlets)}`] : []),
    ...(max !== undefined && !takesOptions ? [`at most ${max} stories`] : []),
    ...(language !== undefined && wish.act === "alert" ? [`in ${language}`] : []),
    ...(span !== undefined && isTimed ? [span] : []),
    ...(when !== undefined && readableWhen(wish) === undefined ? [`“${when}”`] : []),
    ...unread.map((typed) => `“${typed}”`),
  ];
}

function quotedList(names: string[]): string {
  return new Intl.ListFormat("en-GB").format(names.map((name) => `“${name}”`));
}

/** The command of a wish that only asks what stands, or why; nothing for one that sets or changes something. */
export function lookLine(wish: Wish): string | undefined {
  switch (wish.act) {
    case "list":
      if (wish.name) return words("watchlists show", quote(wish.name));
      return wish.noun && wish.noun !== "question" ? `${wish.noun}s list` : undefined;
    case "whyNot":
      return words("alerts why-not", wish.name && quote(wish.name));
    case "help":
      return "help";
    case "catchUp":
      return words(
        "catchup",
        wish.since && readLength(plainSince(wish.since)) && `--since ${quote(plainSince(wish.since))}`,
      );
    default:
      return undefined;
  }
}

/** “The last 2 days” as a length: `2 days`. */
function plainSince(said: string): string {
  return said.replace(/^(?:(?:since|from|for|over|in|during|of) )?(?:the )?(?:last |past )?/, "");
}

function placeWords(place: string | undefined): string {
  return place === undefined || place === "here" ? "" : `--in ${place}`;
}

function words(...parts: (string | false | undefined)[]): string {
  return parts.filter(Boolean).join(" ");
}
