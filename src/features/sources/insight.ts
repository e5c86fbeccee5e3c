import { z } from "zod";

import { queryKey, searchNews } from "./search.ts";
import { type SourceDependencies, type SourceKind, namedChoices, pickNamed } from "./source.ts";

const schema = z.object({ kind: z.literal("insight"), id: z.string(), name: z.string() });
export type InsightSource = z.infer<typeof schema>;

/** An insight channel: a topic that the service curates. Its articles are what a search for its name finds. */
export const insightSource: SourceKind<InsightSource> = {
  kind: "insight",
  label: "Insight channel",
  about: "A curated topic · 1 credit a run",
  plural: "insight channels",
  field: {
    choices: async (deps, { signal }) => namedChoices(await insightChannels(deps, signal)),
  },
  needs: [["gateway"]],
  api: "gateway",
  schema,
  async find({ what }, deps, { signal }) {
    const { id, name } = pickNamed(await insightChannels(deps, signal), what, "insight channel");
    return { kind: "insight", id, name };
  },
  read: ({ name }, { gateway }, signal) => searchNews(name, gateway, signal),
  describe: () => "insight channel",
  key: ({ name }) => queryKey(name),
  sameAs: "search",
  typed: ({ id }) => id,
};

async function insightChannels({ gateway }: Pick<SourceDependencies, "gateway">, signal: AbortSignal) {
  return (await gateway.insightChannels(signal)).channels;
}
