import { entities } from "./entities.ts";

/** The part of a language model that says a request in German, French, Spanish or Japanese in English: a few patterns. */

/** Days in four languages, as the bot’s schedules name them. */
const days: [RegExp, string][] = [
  [/premier lundi|primer lunes|ersten? montag|第一月曜/i, "first Monday of the month"],
  [/werktag|jours ouvr|en semaine|lundi au vendredi|laborables|hábiles|entre semana|lunes a viernes|平日/i, "weekdays"],
  [/montag|lundi|lunes|月曜/i, "Mondays"],
  [/dienstag|mardi|martes|火曜/i, "Tuesdays"],
  [/mittwoch|mercredi|miércoles|水曜/i, "Wednesdays"],
  [/donnerstag|jeudi|jueves|木曜/i, "Thursdays"],
  [/freitag|vendredi|viernes|金曜/i, "Fridays"],
  [/samstag|samedi|sábado|土曜/i, "Saturdays"],
  [/sonntag|dimanche|domingo|日曜/i, "Sundays"],
  [/jeden tag|täglich|chaque jour|tous les jours|cada día|todos los días|a diario|毎日/i, "daily"],
  [/jeden morgen|chaque matin|tous les matins|cada mañana|todas las mañanas|毎朝/i, "every morning"],
  [/jeden abend|chaque soir|tous les soirs|cada noche|todas las noches|毎晩/i, "every evening"],
  [/stündlich|jede stunde|chaque heure|cada hora|毎時/i, "hourly"],
];

/** Subjects that have a word of their own in each language. */
const subjects: [RegExp, string][] = [
  [/(?<!\p{L})(?:l'or|oro)(?!\p{L})|金価格/iu, "Gold"],
  [/(?<!\p{L})(?:öl|erdöl|pétrole|petróleo)(?!\p{L})|石油|原油/iu, "Oil"],
  [/(?<!\p{L})(?:kupfer|cuivre|cobre)(?!\p{L})|銅/iu, "Copper"],
  [/パイランティック/u, "Paylantic"],
  [/ノヴァリス|ノバリス/u, "Novalith Semiconductor"],
];

const wants = {
  alerts:
    /welche (?:alarme|alerts)|(?:montre|quelles).*alertes|(?:qué|muestra).*alertas|アラート.*(?:一覧|見せて|止めて|停止)/i,
  watchlists:
    /(?:welche|zeig).*beobachtungslisten|montre.*listes de|muestra.*listas de|ウォッチリスト.*(?:一覧|見せて)/i,
  /** A change to an alert is made in the list of alerts. */
  alertChange:
    /alarm.*(?:kann weg|pausier|stopp)|(?:arrête|supprime|suspends).*alerte|(?:cancela|quita|reanuda|pausa).*(?:alerta|aviso)/i,
  digestChange:
    /(?:verschieb|verleg|pausier|stopp).*(?:überblick|digest)|(?:déplace|pause|arrête|annule).*(?:résumé|digest)|(?:cancela|mueve|cambia|pausa).*(?:resumen|digest)|ダイジェスト.*(?:変更|止めて)/i,
  catchUp: /verpasst|ai-je (?:raté|manqué)|me he perdido|見逃し/i,
  why: /pourquoi.*rien reçu|warum.*nicht (?:benachrichtigt|gewarnt)|por qué no .*avisado/i,
  mute: /stumm|sourdine|silencia|ミュート/i,
  watchlist: /beobachtungsliste|liste de (?:veille|suivi)|lista de seguimiento|ウォッチリスト/i,
  alert:
    /benachrichtig|bescheid|alarm|warn|préviens|prévenez|avertis|alerte|avísa|avise|alerta|たら|通知|知らせて|アラート/i,
};

/** The English sentence for the request in the bot’s prompt, or NONE; undefined for any other prompt. */
export function sentenceFor(prompt: string): string | undefined {
  const [, said] = /<request-[\da-f]{8}>\n([^]*?)\n<\/request-/.exec(prompt) ?? [];
  if (said === undefined) return undefined;
  if (wants.alerts.test(said) || wants.alertChange.test(said)) return "list my alerts";
  if (wants.watchlists.test(said)) return "list my watchlists";
  if (wants.digestChange.test(said)) return "list my digests";
  if (wants.catchUp.test(said)) return "what did I miss?";
  const names = namesIn(said);
  const [either, both] = [" or ", " and "].map((word) => names.map((name) => `"${name}"`).join(word));
  if (names.length > 0 && wants.why.test(said)) return `why didn't you alert me about ${either}?`;
  if (names.length > 0 && wants.watchlist.test(said)) {
    const [, quoted, called = quoted] =
      /[„“"«「]([^“”"»」]+)[“”"»」]|(?:beobachtungsliste|liste de (?:veille|suivi)|lista de seguimiento) (\p{L}+)/iu.exec(
        said,
      ) ?? [];
    return `create a watchlist "${called ?? names[0]}" with ${names.filter((name) => name !== called).join(", ")}`;
  }
  if (names.length > 0 && wants.mute.test(said)) return `mute ${both} for a week`;
  const when = scheduleIn(said);
  const place = placeIn(said);
  const [, question] = /[:：]\s*([^:：]{5,}[?？])\s*$|「([^」]+)」に答えて/.exec(said)?.filter(Boolean) ?? [];
  if (question && when) return `answer "${question}" ${when}${place}`;
  if (names.length === 0) return "NONE";
  if (when) return `post the news on ${both} ${when}${place}`;
  return wants.alert.test(said) ? `alert when ${either} spikes${place}` : "NONE";
}

function scheduleIn(said: string): string | undefined {
  const found = days.filter(([pattern]) => pattern.test(said)).map(([, day]) => day);
  const [first] = found;
  if (!first) return undefined;
  // “First Monday” and “weekdays” already say which days.
  const on = /^(?:first|weekdays)/.test(first) ? first : found.join(" and ");
  const [, hours, minutes] =
    /(?<![\d#])(\d{1,2}) ?(?:[:h時.]|uhr|heures|$|(?=\s(?!\p{L}*(?:meldungen|articles|noticias))))(\d\d|半)?/iu.exec(
      said,
    ) ?? [];
  const isNoon = /mittags|midi|mediodía|正午/i.test(said);
  if (isNoon) return `${on} at noon`;
  if (!hours || Number(hours) > 23 || on === "hourly") return on;
  return `${on} at ${hours}:${minutes === "半" ? "30" : (minutes ?? "00")}`;
}

function placeIn(said: string): string {
  const [place] = /<#[^>]+>|#[\p{L}\d_-]+/u.exec(said) ?? [];
  return place ? ` in ${place}` : "";
}

/** The names of the sample news in a request, else the words that are written like names. */
function namesIn(said: string): string[] {
  const text = said.replace(/<#[^>]+>|#[\p{L}\d_-]+/gu, " ");
  const words = ` ${text.replace(/[^\p{L}\p{N}&.-]+/gu, " ").toLowerCase()} `;
  const isEastern = /[ぁ-ん]/u.test(text);
  const isNamed = (name: string) => {
    const wanted = name.toLowerCase();
    return name.length > 3 && (isEastern ? text.toLowerCase().includes(wanted) : words.includes(` ${wanted} `));
  };
  const known = entities.flatMap(({ name, aliases }) => ([name, ...aliases].some(isNamed) ? [name] : []));
  const spoken = subjects.flatMap(([pattern, name]) => (pattern.test(text) ? [name] : []));
  const found = isEastern
    ? [...text.matchAll(/[ァ-ヶー]{2,}|[A-Z][\w&.-]+/gu)].map(([word]) => word).filter((word) => !loanWords.test(word))
    : [...text.matchAll(afterLead)].map(([name]) => name);
  const named = [...known, ...spoken];
  const others = found.filter((name) => !named.some((each) => each.toLowerCase().includes(name.toLowerCase())));
  return [...new Set(named.length > 0 && !wants.watchlist.test(said) ? named : [...named, ...others])];
}

/** Words with a capital after a word that leads to a name. */
const afterLead =
  /(?<=(?<!\p{L})(?:über|zum?|zur|den|die|der|von|mit|und|sur|que|quand|pour|avec|et|de|cuando|sobre|del|con|y|a|vu) )\p{Lu}[\p{L}\d&.-]*(?: (?:& )?\p{Lu}[\p{L}\d&.-]*)*/gu;

const loanWords = /^(?:ニュース|アラート|ダイジェスト|ミュート|ウォッチリスト|メディア|レポート|リスト)$/u;
