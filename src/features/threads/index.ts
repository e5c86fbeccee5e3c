import type { Feature } from "../feature.ts";
import { threads } from "./commands.ts";

/** Where the bot answers without being mentioned. */
export const threadsFeature: Feature = {
  name: "threads",
  commands: [threads],
  async placeRenamed(place, to, { following, gate, memories }) {
    gate.follow(place, to);
    // In this order: a thread that is known to be a conversation is answered unless it is known to be its people's.
    await following.follow(place, to);
    await memories.follow(place, to);
  },
  threadMoved: (thread, to, { memories }) => memories.move(thread, to),
};
