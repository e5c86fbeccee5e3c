/**
 * Tells sentences that seem to ask the bot to set, send or stop something, in any of ten languages. It only decides whether
 * a language model is asked what is meant, so a list of stems is enough; a plain question must not qualify.
 */

/** Longer than anything that sets something. */
const longest = 240;

const english = {
  verbs: [
    "(?:alert|notify|ping|warn) (?:me|us|everyone|everybody|the (?:team|desk|channel))(?! (?:if|when|on|about) (?:it|they|this|that)\\b)",
    "(?:tell|message|inform) (?:me|us) (?:whenever|as soon as|every time|each time)",
    "keep (?:me|us) (?:posted|updated|informed|in the loop)",
    "(?:un)?subscribe (?:me|us)",
  ],
  // English tells of weekdays in many sentences, and the grammar reads most wishes: it takes an order as well.
  schedule: [
    "(?<=^(?:send|post|give|show|bring|deliver|drop|prepare|compile|share|publish|write|ask|answer|check|get|put|run) .*)(?:every|each) (?:day|morning|evening|afternoon|night|hour|week|weekday|workday|month|(?:mon|tues|wednes|thurs|fri|satur|sun)day)",
  ],
  asks: "who|whom|whose|what|what's|which|where|why|how|when|is|are|was|were|do|does|did|has|have|had|will|would|should|can|could",
};

const german = {
  verbs: [
    "benachrichtige?n?|alarmiere?n?|verstandige?",
    "(?:informier|warn|erinner)\\w* (?:mich|uns|das team)",
    "bescheid",
    "(?:schick|send|liefer)\\w* (?:mir|uns|bitte|jede)",
    "(?:mir|uns) \\w*(?:schicken|senden|melden)",
    "halte? (?:mich|uns)",
    "abonnier\\w*|beobachtungsliste",
    "(?:beobachte|uberwache|verfolge|pausiere|stoppe|beende|verschiebe?|verlege?|poste)(?= )",
    "stumm\\w*|kann weg",
    "(?:leg|richte?|erstell)e? .*(?:liste|alarm|digest|uberblick)",
  ],
  schedule: [
    "taglich|werktags|wochentlich|stundlich|monatlich|an werktagen|(?:mon|diens|donners|frei|sams|sonn)tags|mittwochs",
    "jede[nrs]? (?:tag|morgen|abend|mittag|nachmittag|stunde|woche|monat|werktag|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch)",
  ],
  asks: "wer|wen|wem|wessen|was|warum|wieso|weshalb|wann|wie|wo|wohin|woher|welche[rsmn]?|ist|sind|war|waren|hat|haben|wird|gibt|sollte",
};

const french = {
  verbs: [
    "previen[st]|prevenez|avertis|avertissez|notifiez?|(?:me|nous) (?:prevenir|avertir|notifier|alerter|envoyer)",
    "alertez?[- ](?:moi|nous)|(?:une |l')alerte (?:pour|sur|dans|quand|si)",
    "(?:tiens|tenez)[- ](?:moi|nous)|rappelle[- ](?:moi|nous)",
    "envoie[sz]?|envoyez",
    "surveillez?|abonne[rz]?|desabonne[rz]?",
    "met(?:s|tez) .*(?:pause|sourdine|silence)|(?:re|des)activez?(?:-l[ae])?",
    "(?:cree|creez|supprime|arrete|annule|deplace) .*(?:liste|alerte|resume|digest|revue)",
  ],
  schedule: [
    "chaque (?:jour|matin|soir|semaine|mois|heure|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)",
    "tou(?:s|tes) les (?:jours|matins|soirs|semaines|mois|heures|lundis|mardis|mercredis|jeudis|vendredis|samedis|dimanches)",
    "(?:lundis|mardis|mercredis|jeudis|vendredis)|quotidiennement|en semaine a|les jours ouvr\\w+",
  ],
  asks: "qui|que|qu'|quoi|quand|comment|pourquoi|ou|quel|quelle|quels|quelles|combien|est-ce",
};

const spanish = {
  verbs: [
    "avis[ae](?:me|nos|r|rme|rnos)|notific\\w*(?:me|nos)|alerta(?:me|nos)|inform[ae](?:me|nos)|manten(?:me|nos)|recuerda(?:me|nos)",
    "(?:envia|envie|manda|mande)(?:me|nos)",
    "(?:dime|dinos|di(?:me|nos)lo) (?:cuando|si) .*(?:dispar|titular|noticia)|dinos si",
    "vigila|silencia|monitorea|monitoriza|suscribe\\w*|reanuda|desactiva",
    "(?:cancela|pausa|crea|quita|elimina|mueve|cambia) .*(?:lista|alerta|resumen|digest|aviso)",
    "quiero (?:un|el) resumen|pon(?:me|nos)? una alerta",
  ],
  schedule: [
    "(?:cada|todos los|todas las) (?:dias?|mananas?|tardes?|noches?|semanas?|mes(?:es)?|horas?|lunes|martes|miercoles|jueves|viernes|sabados?|domingos?)",
    "a diario|diariamente|los dias (?:laborables|habiles)|los (?:lunes|martes|miercoles|jueves|viernes)|primer lunes",
  ],
  asks: "quien|quienes|que|cuando|como|donde|cual|cuales|cuanto|cuantos|cuanta|cuantas|por que",
};

const italian = {
  verbs: [
    "avvis[ai](?:mi|ci|temi)|avvert[ie](?:mi|ci)|notifica(?:mi|ci)|(?:fammi|facci) sapere (?:quando|se|appena)|tien(?:i)?(?:mi|ci)|ricorda(?:mi|ci)",
    "(?:invia|manda)(?:mi|ci|temi)",
    "(?:segui|monitora|silenzia|iscrivimi|sospendi)(?= )",
    "(?:crea|annulla|cancella|sposta) .*(?:lista|avviso|allerta|riassunto|digest)",
  ],
  schedule: [
    "(?:ogni|tutti i|tutte le) (?:giorn[oi]|mattin[ae]|ser[ae]|settiman[ae]|mes[ei]|or[ae]|lunedi|martedi|mercoledi|giovedi|venerdi|sabato|domenica)",
    "nei giorni (?:feriali|lavorativi)|quotidianamente",
  ],
  asks: "chi|che|cosa|quando|come|dove|quale|quali|quanto|quanti|quanta|quante|perche",
};

const portuguese = {
  verbs: [
    "(?:me|nos) (?:avis[ae]|notifi(?:ca|que)|alert[ae]|inform[ae]|envi[ae]|mand[ae]|lembr[ae])",
    "(?:avis[ae]|notifica|alert[ae]|inform[ae]|envi[ae]|mand[ae]|lembr[ae])-(?:me|nos)",
    "(?:acompanhe|monitore|silencie|assine|inscreva)(?= )",
    "(?:crie|cria|cancele|cancela|mova) .*(?:lista|alerta|resumo|digest)",
  ],
  schedule: [
    "todos os (?:dias|meses)|todas as (?:manhas|noites|semanas|segundas|tercas|quartas|quintas|sextas)|tod[oa] (?:dia|manha|noite|segunda|terca|quarta|quinta|sexta)",
    "nos dias uteis|diariamente|as segundas(?:-feiras)?",
  ],
  asks: "quem|que|o que|quando|como|onde|qual|quais|quanto|quantos|quantas|por que|porque",
};

const dutch = {
  verbs: [
    "(?:waarschuw|verwittig|informeer|herinner) (?:me|mij|ons)|laat (?:me|mij|ons|het) .*weten|hou(?:d)? (?:me|mij|ons) op de hoogte",
    "(?:stuur|mail) (?:me|mij|ons)",
    "(?:abonneer|demp|dempen|pauzeer)(?= )|volg(?= )",
    "(?:maak|stop|verwijder|verplaats|zet) .*(?:lijst|melding|waarschuwing|overzicht|samenvatting|digest)",
  ],
  schedule: [
    "(?:elke|iedere|elk|ieder) (?:dag|ochtend|middag|avond|week|maand|uur|werkdag|maandag|dinsdag|woensdag|donderdag|vrijdag|zaterdag|zondag)",
    "dagelijks|wekelijks|op werkdagen",
  ],
  asks: "wie|wat|waarom|wanneer|hoe|waar|welke|hoeveel|is|zijn|was|waren|heeft|hebben",
};

const languages = [english, german, french, spanish, italian, portuguese, dutch];

function anyOf(parts: string[]): RegExp {
  return new RegExp(`(?<![\\p{L}\\d])(?:${parts.join("|")})(?![\\p{L}\\d])`, "u");
}

const verbs = anyOf(languages.flatMap((each) => each.verbs));
const schedules = anyOf(languages.flatMap((each) => each.schedule));
const begins = new RegExp(`^(?:${languages.map(({ asks }) => asks).join("|")})(?![\\p{L}\\d])`, "u");
/** A request in the form of a question: “could you”. */
const requests = anyOf([
  "(?:can|could|would|will) you",
  "kannst du|konntest du|konnen sie|konnten sie|wurdest du",
  "peux-tu|peut-on|pourrais-tu|pouvez-vous|pourriez-vous",
  "puedes|podrias|puede|podria|podrian",
  "puoi|potresti|potete|pode|poderia|podes",
  "kun je|kunt u|kan je|zou je",
]);
/** The bot’s own things, and somebody who has them: such a question is about what is set up. */
const ownNoun = anyOf([
  "alarme?n?|benachrichtigung(?:en)?|beobachtungslisten?|digests?|watchlists?|uberblicke?",
  "alertes?|listes? de (?:veille|suivi)|alertas?|avisos?|listas? de seguimiento|avvisi|melding(?:en)?",
]);
const own = anyOf([
  "hier|ich|wir|mir|uns|mein\\w*|unser\\w*",
  "ici|nos|notre|mes|mon|nous|moi|aqui|mis|mi|nuestr\\w+|tengo|tenemos|qui|miei|nostri|meus|nossos|mijn|onze|wij",
]);
/** A question on what the bot did or didn’t tell, or on itself. */
const told = anyOf([
  "(?:habe ich|haben wir|hab ich) .*verpasst|hast du (?:mich|uns|mir)",
  "(?:ai-je|avons-nous|j'ai|on a) .*(?:rate|manque)|rien recu|m'as-tu|nous as-tu",
  "(?:he|hemos) perdido|(?:me|nos) has|mi sono perso|ho perso|perdi hoje|heb ik gemist",
  "ce bot|dieser bot|este bot|questo bot|deze bot",
]);

const eastern = {
  /** Japanese, Chinese and Korean. */
  wishes:
    /通知して|知らせて|アラート|(?:たら|れば|とき|時)[にはも、]*(?:教えて|連絡)|(?:送って|届けて|配信して|投稿して)|ダイジェスト|ウォッチリスト|ミュート|リマインド|購読|見逃し|(?:通知|提醒|告诉|告訴)(?:我|我们|我們|大家)|(?:时|時|就)(?:通知|提醒)|(?:发|發|推送|发送)(?:给|給)|订阅|訂閱|监控|監控|静音|靜音|关注列表|알림|알려 ?(?:줘|주세요|줄래)(?<=(?:면|때|마다).*)|보내 ?(?:줘|주세요)|구독|음소거/u,
  schedules:
    /毎[日朝晩週月時夕](?!新聞)|平日|曜日?の?(?:午前|午後)?\d+時|每[天周週月早晚]|每个?(?:工作日|星期|早上|月)|每個|工作日|매일|매주|매달|매월|매시간|평일|아침마다|요일마다/u,
  asks: /なぜ|どうして|何(?!か)|誰|いつ(?!も)|どこ|どの|どれ|どう(?!ぞ)|いくら|ですか|ますか|什么|什麼|谁|誰|为什么|為什麼|怎么|怎麼|哪|多少|吗|嗎|왜|무엇|무슨|뭐|누가|누구|언제|어디|어떻게|얼마|까\?|나요/u,
  requests: /(?:くれ|もらえ|いただけ)(?:ますか|ませんか)|能不能|可以.*(?:吗|嗎)|(?:줄|주실) 수 있/u,
  /** Asks what the bot has, or didn’t tell. */
  own: /(?:アラート|ダイジェスト|ウォッチリスト).*(?:一覧|見せて|表示|ありますか)|見逃し(?:た|まし)|(?:提醒|订阅).*(?:有哪些|列表)|알림.*(?:목록|보여)/u,
};

/** True if a line seems to ask the bot for more than news; a plain question in any of these languages does not. */
export function soundsLikeWish(line: string): boolean {
  if (line.length > longest || line.includes("\n") || /^\s*(?:>|&gt;)/.test(line)) return false;
  // Words in quotation marks are a question to ask later, or a name.
  const whole = line.replace(/[“”"„«»「」『』][^“”"„«»「」『』]*[“”"„«»」』]/gu, " ").trim();
  // “Every Monday at 9: who won?” is about the part before the colon.
  const said = /^([^:：]{4,})[:：]\s*\S/u.exec(whole)?.[1] ?? whole;
  return soundsWestern(said) || soundsEastern(said);
}

function soundsWestern(said: string): boolean {
  const text = said.normalize("NFD").replace(/\p{M}/gu, "").replace(/[’‘]/g, "'").toLowerCase().replace(courtesy, "");
  const isQuestion = begins.test(text) || /[?？]\s*$/.test(text);
  if (told.test(text) || (ownNoun.test(text) && own.test(text))) return true;
  if (isQuestion) return requests.test(text) && (verbs.test(text) || schedules.test(text));
  return verbs.test(text) || schedules.test(text) || /\b(?:kann weg)\b/.test(text);
}

/** Words before a request, which say nothing of it. */
const courtesy =
  /^(?:[¿¡\s]|(?:hi|hello|hey|hallo|hola|bonjour|ciao|ola|please|bitte|por favor|s'il (?:te|vous) plait|per favore|alstublieft|bellwether)\b[\s,!]*)+/u;

function soundsEastern(said: string): boolean {
  const text = said.normalize("NFC");
  if (eastern.own.test(text)) return true;
  const isWish = eastern.wishes.test(text) || eastern.schedules.test(text);
  return isWish && (!eastern.asks.test(text) || eastern.requests.test(text));
}

const englishWords =
  /(?<![\p{L}'’])(?:the|an?|on|about|of|for|to|me|us|my|our|we|when|if|every|each|daily|at|in|and|is|are|what|which|who|why|how|with|from|by|news|alerts?|digests?|send|post|tell|stop|mute|follow|watch|pause|move|show|list|add|please|not|only|this|that|it|you)(?![\p{L}'’])/giu;
const otherWords =
  /(?<![\p{L}'’])(?:der|die|das|den|dem|und|zu[rm]?|über|bitte|um|eine?[nr]?|auf|mit|von|mir|mich|uns|jede[nrs]?|ich|wir|habe|hier|bis|seit|ce|en|le|les|la|des|du|une?|pour|sur|dans|et|à|au|que|qui|par|de|el|los|las|del|y|con|una|para|por|cuando|il|lo|gli|che|di|per|su|quando|o|os|em|com|da|do|às|não|het|een|van|over|op|als|voor|ons|mij)(?![\p{L}'’-])/giu;

/** True if a line is clearly not in English, which the bot’s own reader would misread. */
export function isOtherLanguage(line: string): boolean {
  const inEnglish = line.match(englishWords)?.length ?? 0;
  if (/[\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Han}\p{sc=Hangul}]/u.test(line)) return inEnglish === 0;
  return (line.match(otherWords)?.length ?? 0) > inEnglish;
}
