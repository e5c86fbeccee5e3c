import type { Command } from "../feature.ts";
import { canBeSought, soughtIn } from "../list.ts";
import { insightsView } from "./view.ts";

export const insights: Command = {
  verb: "insights",
  usage: "[NAME]",
  summary: "The topics that the gateway itself follows",
  examples: ["insights", "insights supply chains"],
  needs: ["gateway"],
  isSlash: false,
  working: "Asking for the insight channels…",
  fits: canBeSought,
  async run({ text, signal }, { gateway }) {
    const { channels } = await gateway.insightChannels(signal);
    return insightsView(soughtIn(text, channels, ({ name }) => name));
  },
};
