/** What a name or the words of a search do not begin with. In lower case: the IT sector, the US and the WHO are sought. */
const begins =
  /^(?:about|again|all|also|and|any|are|as|at|because|before|both|but|by|did|do|does|each|for|from|had|has|have|here|how|if|in|instead|into|is|less|like|more|of|on|only|or|please|shorter|since|so|some|than|then|there|to|too|versus|vs|was|were|what|when|where|whether|which|while|who|why|with|without)\b/;
/** Who talks, and what was talked about before. */
const points =
  /(?<!-)\b(?:above|anyone|earlier|each other|he|her|him|his|I|i|it|its|me|mine|my|our|ours|she|that|their|them|these|they|this|those|we|you|your)\b(?!-)/;
const ends = /(?:[?!]|(?:^|[\s,])(?:again|already|as well|by now|instead|please|pls|so far|then|though|too)[.…]*)\s*$/i;

/** Whether words after a verb are said to somebody, as “of both, please” is, and are no name or search. */
export function isSentence(text: string): boolean {
  const words = text.trim();
  if (/^["“]/.test(words)) return false;
  return begins.test(words) || points.test(words) || ends.test(words);
}
