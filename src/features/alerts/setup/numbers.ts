import { UsageError } from "../../../apis/errors.ts";
import { inCode } from "../../../slack/text/mrkdwn.ts";
import type { Rule } from "../alert.ts";

const hourMs = 60 * 60_000;

/** What an expert can say of a rule. */
export type Numbers = Partial<Omit<Rule, "word">>;

interface Setting {
  name: string;
  field: keyof Numbers;
  least: number;
  most: number;
  isWhole?: true;
  /** What one of it is in the rule. */
  unit?: number;
}

const settings: Setting[] = [
  { name: "score", field: "score", least: 0, most: 1_000 },
  { name: "mentions", field: "mentions", least: 1, most: 1_000_000, isWhole: true },
  { name: "ratio", field: "ratio", least: 0, most: 1_000 },
  { name: "ticks", field: "ticks", least: 1, most: 20, isWhole: true },
  { name: "leave", field: "leave", least: 0.1, most: 1 },
  { name: "cool", field: "coolTicks", least: 1, most: 100, isWhole: true },
  { name: "escalate", field: "escalate", least: 1.1, most: 100 },
  { name: "most", field: "most", least: 1, most: 20, isWhole: true },
  { name: "rest", field: "restMs", least: 0, most: 720, unit: hourMs },
];

/** Reads `score=3`; `rest=6` are hours. */
export function numberIn(typed: string): Numbers {
  const [, name = "", value = ""] = /^([a-z]+)=(.*)$/i.exec(typed) ?? [];
  const setting = settings.find((each) => each.name === name.toLowerCase());
  if (!setting) {
    const names = settings.map((each) => `\`${each.name}\``).join(", ");
    throw new UsageError(`A rule has no number \`${inCode(name)}\`. There are ${names}.`);
  }
  const { field, least, most, isWhole, unit = 1 } = setting;
  const number = /^\d+(\.\d+)?h?$/i.test(value) ? Number.parseFloat(value) : Number.NaN;
  if (number >= least && number <= most && (!isWhole || Number.isInteger(number))) return { [field]: number * unit };
  const kind = isWhole ? "a whole number" : "a number";
  throw new UsageError(
    `\`${setting.name}=\` takes ${kind} from ${least} to ${most.toLocaleString("en")}, not “${inCode(value)}”.`,
  );
}

/** All numbers of a rule, as they are typed. */
export function numbersLine(rule: Omit<Rule, "word">): string {
  return settings.map(({ name, field, unit = 1 }) => `${name}=${rule[field] / unit}`).join(" ");
}
