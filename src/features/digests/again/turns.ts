/**
 * Turns that an event can take, each with what headlines say for it; `-` stands for any ending, `_` for a space. A court
 * that approves and one that blocks share all other words, so that these alone say what has become of an event. What one
 * report may be told with stands together, even where it differs a little; a word of several meanings stands with each.
 */
const turns = {
  isGranted:
    "approv- authori- clear clears cleared clearance green-light greenl- green_light accept- backs backed backing endors- ratif- sign signs signed pass passes passed adopt- permit- allow allows allowed uphold- upheld win wins won winning victor- succe-",
  isAgreed: "agree agrees agreed agreement accept- reach- strik-_deal settl- confirm- sign signs signed",
  isDenied:
    "block- reject- dismiss- refus- deny denies denied veto- oppos- prohibit- challeng- vot-_against rul-_out rul-_against vot-_down say-_no said_no turn-_down disput- fail- lose loses losing lost defeat- snub- halt- stop-",
  isUndone:
    "overturn- overrid- overrul- overrode revers- annul- revok- repeal- quash- cancel- scrap- withdr- abandon- avert- drop drops dropped dropping ditch- call-_off walk-_away pull-_out back-_out after_all retract- rescind- exempt- terminat- throw-_out threw_out str-_down illegal unlawful lift lifts lifted lifting ease eases eased easing relax- unwind- unwound",
  isFreed:
    "free frees freed releas- bail exonerat- acquit- clear clears cleared refloat- rescu- repriev- saved safe found regain- recover-",
  goesDown:
    "cut cuts cutting lower- reduc- fall falls fell falling drop drops dropped slump- plung- tumbl- sink sinks sank slash- declin- ease eases eased easing giv-_up axe- sheds lay-_off",
  goesUp:
    "raise- raising rise rises rose rising hike- increas- jump- surg- soar- gain- climb- rally rallies rallied rebound- lift lifts lifted",
  growsOn:
    "evacuat- doubl- tripl- expand- widen- spread- escalat- worsen- extend- extension deepen- second third another still threaten- warn-",
  begins: "start starts started starting begin- began begun opens opened go-_on break-_out broke_out walk-_out",
  isInForce: "tak-_effect took_effect in_force into_force",
  ends: "end ends ended ending stop- halt- shut- closes closed closing closure ban bans banned banning suspend- freez- froz- ceas- reced- call-_off to_close subsid- extinguish- contained under_control complet-",
  comesBack:
    "resum- regain- recover- emerg- restart- reopen- restor- reinstat- rehir- return- rebound- back_on back_in back_at back_for back_after back_online bring-_back again reviv- relaunch- renew- retrial reconsider-",
  breaks:
    "collaps- split- conced- fail- break-_down broke_down broken breaking stall- falter- fall-_apart fell_apart flop- violat- breach- bankrupt-",
  hitsBack: "accus- blam- retaliat- attack- hit-_back raid- seiz- snub-",
  isMended: "settl- resolv- fix fixes fixed repair- solv- compensat- pays paid apologi-",
  waits:
    "halt- suspend- delay- postpon- paus- hold holds held stay stays stayed remain- continu- keep- kept defer- shelv- extend- extension",
  goesToCourt:
    "appeal appeals appealed appealing sue sues sued suing lawsuit- charged charges indict- impeach- fined jail- sentenc- convict-",
  isCaught: "arrest- detain- held caught custody seiz-",
  costsLives: "die dies died dead death- kill-",
  protests: "occup- demand- strike walk-_out protest- boycott- critic-",
  leaves:
    "resign- quit quits step-_down sack- fire fires fired oust- remov- dismiss- forc-_out push-_out part-_company",
  comesIn: "appoint- name names named hire hires hired replac- joins joined",
  isNot:
    "not never wont wouldnt cant cannot isnt arent doesnt dont didnt hasnt havent no_longer false deny denies denied",
};

/** A word or two, with the turns that they may mean. */
interface Saying {
  start: string;
  pattern: RegExp;
  turns: string[];
}

const sayings = sayingsOf(Object.entries(turns));
/** Only those that begin as one of its words does are looked for in a headline. */
const byStart = Map.groupBy(sayings, ({ start }) => start);

function sayingsOf(all: [string, string][]): Saying[] {
  const pairs = all.flatMap(([turn, said]) => said.split(" ").map((words) => ({ turn, words })));
  return [...Map.groupBy(pairs, ({ words }) => words)].map(([words, same]) => ({
    start: words.slice(0, 2),
    pattern: new RegExp(` ${words.replaceAll("-", String.raw`\p{L}*`).replaceAll("_", " ")} `, "u"),
    turns: same.map(({ turn }) => turn),
  }));
}

/** Whether a headline tells of a turn that the headlines before do not tell of. */
export function hasTurned(headline: string, before: string[]): boolean {
  const told = new Set(before.flatMap(saidIn).flatMap(({ turns: all }) => all));
  return saidIn(headline).some(({ turns: all }) => !all.some((turn) => told.has(turn)));
}

function saidIn(headline: string): Saying[] {
  const words =
    headline
      .toLowerCase()
      .replace(/['’]/g, "")
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  const plain = ` ${words.join(" ")} `;
  const starts = new Set(words.map((word) => word.slice(0, 2)));
  return [...starts].flatMap((start) => byStart.get(start) ?? []).filter(({ pattern }) => pattern.test(plain));
}
