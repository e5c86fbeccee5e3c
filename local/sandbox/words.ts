/** Lower case, without accents and punctuation, one space between words: how texts are compared here. */
export function plain(text: string): string {
  return text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/['’]s\b/g, "")
    .replaceAll(/[^\p{L}\p{N}&]+/gu, " ")
    .trim();
}

/** The words of a text in plain form. */
export function wordsOf(text: string): string[] {
  const flat = plain(text);
  return flat === "" ? [] : flat.split(" ");
}

/** The sentences of a summary; a full stop inside a figure or after an initial does not end one. */
export function sentencesOf(text: string): string[] {
  return text
    .split(/(?<=[.!?]["”’]?)\s+(?=[\p{Lu}\p{N}"“‘])/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "");
}

/** "a, b and c". */
export function listed(items: string[]): string {
  const last = items.at(-1);
  if (last === undefined) return "";
  return items.length === 1 ? last : `${items.slice(0, -1).join(", ")} and ${last}`;
}

/** "40 minutes ago", "3 hours ago", "2 days ago". */
export function ago(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / 60_000));
  if (minutes < 60) return counted(minutes, "minute");
  const hours = Math.round(minutes / 60);
  return hours < 36 ? counted(hours, "hour") : counted(Math.round(hours / 24), "day");
}

function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? "" : "s"} ago`;
}
