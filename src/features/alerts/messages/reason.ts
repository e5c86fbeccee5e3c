import type { Article } from "../../../apis/article.ts";
import { shorten } from "../../../slack/text/mrkdwn.ts";
import { comparableName } from "../../names.ts";
import { termsOf } from "../../articles/similarity.ts";

/** Headlines that are compared: the newest, which a spike consists of. */
const comparedMost = 8;
/** Words that two headlines on one event have in common at least: one alone, such as “chip”, is a whole trade. */
const sharedLeast = 2;
/** Characters of a reason; with a name and a number before it, the title is two lines on a phone. */
const longest = 60;

/**
 * The reason why an entity is in the news, in the words of the headline that shares most with the others, without the
 * name that it begins with. Undefined if fewer than a third of them agree: a reason that is only one of many would
 * mislead.
 */
export function reasonOf(articles: Pick<Article, "title">[], name: string): string | undefined {
  const own = new Set(termsOf(name));
  const compared = articles.slice(0, comparedMost).map(({ title }) => {
    return { title, words: new Set(termsOf(title).filter((word) => !own.has(word))) };
  });
  let best = { agreeing: 0, shared: 0, title: "" };
  for (const one of compared) {
    const others = compared.filter((other) => other !== one);
    const counts = others.map(({ words }) => [...words].filter((word) => one.words.has(word)).length);
    const agreeing = counts.filter((count) => count >= sharedLeast).length;
    const shared = counts.reduce((sum, count) => sum + count, 0);
    const isBetter = agreeing > best.agreeing || (agreeing === best.agreeing && shared > best.shared);
    if (isBetter) best = { agreeing, shared, title: one.title };
  }
  const isAgreed = best.agreeing > 0 && best.agreeing * 3 >= compared.length - 1;
  return isAgreed ? shorten(withoutName(best.title, name), longest) || undefined : undefined;
}

/** A headline without the name that it begins with: the title has it already. */
function withoutName(headline: string, name: string): string {
  const whole = comparableName(name);
  const [first = ""] = whole.split(" ");
  const line = shorten(headline, 300);
  const isBegun = (words: string) => words.length >= 4 && comparableName(line.slice(0, words.length)) === words;
  const begun = [whole, first].find(isBegun);
  if (begun === undefined) return line;
  const [, rest = ""] = /^(?:['’]s)?[:,–—-]?\s+(.+)$/su.exec(line.slice(begun.length)) ?? [];
  return rest.split(" ").length >= 3 ? rest : line;
}
