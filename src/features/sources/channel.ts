import { z } from "zod";

import { ApiError } from "../../apis/errors.ts";
import { type SourceKind, namedChoices, noSuchSource, pickNamed } from "./source.ts";

export interface ChannelSource {
  kind: "channel";
  id: number;
  name: string;
}

const hint = "`/bellwether channels` shows yours.";

/** A news channel: a saved filter of the news service. */
export const channelSource: SourceKind<ChannelSource> = {
  kind: "channel",
  label: "News channel",
  about: "A saved filter of the news service",
  plural: "news channels",
  field: {
    label: "News channel",
    placeholder: "Choose a news channel",
    choices: async (needs, signal) =>
      namedChoices((await needs.intelligence.channels(signal)).map(({ id, name }) => ({ id, name }))),
  },
  needs: [["intelligence"]],
  api: "intelligence",
  schema: z.object({ kind: z.literal("channel"), id: z.number(), name: z.string() }),
  async find({ what }, { intelligence }, signal) {
    if (!/^\d{1,15}$/.test(what)) {
      const { id, name } = pickNamed(await intelligence.channels(signal), what, "news channel", hint);
      return { kind: "channel", id, name };
    }
    try {
      const { id, name } = await intelligence.channel(Number(what), signal);
      return { kind: "channel", id, name };
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) throw noSuchSource({ noun: "news channel", what, hint });
      throw error;
    }
  },
  async read({ id }, { intelligence }, signal) {
    const { stages } = await intelligence.channel(id, signal);
    return { articles: await intelligence.articles(stages, signal) };
  },
  title: ({ name }) => name,
  describe: () => "news channel",
  key: ({ id }) => String(id),
  typed: ({ id }) => String(id),
};
