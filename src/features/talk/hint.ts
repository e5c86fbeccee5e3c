import { quote } from "../options.ts";

const wantsMore =
  /(?:[,.;]\s*|\b)(?:and |then |please )*(?:keep (?:me|us) (?:posted|updated|informed|in the loop)|let (?:me|us) know (?:if|when) (?:anything|something|this|it|that)[^.?!]*|from now on|(?:every|each) (?:day|morning|evening|week|weekday|(?:mon|tues|wednes|thurs|fri)day)|on a (?:daily|weekly|regular) basis|regularly|i(?:'|’)m following this)\b/i;

const asksToBeTold =
  /^(?:keep (?:me|us) (?:posted|updated|informed|in the loop|up to date|abreast)|let (?:me|us) know|tell (?:me|us)|alert (?:me|us)|update (?:me|us)|notify (?:me|us))(?: (?:on|about|of|to|when|if|with))? (.+)$/i;

/** The name in “tell me when Novalith reports”. */
function nameIn(question: string): string | undefined {
  const [, rest] = asksToBeTold.exec(question.trim().replace(/[.!?]+$/, "")) ?? [];
  return rest?.replace(/^the /i, "").replace(/ (?:reports|announces|publishes|files|says|launches|meets).*$/i, "");
}

/** The offer below the answer to a question that hints at a wish; nothing for a plain question. */
export function hintIn(question: string, nameOf: (typed: string) => string | undefined) {
  const typed = nameIn(question);
  const name = typed && nameOf(typed);
  if (name) return { label: `Get alerts on ${name}`, line: `alerts propose entity ${quote(name)} every 15 minutes` };
  if (!wantsMore.test(question)) return undefined;
  const asked = question
    .replace(wantsMore, "")
    .replace(/[\s,;.!]+$/, "")
    .trim();
  return { label: "Get this every weekday", line: everyWeekday(asked || question) };
}

/** The line that proposes a question on a schedule. */
export function everyWeekday(question: string): string {
  return `digests propose ask ${quote(question)} weekdays at 9:00`;
}
