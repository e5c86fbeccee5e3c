import { type Api, UsageError } from "../../../apis/errors.ts";
import { describe } from "../../../log.ts";
import type { Ask, Command, Message, Services } from "../../feature.ts";
import { type Verdict, apis, doctorView, examinationView } from "./view.ts";

/** What may follow the verb: one API, and which page of what was found. */
const detail = /^(intelligence|gateway|jurisdictions)(?: (\d{1,4}))?$/;

export const doctor: Command = {
  verb: "doctor",
  usage: "",
  summary: "What the services answer, and what to change",
  examples: ["doctor", "doctor gateway"],
  isSlash: false,
  working: "Examining the services…",
  fits: (text) => text === "" || detail.test(text.trim().toLowerCase()),
  async run(ask, services) {
    const text = ask.text.trim().toLowerCase();
    if (!text) return overview(ask, services);
    const [, name, page] = detail.exec(text) ?? [];
    const api = apis.find((each) => each === name);
    if (!api) throw new UsageError(`Type \`/bellwether doctor\`, or one of ${choices} after it.`);
    return details({ api, page: Number(page ?? 1) }, ask, services);
  },
};

const choices = apis.map((api) => `\`${api}\``).join(", ");

/** What is typed examines anew; the way back from the details asks nothing again. */
async function overview(ask: Ask, services: Services): Promise<Message> {
  const verdicts = await Promise.all(apis.map((api) => verdictOn(api, ask, services)));
  ask.signal.throwIfAborted();
  return doctorView({ verdicts, configured: services.configured });
}

async function verdictOn(api: Api, { surface, signal }: Ask, services: Services): Promise<Verdict> {
  const { configured, doctor: by, log } = services;
  if (!configured[api]) return { api, state: "missing" };
  try {
    const last = surface === "button" ? by.last(api) : undefined;
    return { api, state: "examined", examination: last ?? (await by.examine(api, signal)) };
  } catch (error) {
    // One that cannot be examined is no reason to say nothing of the others.
    log.error("doctor.failed", { api, error: describe(error) });
    return { api, state: "unknown" };
  }
}

interface Wanted {
  api: Api;
  page: number;
}

/** Turning the pages asks nothing again, as long as the examination is fresh. */
async function details({ api, page }: Wanted, { signal }: Ask, services: Services): Promise<Message> {
  const { configured, doctor: by } = services;
  if (!configured[api]) return doctorView({ verdicts: [{ api, state: "missing" }], configured });
  return examinationView(by.last(api) ?? (await by.examine(api, signal)), page);
}
