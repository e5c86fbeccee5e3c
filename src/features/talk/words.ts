import { tidy } from "./slots.ts";

export function words(...lists: string[]): Set<string> {
  return new Set(lists.join(" ").split(/\s+/));
}

/** Words that stand around a name and are no part of it at either end. */
export const glue = words(
  "a an the any all some every each one my our your their this that these those such of on about for to in at from with by as and or n but so then into onto over around across covering cover featuring within under regarding concerning relating related pertaining involving both either matters things re via per",
  "is are be being been was were am has have had having got get gets getting it its there i we you he she they me us will would should could can might may must do does did done",
  "also too just only even really very quite again now here today yesterday tonight earlier lately immediately once more most much many lot lots little bit than usual normal normally often frequently repeatedly significantly considerably noticeably markedly dramatically strongly future forward usually else new newest recent recently up down out off ever if when whenever please thanks ok away back still right straight soon asap closely carefully currently always anymore longer suddenly unusually abnormally kindly instead ones what what's whats that's there's it's i'd we'd happen happens happening going goes go went gone come comes coming came active weekly daily hourly monthly morning mornings evening evenings afternoon day days week weeks regular",
);
/** Words for coverage of somebody. */
export const coverage = words(
  "latest journalists journalist write interest news headline headlines story stories article articles coverage press media mention mentions reporting attention buzz chatter publicity newspapers papers writing written talked talking speak speaks information informations update updates development developments newsfeed feed feeds pieces items item publication publications",
);
/** Words for a rise, a fall or a sudden appearance. */
export const rises = words(
  "spike spikes spiking spiked surge surges surging jump jumps jumping rise rises rising soar soars soaring climb climbs peak peaks burst bursts flurry wave waves uptick increase increases increasing trend trends trending viral explode explodes exploding explosion skyrocket skyrockets blow blows blowing flare flares uproar flood breaks breaking hot unusual abnormal heavy doubles triples through roof all-over quiet silent silence dries fades lot lots volume volumes nothing something anything nobody pop pops grow grows growing nuts bananas crazy wild mad swell swells escalates intensifies exceeds above levels",
);
export const weak = words(
  "pick picks picking heat heats shoot shoots shooting take takes taking start starts starting begin begins stop stops fall falls hit hits make makes making wave dominate dominates receive receives attract attracts draw draws see sees show shows amount level big huge major important significant interesting notable weird strange odd unexpected sharp sharply fast sudden high higher crazy large larger small page pages front 2x 3x 5x 10x name named called end hand control deal great no none less activity movement occur occurs develop develops turn turns appear appears dark way seems everywhere relevant good required needed requested directly delivered waiting posted best biggest main key top short brief quick concise fresh everything",
);
export const digestNouns = words(
  "digest digests briefing briefings brief roundup roundups round-up round-ups bulletin bulletins newsletter newsletters",
);
export const reviews = words(
  "summary summaries overview overviews recap rundown wrap wrap-up review report analysis list compilation selection collection ranking",
);
export const alertNouns = words("alert alerts alarm notification notifications heads-up headsup warning warnings ping");
export const makers = words(
  "set create add make give need want start configure put turn enable schedule establish open build fix stick place install launch arrange activate issue file raise sound fire drop shoot wait trigger initiate insert do run begin go setup",
);
export const senders = words(
  "send post give show bring email mail get deliver share push tell message dm publish summarise summarize sum recap compile prepare write provide forward feed update collect round pull have want need like read receive hand supply furnish distribute circulate produce generate issue present serve assemble gather keep report fetch offer gimme drop dispatch find transmit",
);
export const tellers = words(
  "alert notify ping warn tell message text inform update buzz nudge dm page let know hear told flag tip signal shout advise drop shoot raise sound send give post fire informed scream holler write call mention say write yell line posted informed updated note word alarm bell bells",
);
export const watchers = words(
  "watch monitor track follow observe surveil screen scan supervise control keep eye eyes ear ears tab tabs lookout look subscribe sign put place under surveillance observation radar monitoring continuous vigil check stay guard close constant everyone everybody whoever companies names",
);
export const stoppers = words(
  "stop cancel remove delete end disable kill drop scrap terminate discontinue cease deactivate erase clear discard quit unsubscribe unfollow close withdraw revoke retire ditch nix abandon cut annul abolish axe turn switch shut take get rid sending send posting post giving give showing show following follow watching watch tracking track monitoring monitor receiving receive want need require no not don't do without anymore number",
);
export const pausers = words(
  "pause suspend halt hold freeze interrupt put stop on break give rest pause make take hold ice",
);
export const resumers = words(
  "resume restart unpause reenable re-enable reactivate reinstate restore continue turn switch put set bring revive unsuspend unfreeze reopen enable wake start activate running",
);
export const changers = words(
  "move change reschedule shift switch set push bring edit update make post send put deliver adjust turn let run have amend modify alter revise limit cap restrict transfer redirect route relocate postpone lower raise maximum reduce increase cut advance delay convert swap come go arrive be appear prefer want like keep earlier later hour time schedule delivery less sensitive balanced quieter instead show start",
);

/** True if a word is one of some, whatever its ending. */
export function isForm(typed: string, set: Set<string>): boolean {
  const word = typed.toLowerCase().replace(/^[("'.,;:!?-]+|[)"'.,;:!?-]+$/g, "");
  const forms = [
    word,
    word.replace(/'s$/, ""),
    word.replace(/(?:ing|ed|es|s)$/, ""),
    word.replace(/(?:ing|ed)$/, "e"),
    word.replace(/([b-z])\1(?:ing|ed)$/, "$1"),
    word.replace(/(?:ies|ied)$/, "y"),
  ];
  return word === "" || forms.some((form) => set.has(form));
}

interface Core {
  /** The words left between those that were removed. */
  name: string;
  /** The words that were taken off, in lower case. */
  around: string[];
}

/** Sets that may stand behind a name; a verb that orders something stands before it. */
const behind = [changers, pausers, resumers, stoppers, glue, coverage, rises, weak, digestNouns, reviews, alertNouns];

/** A text without the words of some sets at either end; capitals within a sentence belong to a name. */
export function coreOf(text: string, ...sets: Set<string>[]): Core {
  const all = text.split(" ").filter(Boolean);
  const ending = sets.filter((set) => behind.includes(set));
  const isOff = (at: number, some: Set<string>[]) => {
    const word = all[at] ?? "";
    const isCapital = /^["(]?\p{Lu}/u.test(word) && !/^I(?:'|$)/.test(word);
    const isBegun = at === 0 && !/^(?!I(?:'|$))\p{Lu}/u.test(all[1] ?? "") && !/^\p{Lu}{2}/u.test(word);
    return (!isCapital || isBegun) && !word.startsWith('"') && some.some((set) => isForm(word, set));
  };
  let from = 0;
  let to = all.length;
  while (from < to && isOff(from, sets)) from += 1;
  while (to > from && isOff(to - 1, ending)) to -= 1;
  const name = tidy(
    all
      .slice(from, to)
      .join(" ")
      .replace(/[?!.]+$/, ""),
  );
  const around = [...all.slice(0, from), ...all.slice(to)].map((word) =>
    word.toLowerCase().replace(/[^\p{L}'-]/gu, ""),
  );
  // “Inform compliance of any spike in coverage of X” is about what stands behind the last such word.
  const [, before = "", about] = from > 0 ? (inner.exec(name) ?? []) : [];
  if (about) return { name: about, around: [...around, ...before.toLowerCase().split(" "), "coverage"] };
  return { name: to < all.length ? name.replace(/'s?$/, "") : name, around };
}

const inner =
  /^(.* )?(?:coverage|news|headlines?|stor(?:y|ies)|articles?|reporting|mentions?|spikes?|surges?|digest|briefing|summary|round-?up)(?: \w+)? (?:of|on|about|in|around|for|regarding|concerning) (?:the |our |my )?(.+)$/i;

export function has(around: string[], ...sets: Set<string>[]): boolean {
  return around.some((word) => word !== "" && sets.some((set) => isForm(word, set)));
}
