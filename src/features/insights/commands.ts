import type { Gateway } from "../../apis/gateway/client.ts";
import type { Command, Feature } from "../feature.ts";
import { searchList } from "../paging.ts";
import { insightsView } from "./view.ts";
import { looksLikeQuery } from "../names.ts";

type InsightsDependencies = { gateway: Pick<Gateway, "insightChannels"> };

export const insights: Command<InsightsDependencies> = {
  verb: "insights",
  group: "find",
  usage: "[NAME]",
  summary: "Insight channels: topics that the search service curates",
  examples: ["insights", "insights supply chains"],
  options: {},
  needs: ["gateway"],
  working: "Asking for the insight channels…",
  fits: looksLikeQuery,
  async run({ text, signal }, { gateway }) {
    const { channels } = await gateway.insightChannels(signal);
    return insightsView(searchList(text, channels, ({ name }) => name));
  },
};

/** Topics that the search service curates. */
export const insightsFeature: Feature<InsightsDependencies> = { name: "insights", commands: [insights] };
