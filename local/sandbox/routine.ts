import data from "./data/routine.json" with { type: "json" };
import { companies } from "./entities.ts";
import type { NewsNote } from "./news.ts";
import { createRandom, type RandomSource } from "./random.ts";

type Company = (typeof companies)[number];
type Occasion = keyof typeof data.forms;

const topics: Record<Occasion, string> = {
  beat: "earnings",
  miss: "earnings",
  upgrade: "ratings",
  downgrade: "ratings",
  hire: "appointments",
  deal: "equities",
  bankdeal: "bonds",
  guidance: "earnings",
};

/** The agencies that report routine news; the trade press writes the hand-written pieces. */
const agencies = ["mw", "hs", "cd", "pl", "nk", "cc", "sx", "qp"];

/** The factor on amounts in currencies with small units. */
const currencyScale: Record<string, number> = { "¥": 100, "₹": 60, "NOK ": 8, "SEK ": 8, "DKK ": 6, R: 12, HK$: 6 };

const grouped = (value: number) => value.toLocaleString("en-GB");

/** An amount in millions as the wires write it: "$366 million", "¥74.8 billion". */
function money(currency: string, millions: number): string {
  if (millions < 10_000) return `${currency}${grouped(millions)} million`;
  return `${currency}${(millions / 1000).toFixed(1)} billion`;
}

/** The words and figures that one piece may use; drawn once, so that title and summary agree. */
function wordsFor(company: Company, random: RandomSource): Record<string, string> {
  const range = (from: number, to: number) => from + random.below(to - from + 1);
  const scale = currencyScale[company.currency] ?? 1;
  const mid = range(140, 890) * scale;
  const price = range(40, 260) * Math.max(1, Math.round(scale / 3));
  const { name, short, chief, currency, business, site } = company;
  return {
    name,
    short,
    chief,
    business,
    site,
    mid: money(currency, mid),
    less: money(currency, Math.round(mid * 0.84)),
    big: `${currency}${((range(18, 94) * Math.max(1, scale)) / 10).toFixed(1)} billion`,
    price: currency + grouped(price),
    lower: currency + grouped(Math.round(price * 0.82)),
    pct: String(range(11, 34)),
    small: (range(21, 79) / 10).toFixed(1),
    tenths: (range(4, 19) / 10).toFixed(1),
    cover: (range(12, 23) / 10).toFixed(1),
    thousand: String(range(2, 18)),
    few: random.pick(["three", "four", "five", "six"]),
    broker: random.pick(data.brokers),
    person: `${random.pick(data.given)} ${random.pick(data.family)}`,
  };
}

function fill(form: string, words: Record<string, string>): string {
  return form.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => {
    const word = words[name];
    if (word === undefined) throw new Error(`the sample data has no word for {${name}}`);
    return word;
  });
}

/** Banks and insurers win no orders, so their deals are of another kind. */
function occasionsFor(at: number, company: Company, random: RandomSource): Occasion[] {
  const results: Occasion = random.next() < 0.6 ? "beat" : "miss";
  const rating: Occasion = random.next() < 0.55 ? "upgrade" : "downgrade";
  const further: Occasion[] = ["hire", company.sector === "banking" ? "bankdeal" : "deal", "guidance"];
  return [results, rating, further[at % further.length] ?? "hire"];
}

/** Results, ratings, appointments, contracts and forecasts: three pieces for each company, the same in every run. */
export function routineNotes(): NewsNote[] {
  const random = createRandom("routine");
  const used = new Map<Occasion, number>();
  return companies.flatMap((company, at) =>
    occasionsFor(at, company, random).map((occasion) => {
      const words = wordsFor(company, random);
      const turn = used.get(occasion) ?? 0;
      used.set(occasion, turn + 1);
      const forms = data.forms[occasion];
      const form = forms[turn % forms.length];
      if (!form) throw new Error(`the sample data has no forms for "${occasion}"`);
      const secondary = [topics[occasion], company.sector];
      const [title, summary] = [fill(form.title, words), fill(form.summary, words)];
      return { source: random.pick(agencies), primary: [company.key], secondary, title, summary };
    }),
  );
}
