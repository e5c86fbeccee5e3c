/**
 * For each place in a text, which closing character ends what begins there, or -1: `plain` if no opening one may stand
 * in between, `nested` if pairs of them may. A character that a backslash escapes is neither. Reads the text once.
 */
export function endsIn(text: string, closing: string, opening = ""): Record<"plain" | "nested", Int32Array> {
  const plain = new Int32Array(text.length + 2).fill(-1);
  const nested = plain.slice();
  for (let at = text.length - 1; at >= 0; at--) {
    const character = text.charAt(at);
    const isEscape = character === "\\";
    const next = at + (isEscape ? 2 : 1);
    if (closing.includes(character)) plain[at] = nested[at] = at;
    // If nothing ends the inner one this reads the first place, which nothing has set yet.
    else if (character === opening) nested[at] = nested[(plain[next] ?? -1) + 1] ?? -1;
    else if (!isEscape || /./.test(text.charAt(at + 1))) {
      plain[at] = plain[next] ?? -1;
      nested[at] = nested[next] ?? -1;
    }
  }
  return { plain, nested };
}
