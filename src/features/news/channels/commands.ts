import type { Command } from "../../feature.ts";
import { channelsView } from "./view.ts";

export const channels: Command = {
  verb: "channels",
  usage: "",
  summary: "Your saved channels of the news service, to read one of them",
  examples: ["channels"],
  needs: ["intelligence"],
  isSlash: false,
  working: "Looking up your saved channels…",
  fits: (text) => /^\d*$/.test(text),
  async run({ text, signal }, { intelligence }) {
    return channelsView(await intelligence.channels(signal), Number(text.trim()) || 1);
  },
};
