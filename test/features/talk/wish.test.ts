import { expect, test } from "vitest";

import { model } from "../../../src/features/talk/model.ts";
import { readWish } from "../../../src/features/talk/wish.ts";
import { array, assert, constantFrom, property } from "../../support/property.ts";

const wishes: [string, object][] = [
  ["alert me when Novalith spikes", { act: "alert", subject: { names: ["Novalith"] }, place: "me" }],
  [
    "Please let us know in #markets if there's unusual coverage of Siemens Energy",
    { act: "alert", subject: { names: ["Siemens Energy"] }, place: "#markets" },
  ],
  [
    "alert me if there's no news on Novalith for 6 hours",
    { act: "alert", subject: { names: ["Novalith"] }, isSilence: true, silence: 6 },
  ],
  [
    "send me the news on BASF every weekday at 9",
    { act: "digest", subject: { names: ["BASF"] }, when: "every weekday at 9", place: "me" },
  ],
  [
    "every weekday at 8 and 17, what's new on gold and silver, not Japan, in German",
    {
      act: "digest",
      subject: { names: ["gold", "silver"] },
      when: "every weekday at 8 and 17",
      without: ["Japan"],
      language: "German",
    },
  ],
  [
    "daily BASF news at 9am in #markets, only Reuters, at most five",
    { act: "digest", subject: { names: ["BASF"] }, place: "#markets", outlets: ["Reuters"], max: 5 },
  ],
  ["set up a digest on BASF", { act: "digest", subject: { names: ["BASF"] } }],
  [
    "every Monday at 8 tell me what changed for BASF",
    { act: "question", question: "What changed for BASF?", when: "every Monday at 8" },
  ],
  [
    "create a watchlist Metals with gold, silver and copper but not oil",
    { act: "watchlist", name: "Metals", names: ["gold", "silver", "copper", "-oil"], isNew: true },
  ],
  ["add silver to my Metals watchlist", { act: "watchlist", name: "Metals", names: ["silver"], isNew: false }],
  ["mute Novalith until tomorrow", { act: "mute", name: "Novalith", span: "until tomorrow" }],
  ["stop the Paylantic alerts", { act: "stop", thing: { noun: "alert", name: "Paylantic" } }],
  ["stop telling me about Novalith", { act: "stop", thing: { noun: "alert", name: "Novalith" } }],
  ["pause digest 2", { act: "pause", thing: { noun: "digest", number: 2 } }],
  ["move my digest to 8:30", { act: "change", thing: { noun: "digest" }, when: "8:30" }],
  ["move the oil digest to #markets", { act: "change", thing: { noun: "digest", name: "oil" }, place: "#markets" }],
  ["make alert 3 quieter", { act: "change", thing: { noun: "alert", number: 3 }, sensitivity: "quiet" }],
  ["what am I following here?", { act: "list" }],
  ["list my digests", { act: "list", noun: "digest" }],
  ["why didn't you tell me about Paylantic?", { act: "whyNot", name: "Paylantic" }],
  ["why did you alert us about Kitakami?", { act: "why", name: "Kitakami" }],
  ["what did I miss since Monday?", { act: "catchUp", since: "since monday" }],
  [
    "Would it be possible to receive a morning briefing on Volkswagen, leaving out motorsport?",
    { act: "digest", subject: { names: ["Volkswagen"] }, when: "every morning", without: ["motorsport"] },
  ],
  [
    "Monitor Gazprombank, Rosneft and Sberbank, and post to #sanctions with a maximum of 5 stories each.",
    { act: "alert", subject: { names: ["Gazprombank", "Rosneft", "Sberbank"] }, place: "#sanctions", max: 5 },
  ],
  [
    "Could you monitor everyone on our Competitors list, please?",
    { act: "alert", subject: { kind: "watchlist", names: ["Competitors"] } },
  ],
  [
    "tell us if there is no news on Novalith for 6 hours",
    { act: "alert", subject: { names: ["Novalith"] }, isSilence: true, silence: 6 },
  ],
  ["let us know when Novalith spikes", { act: "alert", subject: { names: ["Novalith"] } }],
  [
    "give us a weekly summary of EU chip regulation on Mondays",
    { act: "digest", subject: { names: ["EU chip regulation"] }, when: "on Mondays", hasLead: true },
  ],
  ["lithium digest mondays 10, reuters n bloomberg only", { act: "digest", outlets: ["reuters", "bloomberg"] }],
  [
    "Alert me when our chief executive Roland Busch is suddenly in the news",
    { act: "alert", subject: { names: ["Roland Busch"] } },
  ],
  ["pause nvidia alert til fri", { act: "pause", thing: { noun: "alert", name: "nvidia" }, span: "until Friday" }],
  ["Suspend the Danske Bank alert for 14 days.", { act: "pause", span: "for 14 days" }],
  [
    "Mute Credit Suisse and Archegos for a week",
    { act: "mute", names: ["Credit Suisse", "Archegos"], span: "for a week" },
  ],
  ["Terminate alert number 7 with immediate effect.", { act: "stop", thing: { noun: "alert", number: 7 } }],
  ["what tripped alert 4", { act: "why", noun: "alert", number: 4 }],
  ["cap the oil digest at 3", { act: "change", thing: { noun: "digest", name: "oil" }, max: 3 }],
  [
    "copper digest mon/wed/fri at 8:15",
    { act: "digest", subject: { names: ["copper"] }, when: "mon / wed / fri at 8:15" },
  ],
  ["tin and zinc digest 8/12/16h", { act: "digest", subject: { names: ["tin", "zinc"] }, when: "at 8,12,16" }],
  ["mute Ronaldo for one month", { act: "mute", name: "Ronaldo", span: "for 1 month" }],
  ["wathc Levi's plaese :pray:", { act: "alert", subject: { names: ["Levi's"] } }],
  ["State why alert 4 was triggered", { act: "why", noun: "alert", number: 4 }],
  ["The alert number 3 must come now to #auto-team, not more here", { act: "change", place: "#auto-team" }],
  ["Tesla digest every morning, nothing from Bloomberg", { act: "digest", without: ["Bloomberg"] }],
  ["Tesla digest every morning, nothing but Bloomberg", { act: "digest", outlets: ["Bloomberg"] }],
  ["alerts on BHP, anything but Bloomberg", { act: "alert", subject: { names: ["BHP"] }, without: ["Bloomberg"] }],
  ["leave Bloomberg out of the energy digest", { act: "change", without: ["Bloomberg"] }],
  ["can u un pause alert 5 thx", { act: "resume", thing: { noun: "alert", number: 5 } }],
  ["mute alert 6", { act: "pause", thing: { noun: "alert", number: 6 } }],
  ["unmute alert 6 pls", { act: "resume", thing: { noun: "alert", number: 6 } }],
  ["make the paylantic alert less jumpy", { act: "change", sensitivity: "quiet" }],
  ["unpuase 4", { act: "resume", thing: { number: 4 } }],
  ["Run an OPEC digest twice a day, at 07:00 and 15:00", { act: "digest", when: "twice a day, at 07:00 and 15:00" }],
  ["ECB wrap, thurs 1430", { act: "digest", when: "thurs 1430" }],
  ["Do bring the National Trust briefing forward to 8:45.", { act: "change", when: "8:45" }],
  ["send me a morning round-up on hydrogen weekdays at 8", { act: "digest", when: "weekdays at 8" }],
  ["no more Tesla alerts for 3 days", { act: "mute", name: "Tesla", span: "for 3 days" }],
  ["tell us as soon as the coverage of Boeing explodes", { act: "alert", subject: { names: ["Boeing"] } }],
  ["heads-up when TSMC blows up", { act: "alert", subject: { names: ["TSMC"] } }],
  ["stop sending us news on hydrogen", { act: "stop", thing: { name: "hydrogen" } }],
  ["what do I get from you at the moment?", { act: "list" }],
  ["why haven’t we been told about Boeing?", { act: "whyNot", name: "Boeing" }],
  ["monitoring of palm oil please", { act: "alert", subject: { names: ["palm oil"] } }],
  ["track OPEC for me", { act: "alert", subject: { names: ["OPEC"] } }],
  ["pls stpo the tesla alerts", { act: "stop", thing: { noun: "alert", name: "tesla" } }],
  ["del brent alert", { act: "stop", thing: { noun: "alert", name: "brent" } }],
  ["watch BaFin and ESMA, limited to Reuters", { subject: { names: ["BaFin", "ESMA"] }, outlets: ["Reuters"] }],
  [
    "Remove Chelsea from the Football watchlist and add Arsenal",
    { act: "watchlist", name: "Football", names: ["Arsenal", "-Chelsea"], isNew: false },
  ],
];

test.each(wishes)("“%s” is read as a wish, with all that it says", (sentence, wish) => {
  expect(readWish(sentence)).toMatchObject(wish);
});

test.each([
  "I don't trust Bloomberg",
  "Bloomberg excluded",
  "nothing from Bloomberg",
  "anything but Bloomberg",
  "not Bloomberg",
  "no Bloomberg",
  "without Bloomberg",
])("an outlet that “%s” leaves out is never the only one", (part) => {
  for (const wish of ["every day at 9 news on BASF, ", "alert me when Novalith spikes, "]) {
    expect(readWish(wish + part)).toMatchObject({ without: ["Bloomberg"] });
    expect(readWish(wish + part)).not.toHaveProperty("outlets");
  }
});

test.each([
  "why did gold jump every day last week?",
  "who follows OPEC?",
  "tell me when the OPEC meeting is",
  "digest of the Bundesbank's speech, please",
  "What alerts did the FCA issue this week?",
  "Which banks follow Basel rules?",
  "Tell me when Novalith was founded.",
  "Send me the latest on BASF.",
  "What does Novalith publish every quarter?",
  "Why haven't banks passed on rates?",
  "Follow the money: who owns Ardenne?",
  "change the tone to formal",
  "make it shorter",
  "explain why banks stop lending",
  "> alert me when Novalith spikes",
  '"alert me when Novalith spikes"',
  "set an alarm for tomorrow at 6 am",
  "add milk and eggs to something",
  "we stopped the campaign on Monday",
  "UBS to stop using Credit Suisse name from Monday",
  "Police alert banks to new phishing wave",
  "I would like to know whether Roche has completed the Carmot acquisition.",
  "can u explain why gold went up every week this month",
  "any travel alerts for south korea",
  "Daily Mail stops print edition in Scotland",
  "which companies are on the sanctions list?",
  "is The Economist planning a weekly digest?",
  "My broker alerts me when gold moves",
  "Lufthansa follows Air France with fuel surcharge",
  "every week there's another leak at that bank",
  "spell “Paylantic” for me",
  "alerts on this?",
  "alerts",
  "https://news.example/a",
])("“%s” is no wish", (sentence) => {
  expect(readWish(sentence)).toBeUndefined();
});

test.each([
  "mute swans",
  "follow the latest in Sudan",
  "track record of Riisager",
  "Watch Group plc",
  "silence of the lambs",
])("“%s” is a wish only if what it names is known", (sentence) => {
  expect(readWish(sentence)?.needsKnown ?? true).toBe(true);
});

test("what is longer than a wish can be is none, whatever it says", () => {
  expect(readWish(`alert me when Novalith spikes ${"and so on ".repeat(40)}`)).toBeUndefined();
});

test("“Exclude Japan from digest 3” stops no digest", () => {
  expect(readWish("Exclude Japan from digest 3")?.act).not.toBe("stop");
});

/** A model that counts how often a weight is looked up. */
function counted() {
  let lookups = 0;
  class Counted extends Map<number, Float32Array> {
    override get(feature: number) {
      lookups += 1;
      return super.get(feature);
    }
  }
  const counting = { ...model, acts: new Counted(model.acts), labels: new Counted(model.labels) };
  return (text: string) => {
    lookups = 0;
    readWish(text, counting);
    return lookups;
  };
}

test.each(["every ", "and at 9 ", "until ", '"', "not ", "list ", "5 ", "Novalith, "])(
  "a wish that goes on with “%s” again and again is read without an error, in work that grows with its length",
  (part) => {
    const workOf = counted();
    const work = (length: number) => workOf(`alert me if BASF spikes ${part.repeat(length)}`.slice(0, length));
    expect(work(240)).toBeLessThanOrEqual(6 * work(60));
  },
);

const pieces = wishes.flatMap(([sentence]) => sentence.split(" ")).concat("?", ",", '"', "<#C1|x>", "every", "at", "9");

test("any mixture of its words is read without an error", () => {
  assert(
    property(array(constantFrom(...pieces), { maxLength: 40 }), (words) => {
      expect(() => readWish(words.join(" "))).not.toThrow();
    }),
  );
});
