/**
 * What closing the words of one line comes to, done the plain way: read everything again after each cut, and look at every
 * mark by itself. Slow on long texts, and easy to check by eye; `closer.ts` has to come to the same.
 */
export function closeWordsPlainly(words: string): string {
  const { open, linkAt, isHalf } = readWords(words);
  if (linkAt !== undefined) return closeWordsPlainly(words.slice(0, linkAt));
  if (isHalf || (open.length > 0 && /[*_~`\\]$/.test(words))) return closeWordsPlainly(words.replace(/[*_~`\\]+$/, ""));
  const end = words.trimEnd().length;
  return words.slice(0, end) + open.toReversed().join("") + words.slice(end);
}

/** From longest to shortest: what may stand at a place of a line. */
const wholeLink = /^!?\[(?:[^[\]\\]|\\.|\[(?:[^[\]\\]|\\.)*\])*\]\((?:[^()\s\\]|\\.|\([^()\s]*\))*\)/;
const halfLink =
  /^(?:!\[(?:[^[\]\\]|\\.|\[(?:[^[\]\\]|\\.)*\])*\]|!?\[(?:[^[\]\\]|\\.|\[(?:[^[\]\\]|\\.)*\]?)*\\?|!?\[(?:[^[\]\\]|\\.|\[(?:[^[\]\\]|\\.)*\])*\]\((?:[^()\s\\]|\\.|\((?:[^()\s\\]|\\.)*\)?)*)$/;

function readWords(words: string): { open: string[]; linkAt?: number; isHalf: boolean } {
  let open: string[] = [];
  let isHalf = /(?<!\\)(?:\\\\)*\\$/.test(words);
  for (let at = 0; at < words.length;) {
    const rest = words.slice(at);
    const [escaped] = /^\\[!-/:-@[-`{-~]/.exec(rest) ?? [];
    const [code] = /^(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)/.exec(rest) ?? [];
    const [ticks] = /^`+/.exec(rest) ?? [];
    const [link] = wholeLink.exec(rest) ?? [];
    const [run] = /^(?:\*+|_+|~+)/.exec(rest) ?? [];
    if (escaped) at += escaped.length;
    else if (code) at += code.length;
    else if (ticks) return { open: [...open, ticks], isHalf };
    else if (link) at += link.length;
    else if (/^!?\[/.test(rest) && halfLink.test(rest)) return { open, linkAt: at, isHalf };
    else if (run) {
      let left = run.length;
      const { opens, closes } = sides(words[at - 1] ?? " ", words[at + run.length] ?? " ", run);
      for (let inner = closes ? open.length - 1 : -1; left > 0 && inner >= 0; inner--) {
        const mark = open[inner] ?? "";
        if (mark[0] !== run[0]) continue;
        const used = Math.min(left, mark.length);
        open = [...open.slice(0, inner), ...(used < mark.length ? [mark.slice(used)] : [])];
        left -= used;
      }
      if (left > 0 && opens && (run[0] !== "~" || run.length === 2)) open = [...open, run.slice(0, left)];
      else if (left > 0 && at + run.length === words.length) isHalf = true;
      at += run.length;
    } else at += /^!?\[/.exec(rest)?.[0].length ?? 1;
  }
  return { open, isHalf };
}

/** CommonMark's rule for marks of emphasis, by the characters on both sides. */
function sides(before: string, after: string, run: string): { opens: boolean; closes: boolean } {
  const isSpace = (character: string) => /\s/.test(character);
  const isPunctuation = (character: string) => /[\p{P}\p{S}]/u.test(character);
  const isLeft = !isSpace(after) && (!isPunctuation(after) || isSpace(before) || isPunctuation(before));
  const isRight = !isSpace(before) && (!isPunctuation(before) || isSpace(after) || isPunctuation(after));
  if (!run.startsWith("_")) return { opens: isLeft, closes: isRight };
  return { opens: isLeft && (!isRight || isPunctuation(before)), closes: isRight && (!isLeft || isPunctuation(after)) };
}
