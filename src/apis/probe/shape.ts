import { ARTICLE_NAMES } from "../article.ts";
import { isRecord, visible } from "../values.ts";

/** One thing that an answer shows of its form: names of fields and kinds of values, never a value. */
export interface Finding {
  /** In plain words. */
  matter: string;
  found: string;
  /** Whether the document shows it so; missing where the document shows nothing of it. */
  isDocumented?: boolean;
}

/** A field that may come under several names; where it is documented, the first is the documented one. */
export interface Field {
  matter: string;
  names: readonly string[];
  /** Says what kind of value it is. */
  form?: (value: unknown) => string;
  isDocumented?: boolean;
  /** The form that is documented. */
  shownForm?: string;
}

const MOST_NAMES = 12;
const SAMPLE = 1_000;

/** What is found of each field in these elements, and which further fields they have. */
export function fieldFindings(elements: readonly unknown[], fields: readonly Field[]): Finding[] {
  const records = elements.slice(0, SAMPLE).filter(isRecord);
  if (records.length === 0) return [];
  const known = new Set(fields.flatMap(({ names }) => names));
  const further = distinct(records.flatMap(Object.keys)).filter((name) => !known.has(name));
  const rest = further.length === 0 ? [] : [{ matter: "further fields", found: nameList(further) }];
  return [...fields.map((field) => fieldFinding(records, field)), ...rest];
}

function fieldFinding(records: readonly Record<string, unknown>[], field: Field): Finding {
  const { matter, names, form, isDocumented, shownForm } = field;
  const held = records.flatMap((record) => {
    const name = nameIn(record, names);
    return name === undefined ? [] : [{ name, kind: form?.(record[name]) }];
  });
  const judged = (isAsShown: boolean) => (isDocumented === true ? { isDocumented: isAsShown } : {});
  if (held.length === 0) {
    const empty = names.find((name) => records.some((record) => Object.hasOwn(record, name)));
    const found = empty === undefined ? "not there" : `${quoted(empty)}, always empty`;
    return { matter, found, ...judged(empty === names[0]) };
  }
  const ways = distinct(held.map(({ name }) => name)).map((name) => {
    const kinds = distinct(held.flatMap((one) => (one.name === name ? (one.kind ?? []) : [])));
    return [quoted(name), ...(kinds.length === 0 ? [] : [kinds.join(" or ")])].join(", ");
  });
  const isAsShown = held.every(({ name, kind }) => name === names[0] && (shownForm ?? kind) === kind);
  const share = held.length < records.length ? ` (in ${held.length} of ${records.length})` : "";
  return { matter, found: ways.join(" or ") + share, ...judged(isAsShown) };
}

/** The first of the names under which a record has a value. */
export function nameIn(record: Record<string, unknown>, names: readonly string[]): string | undefined {
  return names.find((name) => Object.hasOwn(record, name) && record[name] != null);
}

/** The list that an answer holds, up to two objects deep; `under` is empty where it is bare. */
export function listIn(
  raw: unknown,
  under: readonly string[] = [],
): { under: string[]; elements: unknown[] } | undefined {
  if (Array.isArray(raw)) return { under: [...under], elements: raw };
  if (!isRecord(raw) || under.length > 1) return undefined;
  const names = distinct(["data", "items", "results", ...Object.keys(raw)]);
  const lists = names.filter((name) => Object.hasOwn(raw, name) && Array.isArray(raw[name]));
  const inner = lists.length > 0 ? lists : names.filter((name) => Object.hasOwn(raw, name) && isRecord(raw[name]));
  return inner.map((name) => listIn(raw[name], [...under, name])).find((list) => list !== undefined);
}

/** How a list comes and how long it is, with what its elements show; a bare list is what the documents show. */
export function listFindings(raw: unknown, fields: readonly Field[], isDocumented?: boolean): Finding[] {
  const list = listIn(raw);
  const judged = (isAsShown: boolean) => (isDocumented === true ? { isDocumented: isAsShown } : {});
  if (list === undefined) return [{ matter: "the list comes as", found: `no list: ${kindOf(raw)}`, ...judged(false) }];
  const { under, elements } = list;
  const found = under.length === 0 ? "a bare list" : `a list under ${quoted(under.join("."))}`;
  return [
    { matter: "the list comes as", found, ...judged(under.length === 0) },
    { matter: "elements", found: lengthOf(elements) },
    ...fieldFindings(elements, fields),
  ];
}

function lengthOf(elements: readonly unknown[]): string {
  if (elements.length === 0) return "none, so their fields stay unknown";
  const kinds = distinct(elements.slice(0, SAMPLE).map((element) => kindOf(element)));
  return kinds.join() === "an object" ? String(elements.length) : `${elements.length}, each ${kinds.join(" or ")}`;
}

/** What kind of value it is, in plain words. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value)) return listKind(value);
  if (typeof value === "string") return textKind(value);
  return { number: "a number", boolean: "true or false" }[typeof value as string] ?? "an object";
}

function listKind(values: readonly unknown[]): string {
  if (values.length === 0) return "an empty list";
  const kinds = distinct(values.map((value) => (Array.isArray(value) ? "a list" : kindOf(value))));
  return `a list, each ${kinds.join(" or ")}`;
}

function textKind(value: string): string {
  if (/^-?\d+(\.\d+)?$/.test(value.trim())) return "a number as text";
  return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value) ? "a UUID" : "text";
}

/** In what format a point in time is written; the border between seconds and milliseconds is the schemas'. */
export function timeOf(value: unknown): string {
  if (typeof value === "number") return Math.abs(value) < 1e11 ? "epoch seconds" : "epoch milliseconds";
  if (typeof value !== "string") return `no time: ${kindOf(value)}`;
  const text = value.trim();
  if (textKind(text) === "a number as text") return `${timeOf(Number(text))} as text`;
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return "an ISO date without a time";
  if (/^\d{4}-\d\d-\d\d[T ][\d:.]+$/.test(text)) return "ISO text without a zone, taken as UTC";
  if (/^\d{4}-\d\d-\d\d[T ][\d:.]+ ?(Z|[+-]\d\d:?\d\d)$/i.test(text)) return "ISO text";
  return Number.isNaN(Date.parse(text)) ? "text that cannot be read as a time" : "text of another date format";
}

/** Where in a payload a text stands, as `choices[0].delta`; "" where the payload is the text. */
export function pathTo(payload: unknown, text: string): string | undefined {
  if (typeof payload === "string") return visible(payload) === text ? "" : undefined;
  if (typeof payload !== "object" || payload === null) return undefined;
  for (const [name, value] of Object.entries(payload)) {
    const below = pathTo(value, text);
    if (below === undefined) continue;
    const step = Array.isArray(payload) ? `[${name}]` : name;
    return below === "" || below.startsWith("[") ? step + below : `${step}.${below}`;
  }
  return undefined;
}

/** True where a payload holds words that a reader may have been meant to see. */
export function hasProse(payload: unknown): boolean {
  if (typeof payload === "string") return /\S\s+\S+\s+\S/.test(payload);
  return typeof payload === "object" && payload !== null && Object.values(payload).some(hasProse);
}

/** A name from upstream as it may be shown; one that looks like anything but a name might be somebody's data. */
export function quoted(name: string): string {
  return /^[A-Za-z_][\w.:[\]-]{0,59}$/.test(name) ? `\`${name}\`` : "a name that is not shown";
}

/** Names, each once, as one text of moderate length. */
export function nameList(names: readonly string[]): string {
  const all = distinct(names.map(quoted));
  const more = all.length > MOST_NAMES ? ` and ${all.length - MOST_NAMES} more` : "";
  return all.slice(0, MOST_NAMES).join(", ") + more;
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}

/** The fields of an article; only one of the services documents their names. */
export function articleFields(isDocumented: boolean): Field[] {
  const { id, title, summary, url, published, source, primary, secondary, tertiary } = ARTICLE_NAMES;
  return [
    { matter: "an article's ID", names: id, form: kindOf },
    { matter: "time of publication", names: published, form: timeOf, isDocumented },
    { matter: "headline", names: title, isDocumented },
    { matter: "summary", names: summary, isDocumented },
    { matter: "web address", names: url, isDocumented },
    { matter: "source", names: source, form: kindOf },
    { matter: "entities, first tier", names: primary, form: kindOf, isDocumented },
    { matter: "entities, second tier", names: secondary, form: kindOf, isDocumented },
    { matter: "entities, third tier", names: tertiary, form: kindOf, isDocumented },
  ];
}
