import type { Ask, Command, Message, Services } from "../feature.ts";
import { queryOf } from "../query.ts";
import { type Summary, summaryView } from "./view.ts";

export const summary: Command = {
  verb: "summary",
  usage: "QUERY",
  summary: "An executive summary of the latest news, with its sources",
  examples: ["summary data breach"],
  isSlash: true,
  working: "Reading the articles…",
  run(ask, services) {
    const query = queryOf(ask.text, { usage: "/summary QUERY", example: "/summary data breach" });
    return write(query, ask, services);
  },
};

async function* write(query: string, { signal }: Ask, { gateway }: Services): AsyncGenerator<Message> {
  let state: Summary = { query, text: "", sources: [] };
  for await (const event of gateway.streamSummary(query, signal)) {
    if (event.type === "text") state = { ...state, text: state.text + event.text };
    else if (event.type === "sources") state = { ...state, sources: event.articles };
    else state = { ...state, credits: event.credits };
    if (state.text) yield summaryView(state);
  }
}
