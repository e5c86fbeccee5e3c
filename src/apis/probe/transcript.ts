import { tolerantJson } from "../answer.ts";
import type { Look } from "../probe.ts";
import { isRecord } from "../values.ts";
import { hasProse, nameList, pathTo, quoted } from "./shape.ts";
import type { Finding } from "./shape.ts";
import type { ServerEvent } from "../sse.ts";

/** One event of a stream with what the bot makes of it. */
export interface Heard {
  event: ServerEvent;
  /** The text that readers get to see. */
  text: string;
  /** True where the event is of use otherwise. */
  isUsed: boolean;
}

interface Documented {
  events: readonly string[];
  /** Values of `type`. */
  types: readonly string[];
  /** Where text stands. */
  place: string;
}

/** How the listening ended: with the stream, by leaving a long one, or where it broke off. */
export type End = "whole" | "left" | "broken";

interface TranscriptOptions {
  /** As in the document. */
  path: string;
  heard: readonly Heard[];
  end: End;
  /** Missing where the document shows none of it. */
  documented?: Documented | undefined;
}

/** What a stream shows, and what besides it was found of it; one in which no reader would find a word is a problem. */
export function transcriptLook(options: TranscriptOptions, further: readonly Finding[]): Look {
  const { path, heard } = options;
  const problem = heard.some(({ text }) => text !== "") ? undefined : "a stream without any text";
  return { findings: [...formOf(options), ...further], advice: unreadAdvice(path, heard), problem };
}

/** Names of events, values of `type`, where text stands and how the stream ends. */
function formOf({ heard, end, documented }: TranscriptOptions): Finding[] {
  const said = heard.filter(({ event }) => !isEnd(event));
  const isJson = said.some(({ event }) => event.event === "json");
  const places = said.flatMap(({ event, text }) => (text === "" ? [] : [placeOf(event, text)]));
  const events = said.map(({ event }) => event.event);
  const types = said.flatMap(({ event }) => typeOf(event) ?? []);
  return [
    { matter: "the answer comes as", found: isJson ? "one JSON object in place of events" : "events" },
    { matter: "names of events", ...names(events, documented?.events) },
    ...(types.length === 0 ? [] : [{ matter: "values of `type`", ...names(types, documented?.types) }]),
    { matter: "text stands in", ...standing(places, documented?.place) },
    { matter: "the end of the stream", found: endOf(heard, end) },
  ];
}

/** What to do about events with words in them that no reader gets to see; nothing where there are none. */
function unreadAdvice(path: string, heard: readonly Heard[]): string[] {
  const unread = heard.filter(({ event, text, isUsed }) => {
    return text === "" && !isUsed && !isEnd(event) && hasProse(payloadOf(event));
  });
  if (unread.length === 0) return [];
  const kinds = nameList(unread.map(({ event }) => typeOf(event) ?? event.event));
  return [`Words in ${kinds} of \`${path}\` reach no reader. Tell Bellwether's developers, so that no text is lost.`];
}

function names(found: readonly string[], shown: readonly string[] | undefined): Omit<Finding, "matter"> {
  if (found.length === 0) return { found: "none" };
  const isDocumented = found.every((name) => shown?.includes(name));
  return { found: nameList(found), ...(shown === undefined ? {} : { isDocumented }) };
}

function placeOf(event: ServerEvent, text: string): string {
  const place = text === event.data ? "" : pathTo(payloadOf(event), text);
  if (place === undefined) return "several fields at once";
  return place === "" ? "the data as plain text" : quoted(place);
}

function standing(places: readonly string[], shown: string | undefined): Omit<Finding, "matter"> {
  if (places.length === 0) return { found: "no event" };
  const found = [...new Set(places)].join(" or ");
  return { found, ...(shown === undefined ? {} : { isDocumented: found === quoted(shown) }) };
}

function endOf(heard: readonly Heard[], end: End): string {
  if (end === "left") return `not reached within ${heard.length} events`;
  if (end === "broken") return "it breaks off";
  return heard.some(({ event }) => isEnd(event)) ? "`[DONE]`" : "it just closes";
}

function isEnd({ data }: ServerEvent): boolean {
  return data.trim() === "[DONE]";
}

function payloadOf({ data }: ServerEvent): unknown {
  const json = tolerantJson(data);
  return typeof json === "object" && json !== null ? json : typeof json === "string" ? json : data;
}

function typeOf(event: ServerEvent): string | undefined {
  const payload = payloadOf(event);
  return isRecord(payload) && typeof payload["type"] === "string" ? payload["type"] : undefined;
}
