import { quote } from "../options.ts";
import { readLength } from "../span.ts";
import type { Understood } from "./understand.ts";
import type { Wish } from "./wish.ts";

/** The usual time of a digest that nobody gave one. */
const usualDigestTime = "weekdays at 9:00";
const usualAlertTime = "every 15 minutes";

type Followed = Extract<Wish, { act: "alert" | "digest" }>;

/** The words after `alerts add` or `digests add` that follow something, as somebody could have typed them. */
export function followWords(wish: Followed, { source }: Understood): string {
  const { when, max, outlets, language, place } = wish;
  const where = placeWords(place);
  if (wish.act === "alert") {
    const silence = wish.isSilence ? `--silence ${wish.silence ?? 6}h` : "";
    return words(source, when ?? usualAlertTime, wish.sensitivity, silence, where);
  }
  const lead = wish.hasLead === true || language !== undefined ? "--lead" : "";
  return words(
    source,
    when ?? usualDigestTime,
    max !== undefined && `--max ${max}`,
    outlets && `--source ${quote(outlets.join(", "))}`,
    lead,
    language && `--language ${language}`,
    where,
  );
}

/** The same of a question on a schedule. */
export function questionWords({ question, when, language, place }: Extract<Wish, { act: "question" }>): string {
  return words(
    "ask",
    quote(question),
    when ?? usualDigestTime,
    language && `--language ${language}`,
    placeWords(place),
  );
}

/** The words after `edit N` that change an alert or a digest. */
export function changeWords({ when, place, language, max, outlets, sensitivity }: Wish): string {
  return words(
    when,
    sensitivity,
    max !== undefined && `--max ${max}`,
    outlets && `--source ${quote(outlets.join(", "))}`,
    language && `--lead --language ${language}`,
    placeWords(place),
  );
}

/** The command of a wish that only asks what stands, or why; nothing for one that sets or changes something. */
export function lookLine(wish: Wish): string | undefined {
  switch (wish.act) {
    case "list":
      if (wish.name) return words("watchlists show", quote(wish.name));
      return wish.noun && wish.noun !== "question" ? `${wish.noun}s list` : undefined;
    case "whyNot":
      return words("alerts why-not", wish.name && quote(wish.name));
    case "catchUp":
      return words("catchup", wish.since && readLength(wish.since) && `--since ${quote(wish.since)}`);
    default:
      return undefined;
  }
}

function placeWords(place: string | undefined): string {
  return place === undefined || place === "here" ? "" : `--in ${place}`;
}

function words(...parts: (string | false | undefined)[]): string {
  return parts.filter(Boolean).join(" ");
}
