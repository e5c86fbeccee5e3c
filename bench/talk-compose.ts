/** Sentences built from their parts, in any order: what people say is often a list of wishes. */
import type { Act } from "../src/features/talk/model.ts";
import { shuffled } from "./talk-augment.ts";
import { type Example, markedExample } from "./talk-data.ts";

export const outlets =
  "Reuters|Bloomberg|the FT|Financial Times|WSJ|the Wall Street Journal|AP|AFP|dpa|the BBC|CNN|The Guardian|The Times|The Economist|Telegraph|Nikkei|Caixin|SCMP|Handelsblatt|FAZ|Der Spiegel|Die Zeit|NZZ|Le Monde|Les Echos|Le Figaro|Libération|El País|El Mundo|Expansión|Cinco Días|Corriere|La Repubblica|Il Sole 24 Ore|Politico|Axios|the Verge|Wired|TechCrunch|Ars Technica|Barron's|Forbes|Fortune|CNBC|STAT|Endpoints|Fierce Pharma|Lloyd's List|TradeWinds|Platts|Argus|Mining Weekly|Farmers Weekly|The Hindu|Mint|Economic Times|Straits Times|Globe and Mail|Valor|Folha|El Financiero|NRC|De Volkskrant|Dagens Industri|Børsen|Kommersant|Haaretz|Al Jazeera|The National|Gulf News|Variety|Billboard|L'Équipe|Marca|ESPN|Nature|Science|The Lancet|Krebs|BleepingComputer|CoinDesk|Business Insider|Washington Post|New York Times|NYT|LA Times|Daily Mail|the Sun|Sky News|Euronews|Swissinfo|Yonhap|Xinhua|Kyodo".split(
    "|",
  );
export const lists =
  "Executive Committee|Oil majors|food companies|esg funds|sanctioned people|Key people|Board members|Tier 1 suppliers|law firms|private equity|hedge funds|tax havens|public figures|media groups|football clubs|car parts|portfolio companies|M&A targets|Management Board|grey names|peers|rivals|metals|energy|suppliers|clients|competitors|my stuff|big tech|chips|semis|defence|airlines|pharma|EU banks|gold miners|my banks|retail|luxury|EV makers|shorts|longs|coverage|Fed speakers|nordics|crypto|sanctions|board|steel makers|food tech|telecom asia|real estate|insurers|portfolio|Big Oil|key accounts|targets|frenemies|pitches|vcs|streaming|AI labs|shipping|customers|utilities".split(
    "|",
  );
export const channels =
  "#markets|#oil-desk|#compliance|#press|#team-a|#general|#risk|#m-and-a|#deals|#newsroom|#eu-politics|#ops|#sales|#ir|#legal-hold".split(
    "|",
  );
export const languages =
  "German|French|Spanish|English|Italian|Japanese|Chinese|Dutch|Portuguese|Arabic|Polish|Danish|Swedish|Korean".split(
    "|",
  );
export const times =
  "daily|weekly|hourly|monthly|weekdays|every morning|every evening|mornings|weekdays at 9|every weekday at 8:30|daily at 7am|every day at 18:00|Mondays|Mondays and Thursdays|every Friday at 4pm|Tuesdays at 10|at noon|noon|8am|7:30|9:15|5pm|twice a day|once a week|every 2 hours|every other day|weekdays at 9 and 17|tomorrow at 7|first Monday of the month|9 ET|Saturdays|every Sunday evening|6:45|each Tuesday|each morning at 8|at 8 and 16 every day|end of day".split(
    "|",
  );
const clocks = "8:30|9am|noon|7:15|18:00|10:30|6pm|weekdays at 8|Mondays|Fridays at 16:00|daily at 7|weekly".split("|");
export const spans =
  "for 2 weeks|until Friday|for 3 days|until Monday|for a week|for the next 10 days|until tomorrow|for a month|3 days|48 hours|during 2 weeks|until next Tuesday|until the end of the month|over the next 5 days".split(
    "|",
  );
export const maxes =
  "max 5|at most 3|top 5|no more than 4|5 max|up to 6 stories|10 stories|three at most|limit 8|not more than 2|maximum 7|5 articles|8 tops|max 1|four stories max".split(
    "|",
  );

const only =
  "nothing but [=O]|nothing but [=O] and [=P]|no source but [=O]|only [=O]|just [=O]|[=O] only|[=O] and [=P] only|only [=O] and [=P]|only [=O] or [=P]|just [=O] and [=P]|from [=O] only|only from [=O]|from [=O] and [=P]|sources: [=O], [=P]|source [=O]|sources [=O]|nothing but [=O]|[=O]/[=P] only|limited to [=O]|restricted to [=O] and [=P]|stick to [=O]|[=O] alone|exclusively [=O]|[=O] exclusively|as reported by [=O]|[=O], nothing else|[=O] and [=P], nothing else|according to [=O] only|[=O] and nobody else|what [=O] writes|only what [=O] says|by [=O] only|using [=O] only|[=O] stories only|only [=O] articles|only of [=O]|outlets [=O] and [=P]|only [=O], [=P] and [=Q]|[=O] plus [=P] only|from [=O], [=P] or [=Q]|just the [=O] ones|[=O] is the only source|only if it's in [=O]|[=O] or [=P] only|only care about [=O]|[=O] pieces only|solely [=O]|I only trust [=O]|if it's from [=O]|as seen in [=O]|[=O]-only".split(
    "|",
  );
const not =
  "nothing from [-P]|anything but [-P]|no [-P]|not [-P]|without [-P]|I don't like [-P]|I don't trust [-P]|never [-P]|[-P] excluded|not from [-P]|no stories from [-P]|skip [-P]|everything but [-P]|leaving aside [-N]|nothing of [-P]|omitting [-N] and [-M]|setting aside [-N]|apart from [-N]|barring [-N]|we don't care about [-N]|not for [-N]|no need for [-N]|not [-N]|no [-N]|without [-N]|w/o [-N]|minus [-N]|except [-N]|excluding [-N]|excluding [-N] and [-M]|skip [-N]|leave out [-N]|leaving out [-N]|[-N] left out|with [-N] left out|sans [-N]|never [-N]|[-N] no|[-N] is out|[-N] not|but not [-N]|ignore [-N]|ignoring [-N] and [-M]|drop [-N]|nothing on [-N]|nothing about [-N]|omit [-N]|leave [-N] aside|[-N] excluded|(not [-N])|ex [-N]|other than [-N]|apart from [-N]|bar [-N]|without [-N], [-M]|no [-N], no [-M]|no [-N] or [-M]|not [-N] please|no [-N] please|leave [-N] out|keep [-N] out|but no [-N]|minus the [-N]|not [-N] though|don't include [-N]|exclude [-N]|but without [-N]|except for [-N]|excluding everything on [-N]|spare me [-N]|hold the [-N]|anything but [-N]".split(
    "|",
  );
const place =
  "in C|to C|into C|post to C|C|for C|send it to C|goes to C|place C|over in C|channel C|drop it in C|-> C|here|to me|dm|dm me|in my DMs|for us|for me|by DM|privately|share in C".split(
    "|",
  );
const language =
  "in L|L only|in L please|L sources|L press|L language|language L|L articles|L|written in L|L coverage".split("|");

const digestSubject =
  "[A]|[A]|[A]|[A] digest|[A] news|news on [A]|news about [A]|the latest on [A]|[A] and [B]|[A] + [B]|[A], [B] and [E]|everything on [A]|stories about [A]|a digest of [A]|digest on [A]|a digest on [A] and [B]|the [A] coverage|[A] headlines|headlines on [A]|[@K] list|watchlist [@K]|my [@K] watchlist|the [@K] watchlist|the list [@K]|a [A] roundup|[A] round-up|[A] wrap|[A] brief|a brief on [A]|a summary of [A]|[A] summary|[A] articles|articles on [A]|about [A]|on [A]|[A] stuff|[A] updates|updates on [A]|press on [A]|what's new on [A]|something on [A]|pieces on [A]|topic [A]|subject: [A]|both [A] and [B]|both from [A] and [B]|a recap of [A]|[A] report|reports on [A]|[A] (the company)".split(
    "|",
  );
const digestVerb =
  "send|send me|please send|post|please post|give us|give me|set that up|make it so|I want|we want|I'd like|we'd like|I need|could I have|can we get|type digest|please|please do|would you|thanks|let me have|we'll take|deliver|share|prepare|organise|schedule|a digest|as a digest|digest|that's how I'd like it|is what I want|should be sent|should arrive|would be great|set up".split(
    "|",
  );
const alertSubject =
  "alert on [A]|[A] alert|alert: [A]|an alert on [A]|an alert for [A] and [B]|ping me on [A]|ping when [A] spikes|tell us when [A] spikes|tell me if [A] surges|watch [A]|follow [A]|track [A] and [B]|monitor [A]|notify on [A]|if [A] spikes, ping|when [A] blows up tell us|flag [A]|flag spikes in [A]|alert when [A] is all over the news|keep an eye on [A]|alert on list [@K]|watch the [@K] watchlist|spikes in [A]|notify me when [A] heats up|buzz us when [A] gets busy|warn us about [A]|subscribe to [A]|heads up on [A] spikes|alerts for [A]|I need alerts on [A]|any surge on [A], shout|follow [A], [B] and [E]|let me know if [A] jumps|alert me to [A]|raise the alarm on [A]".split(
    "|",
  );
const changeThing =
  "the [A] digest|[A] digest|my [A] digest|digest 3|digest 12|the [A] alert|[A] alert|alert 4|our [A] digest|that [A] digest|digest number 2".split(
    "|",
  );
const changeVerb =
  "move|please move|make it|change|switch|change it|instead|from now on|now|please|make|set|should be|use|I want|should come|update|new settings:|going forward|rather|better".split(
    "|",
  );
const questionLead =
  "answer|ask|check|tell us|find out|question:|please answer|I want to know|run|the question|q:|look up|schedule:|please ask|reply to|report|tell me|respond to|answer this:|".split(
    "|",
  );
const mute =
  "mute|please mute|mute it|snooze|silence|no more|hush|quiet|must be muted|should be muted|on mute|shut up about".split(
    "|",
  );
const pause =
  "pause|put on hold|hold|suspend|pause it|should rest|take a break|rest|freeze|let it rest|on pause|break for".split(
    "|",
  );
const stop =
  "stop|cancel|delete|remove|kill|remove it|delete it|off|turn off|no longer needed|bin it|can go|get rid of|stop it|unsubscribe|drop|end".split(
    "|",
  );
const resume =
  "resume|unpause|back on|turn on again|restart|wake up|continue|start again|reactivate|turn back on|bring back|may run again|end the break for".split(
    "|",
  );
const listNew =
  "new watchlist [@K]|watchlist [@K]|create watchlist [@K]|a watchlist called [@K]|list [@K]|name it [@K], a watchlist|make it a watchlist: [@K]|to be saved as watchlist [@K]|as a new list [@K]|[@K] is the new list|call the watchlist [@K]|for [@K] we want a watchlist|group as [@K] (watchlist)|open the [@K] watchlist".split(
    "|",
  );
const listAdd =
  "add to [@K] list|to the [@K] watchlist|into [@K] list|go on the [@K] watchlist|also for watchlist [@K]|[@K] watchlist: also|extend [@K] list|the [@K] list gets|should be in the [@K] watchlist|put on [@K] list".split(
    "|",
  );
const listItems =
  "[A]|[A], [B]|[A] and [B]|[A], [B], [E]|[A], [B] and [E]|[A] + [B]|with [A], [B]|with [A] and [B] in it|[A], [B], -[-N]|[A], [B], without [-N]|[A], [B], exclude [-N]|[A] and [B] but not [-N]|containing [A], [B], [E]".split(
    "|",
  );

interface Names {
  name: string[];
  question: string[];
}

/** One sentence of parts in any order. */
export function composed(names: Names, random: () => number): Example {
  const one = (all: readonly string[]) => all[Math.floor(random() * all.length)] ?? "";
  const maybe = (share: number, all: readonly string[]) => (random() < share ? [one(all)] : []);
  const [act, head, parts] = partsOf(one, maybe, random);
  const isLed = random() < 0.6;
  const others = shuffled(parts, random);
  const all = isLed ? [head, ...others] : shuffled([head, ...others], random);
  const joint = random() < 0.55 ? ", " : random() < 0.6 ? " " : random() < 0.5 ? "; " : ": ";
  const line = all
    .filter(Boolean)
    .map((part, at) => (at === 0 ? part : `${random() < 0.75 ? joint : ", "}${part}`))
    .join("");
  const filled = line.replace(/[ABCEKLMNOPQ](?=\])|(?<![\p{L}[\]])[CLQ](?![\p{L}])/gu, (letter, at: number) => {
    const isName = line[at + 1] === "]";
    if (!isName) return letter === "C" ? one(channels) : letter === "L" ? one(languages) : letter;
    if ("OPQ".includes(letter) && /[=-]/.test(line[at - 1] ?? "")) return one(outlets);
    if (letter === "K") return one(lists);
    if (letter === "Q") return one(names.question).replace(/[?[\]]/g, "");
    return one(names.name).replace(/[[\]]/g, "");
  });
  return markedExample(`${act}: ${filled}`);
}

function partsOf(
  one: (all: readonly string[]) => string,
  maybe: (share: number, all: readonly string[]) => string[],
  random: () => number,
): [Act, string, string[]] {
  const draw = random();
  const details = (share: number) => [
    ...maybe(share, only),
    ...maybe(share, not),
    ...maybe(share * 0.8, place),
    ...maybe(share * 0.6, language),
    ...maybe(share * 0.6, spans),
  ];
  if (draw < 0.36) {
    return [
      "digest",
      one(digestSubject),
      [one(times), ...maybe(0.55, digestVerb), ...maybe(0.3, maxes), ...details(0.3)],
    ];
  }
  if (draw < 0.58) return ["alert", one(alertSubject), [...details(0.35), ...maybe(0.15, ["please", "pls", "thanks"])]];
  if (draw < 0.7) {
    const change = shuffled([clocks, place.slice(0, 6), maxes, language, only, not], random)[0] ?? clocks;
    return [
      "change",
      one(changeThing),
      [
        one(changeVerb),
        one(change),
        ...maybe(0.25, maxes),
        ...maybe(0.35, ["instead", "from now on", "now", "please", "make it so"]),
      ],
    ];
  }
  if (draw < 0.78) {
    const lead = one(questionLead);
    const asked = random() < 0.3 ? '"[?Q]?"' : random() < 0.5 ? "[?Q]?" : "[?Q]";
    return [
      "question",
      `${lead} ${asked}`.trim(),
      [one(times), ...maybe(0.3, place), ...maybe(0.15, language), ...maybe(0.15, spans)],
    ];
  }
  if (draw < 0.82) return ["mute", "[A]", [one(mute), ...maybe(0.5, spans)]];
  if (draw < 0.85) return ["pause", one(changeThing), [one(pause), ...maybe(0.6, spans)]];
  if (draw < 0.89) return ["stop", one(changeThing), [one(stop)]];
  if (draw < 0.92) return ["resume", one(changeThing), [one(resume)]];
  return ["watchlist", random() < 0.6 ? one(listNew) : one(listAdd), [one(listItems)]];
}
