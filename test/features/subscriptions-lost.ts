import { createChannelFeature } from "../../src/features/subscriptions/channels.ts";
import { pauseRefused } from "../../src/features/subscriptions/delivery.ts";
import type { ChannelChange, ChannelState } from "../../src/slack/delivery/channels.ts";
import { SlackRefused } from "../../src/slack/delivery/refusal.ts";
import { feedDesk } from "./subscriptions-desk.ts";

const place = { team: "T1", channel: "C1" };

/** Feeds whose places come and go; Slack says of a place one thing after the other, the last for good. */
export function setUp(looks: (ChannelState | undefined)[] = []) {
  const asked: string[] = [];
  const desk = feedDesk({
    places: {
      isIn: async () => true,
      async look(team, channel) {
        asked.push(`${team} ${channel}`);
        return looks.length > 1 ? looks.shift() : looks[0];
      },
    },
  });
  const keeper = createChannelFeature([desk.kind]);
  const [telling] = keeper.jobs ?? [];
  return {
    ...desk,
    read: desk.read,
    asked,
    change: async (change: ChannelChange, where = place) => keeper.channelChanged?.(where, change, desk.to),
    tell: () => telling?.run(desk.to),
    letterTo: (user: string) => {
      const message = desk.posts.find(({ channel }) => channel === user)?.message;
      if (!message) throw new Error(`no letter to ${user}`);
      return message;
    },
    refuse: async (code: string, number = 1) => {
      const error = new SlackRefused("chat.postMessage", code);
      const isPaused = await pauseRefused({ kind: desk.kind, subscription: await desk.read(number), error }, desk.to);
      await telling?.run(desk.to);
      return isPaused;
    },
  };
}
