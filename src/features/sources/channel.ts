import { z } from "zod";

import { ApiError, UsageError } from "../../apis/errors.ts";
import type { NewsChannel } from "../../apis/intelligence/schema.ts";
import { type SourceKind, namedChoices, noSuchSource, pickNamed } from "./source.ts";

const schema = z.object({ kind: z.literal("channel"), id: z.number(), name: z.string() });
export type ChannelSource = z.infer<typeof schema>;

const hint = "There are none yet: they are saved filters of the news service. `/news QUERY` searches instead.";

/** A news channel: a saved filter of the news service. */
export const channelSource: SourceKind<ChannelSource> = {
  kind: "channel",
  label: "News channel",
  about: "A saved filter of the news service",
  plural: "news channels",
  field: {
    choices: async ({ intelligence }, { signal }) =>
      namedChoices((await intelligence.channels(signal)).map(({ id, name }) => ({ id, name }))),
  },
  needs: [["intelligence"]],
  api: "intelligence",
  schema,
  async find({ what }, { intelligence }, { signal }) {
    const all = () => intelligence.channels(signal);
    if (!/^\d{1,15}$/.test(what)) return channelSourceOf(pickNamed(await all(), what, "news channel", hint));
    try {
      return channelSourceOf(await intelligence.channel(Number(what), signal));
    } catch (error) {
      const isMissing = error instanceof ApiError && (error.status === 403 || error.status === 404);
      if (!isMissing && !(error instanceof UsageError)) throw error;
      throw noSuchSource({ noun: "news channel", what, all: await all(), hint });
    }
  },
  stages: async ({ id }, { intelligence }, signal) => (await intelligence.channel(id, signal)).stages,
  describe: () => "news channel",
  key: ({ id }) => String(id),
  typed: ({ id }) => String(id),
};

function channelSourceOf({ id, name }: NewsChannel): ChannelSource {
  return { kind: "channel", id, name };
}
