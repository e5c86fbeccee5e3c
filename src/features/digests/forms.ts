import { spoken } from "../../slack/mrkdwn.ts";
import type { Form } from "../feature.ts";
import { kinds, problemWith, wantedLine } from "./setup/line.ts";

/** What, where, when and how, as the line that shows what would come of it. */
export const digestForm: Form = {
  name: "digest",
  read({ fields, state }) {
    const kind = kinds.find((each) => each === fields["kind"]) ?? "search";
    const what = fields["what"]?.trim() ?? "";
    if (!state && !what) return { errors: { what: "Say what to look for." } };
    const when = fields["words"]?.trim() || (fields["when"] ?? "");
    const problem = problemWith(when);
    if (problem) return { errors: { words: spoken(problem) } };
    const place = `--in ${fields["place"] ?? "me"}`;
    if (/^edit \d+$/.test(state)) return { line: `digests preview ${state} ${when} ${flagsOf(fields)} ${place}` };
    // Behind a type, a field can name whom to leave out.
    const wanted = state || (kind === "trending" ? `trending ${what}` : wantedLine({ kind, what }));
    const flags = flagsOf(fields, usual);
    return {
      line: ["digests preview add", wanted, when, flags, place].filter(Boolean).join(" "),
    };
  },
};

/** What a digest does that nobody has said anything of. */
const usual = ["full", "no-thread", "no-lead", "empty skip"];

/** The choices as flags, without those that go without saying. */
function flagsOf(fields: Record<string, string>, unsaid: string[] = []): string {
  const { style = "full", spread = "no-thread", lead = "no-lead", empty = "skip" } = fields;
  const flags = [style, spread, lead, `empty ${empty}`].filter((flag) => !unsaid.includes(flag));
  return flags.map((flag) => `--${flag}`).join(" ");
}
