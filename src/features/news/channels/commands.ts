import type { Intelligence } from "../../../apis/intelligence/client.ts";
import type { Command } from "../../feature.ts";
import { canBeSought, soughtIn } from "../../list.ts";
import { channelsView } from "./view.ts";

export const channels: Command<{ intelligence: Pick<Intelligence, "channels"> }> = {
  verb: "channels",
  usage: "[NAME]",
  summary: "Your saved channels of the news service, to read one of them",
  examples: ["channels", "channels bank"],
  options: {},
  needs: ["intelligence"],
  isSlash: false,
  working: "Looking up your saved channels…",
  fits: canBeSought,
  async run({ text, signal }, { intelligence }) {
    return channelsView(soughtIn(text, await intelligence.channels(signal), ({ name }) => name));
  },
};
