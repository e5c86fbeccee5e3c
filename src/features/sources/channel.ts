import { z } from "zod";

import { ApiError } from "../../apis/errors.ts";
import { type SourceKind, noSuchSource, pickNamed } from "./source.ts";

export interface ChannelSource {
  kind: "channel";
  id: number;
  name: string;
}

const hint = "`/bellwether channels` shows yours.";

/** A saved channel of the news service. */
export const channelSource: SourceKind<ChannelSource> = {
  kind: "channel",
  label: "A saved channel, by name or number",
  plural: "saved channels",
  needs: [["intelligence"]],
  api: "intelligence",
  schema: z.object({ kind: z.literal("channel"), id: z.number(), name: z.string() }),
  async find({ what }, { intelligence }, signal) {
    if (!/^\d{1,15}$/.test(what)) {
      const { id, name } = pickNamed(await intelligence.channels(signal), what, "saved channel", hint);
      return { kind: "channel", id, name };
    }
    try {
      const { id, name } = await intelligence.channel(Number(what), signal);
      return { kind: "channel", id, name };
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) throw noSuchSource("saved channel", what, [], hint);
      throw error;
    }
  },
  async read({ id }, { intelligence }, signal) {
    const { stages } = await intelligence.channel(id, signal);
    return { articles: await intelligence.articles(stages, signal) };
  },
  title: ({ name }) => name,
  describe: ({ id }) => `saved channel ${id}`,
  key: ({ id }) => String(id),
  typed: ({ id }) => String(id),
};
