import type { Note } from "./coverage.ts";
import data from "./data/routine.json" with { type: "json" };
import { companies, type Company } from "./entities.ts";
import { createRandom, type Random } from "./random.ts";

type Subject = "beat" | "miss" | "upgrade" | "downgrade" | "hire" | "deal" | "bankdeal" | "guidance";

const TOPICS: Record<Subject, string> = {
  beat: "earnings",
  miss: "earnings",
  upgrade: "ratings",
  downgrade: "ratings",
  hire: "appointments",
  deal: "equities",
  bankdeal: "bonds",
  guidance: "earnings",
};

/** The agencies that report such things first; the trade press adds its own in the hand-written news. */
const DESKS = ["mw", "hs", "cd", "pl", "nk", "cc", "sx", "qp"];

/** Amounts in currencies of small units run higher. */
const SCALE: Record<string, number> = { "¥": 100, "₹": 60, "NOK ": 8, "SEK ": 8, "DKK ": 6, R: 12, HK$: 6 };

function range(random: Random, from: number, to: number): number {
  return from + random.below(to - from + 1);
}

/** An amount in millions as the wires write it: "$366 million", "¥74.8 billion". */
function money(currency: string, millions: number): string {
  return millions < 10_000
    ? `${currency}${grouped(millions)} million`
    : `${currency}${(millions / 1000).toFixed(1)} billion`;
}

function grouped(value: number): string {
  return value.toLocaleString("en-GB");
}

/** The words and figures that one piece may use; drawn once, so that title and summary agree. */
function fillings(company: Company, random: Random): Record<string, string> {
  const scale = SCALE[company.currency] ?? 1;
  const mid = range(random, 140, 890) * scale;
  const price = range(random, 40, 260) * Math.max(1, Math.round(scale / 3));
  const { name, short, chief, currency, business, site } = company;
  return {
    name,
    short,
    chief,
    business,
    site,
    mid: money(currency, mid),
    less: money(currency, Math.round(mid * 0.84)),
    big: `${currency}${((range(random, 18, 94) * Math.max(1, scale)) / 10).toFixed(1)} billion`,
    price: currency + grouped(price),
    lower: currency + grouped(Math.round(price * 0.82)),
    pct: String(range(random, 11, 34)),
    small: (range(random, 21, 79) / 10).toFixed(1),
    tenths: (range(random, 4, 19) / 10).toFixed(1),
    cover: (range(random, 12, 23) / 10).toFixed(1),
    thousand: String(range(random, 2, 18)),
    few: random.pick(["three", "four", "five", "six"]),
    broker: random.pick(data.brokers),
    person: `${random.pick(data.given)} ${random.pick(data.family)}`,
  };
}

function filled(form: string, words: Record<string, string>): string {
  return form.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => {
    const word = words[name];
    if (word === undefined) throw new Error(`no filling for {${name}}`);
    return word;
  });
}

/** Banks and insurers win no orders, so their deals are of another kind. */
function subjectsOf(at: number, company: Company, random: Random): Subject[] {
  const results: Subject = random.next() < 0.6 ? "beat" : "miss";
  const rating: Subject = random.next() < 0.55 ? "upgrade" : "downgrade";
  const further: Subject[] = ["hire", company.sector === "banking" ? "bankdeal" : "deal", "guidance"];
  return [results, rating, further[at % further.length] ?? "hire"];
}

/** Results, ratings, appointments, contracts and forecasts: three pieces for each company, the same in every run. */
export function routineNotes(): Note[] {
  const random = createRandom("routine");
  const taken = new Map<Subject, number>();
  return companies.flatMap((company, at) =>
    subjectsOf(at, company, random).map((subject) => {
      const words = fillings(company, random);
      const turn = taken.get(subject) ?? 0;
      taken.set(subject, turn + 1);
      const forms = data.forms[subject];
      const form = forms[turn % forms.length];
      if (!form) throw new Error(`there are no forms for "${subject}"`);
      const title = filled(form.title, words);
      const summary = filled(form.summary, words);
      const secondary = [TOPICS[subject], company.sector];
      return { source: random.pick(DESKS), primary: [company.key], secondary, title, summary };
    }),
  );
}
