import { type Answer, type Call, Refusal } from "./http.ts";

export type Parameters = (name: string) => string;

export interface Place {
  method: "GET" | "POST";
  /** A path whose segments may be named, as in `/channel/id/:channelId`. */
  path: string;
}

export interface Route extends Place {
  run(call: Call, parameter: Parameters): Answer;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new Refusal(400, "invalid_request", "The path is not encoded correctly.");
  }
}

function match(pattern: string, path: string): Map<string, string> | undefined {
  const wanted = pattern.split("/");
  const given = path.split("/");
  if (wanted.length !== given.length) return undefined;
  const values = new Map<string, string>();
  for (const [at, segment] of wanted.entries()) {
    const actual = given[at] ?? "";
    if (!segment.startsWith(":")) {
      if (segment !== actual) return undefined;
    } else if (actual === "") return undefined;
    else values.set(segment.slice(1), decoded(actual));
  }
  return values;
}

/** The route that a call is for, and its path parameters; 404 for an unknown path and 405 for a wrong method. */
export function findRoute<T extends Place>(routes: T[], call: Call): { route: T; parameter: Parameters } {
  const fitting = routes.flatMap((route) => {
    const values = match(route.path, call.path);
    return values ? [{ route, parameter: (name: string) => values.get(name) ?? "" }] : [];
  });
  const found = fitting.find((one) => one.route.method === call.method);
  if (found) return found;
  if (fitting.length === 0) throw new Refusal(404, "not_found", `There is no ${call.path} here.`);
  const allow = fitting.map((one) => one.route.method).join(", ");
  throw new Refusal(405, "method_not_allowed", `Use ${allow} here.`).with({ Allow: allow });
}
