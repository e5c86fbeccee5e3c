import type { Command } from "../feature.ts";
import { insightsView } from "./view.ts";

export const insights: Command = {
  verb: "insights",
  usage: "",
  summary: "The topics that the gateway itself follows",
  examples: ["insights"],
  needs: ["gateway"],
  isSlash: false,
  working: "Asking for the insight channels…",
  fits: (text) => /^\d{0,4}$/.test(text),
  async run({ text, signal }, { gateway }) {
    const { channels } = await gateway.insightChannels(signal);
    return insightsView(channels, Number.parseInt(text, 10) || 1);
  },
};
