import { UsageError } from "../../apis/errors.ts";
import { limits } from "../../slack/text/limits.ts";
import { inCode, spoken } from "../../slack/text/mrkdwn.ts";
import type { Form } from "../feature.ts";
import { readSchedule } from "../subscriptions/schedule.ts";
import { all, hoursIn, quoted, readLine } from "./setup/line.ts";
import { kept } from "./setup/window.ts";

type Fields = Record<string, string>;

/** Of a line that a button can hold behind `alerts change`. */
const longestSaved = limits.buttonValue - 20;

/** What, how readily, when and where, as the line that says the same. */
export const alertForm: Form = {
  name: "alert",
  read({ fields, state }) {
    const errors = problemsWith(fields);
    if (Object.keys(errors).length > 0) return { errors };
    const line = [
      typeOf(fields),
      whenOf(fields),
      wordOf(fields),
      ...namesOf(fields),
      quietOf(fields),
      fields["numbers"],
    ];
    const said = [...line, `--in ${fields["place"] ?? "me"}`].filter(Boolean).join(" ");
    const wanted = `${state ? `edit ${state}` : "add"} ${said}`;
    // What saves it is held by a button; what is longer than that is saved at once.
    return { line: wanted.length > longestSaved ? `alerts ${wanted}` : `alerts preview ${wanted}` };
  },
};

/** Each field alone: what is wrong with it stands beside it. */
function problemsWith(fields: Fields): Record<string, string> {
  const checks: [string, () => unknown][] = [
    ["words", () => (fields["words"] ? readSchedule(fields["words"], "UTC") : undefined)],
    ["include", () => readLine(namesOf({ include: fields["include"] ?? "" }).join(" "), "UTC")],
    ["exclude", () => readLine(namesOf({ exclude: fields["exclude"] ?? "" }).join(" "), "UTC")],
    ["quiet", () => hoursOnly(fields["quiet"] ?? "")],
    ["numbers", () => numbersOnly(fields["numbers"] ?? "")],
  ];
  return Object.fromEntries(checks.flatMap(([name, check]) => problemOf(name, check)));
}

function problemOf(name: string, check: () => unknown): [string, string][] {
  try {
    check();
    return [];
  } catch (error) {
    if (error instanceof UsageError) return [[name, spoken(error.message)]];
    throw error;
  }
}

function numbersOnly(text: string): void {
  const { numbers, ...rest } = readLine(text, "UTC");
  if (Object.keys(rest).length > 0 || (text && Object.keys(numbers).length === 0)) {
    throw new UsageError("Write numbers such as score=3 mentions=20.");
  }
}

function hoursOnly(text: string): void {
  if (hoursIn(text.trim() || "off") !== undefined) return;
  throw new UsageError(`“${inCode(text)}” are no quiet hours. Write 22:00-07:00, or nothing.`);
}

function typeOf({ type = all }: Fields): string {
  return quoted([type.trim() || all]);
}

function whenOf({ words, when = "" }: Fields): string {
  return words?.trim() || (when === kept ? "" : when);
}

function wordOf({ word = "", numbers }: Fields): string {
  return word === kept || numbers?.trim() ? "" : word;
}

/** An empty field takes the names away that were there before. */
function namesOf(fields: Fields): string[] {
  return (["include", "exclude"] as const).map((list) => {
    const typed = fields[list]?.trim() ?? "";
    const names = typed.includes('"')
      ? typed
      : quoted(
          typed
            .split(/[,;\n]/)
            .map((name) => name.trim())
            .filter(Boolean),
        );
    return `${list} ${names || "none"}`;
  });
}

/** What is no time is passed on, to be explained. */
function quietOf({ quiet = "" }: Fields): string {
  const hours = hoursIn(quiet || "off");
  if (hours === undefined) return `quiet hours ${quiet}`;
  return `quiet hours ${hours === "off" ? "off" : `${hours.from}-${hours.to}`}`;
}
