import { z } from "zod";
import data from "./data/channels.json" with { type: "json" };
import { entityIdOf } from "./entities.ts";
import { jurisdictions } from "./jurisdictions.ts";
import { isAbout, type SampleArticle } from "./news.ts";

/** The document shows no other entry type and no other field of a stage, so only this one type is accepted. */
export const stageBody = z.looseObject({
  not: z.boolean(),
  entities: z.array(z.looseObject({ type: z.literal("entity"), value: z.int() })),
});

export type ChannelStage = z.infer<typeof stageBody>;

interface SampleChannel {
  id: number;
  name: string;
  description: string;
  stages: ChannelStage[];
}

const stageFor = (keys: string[], not = false): ChannelStage => ({
  not,
  entities: keys.map((key) => ({ type: "entity" as const, value: entityIdOf(key) })),
});

/** The saved channels, IDs from 501 in the order of the data file. */
export const channels: SampleChannel[] = data.map(({ name, description, stages }, at) => {
  return { id: 501 + at, name, description, stages: stages.map((stage) => stageFor(stage.any, stage.not)) };
});

/** The region of the news that a jurisdiction lies in. Any other jurisdiction gets regulatory news of all regions. */
const newsRegions: Record<string, string> = {
  "US federal": "us",
  California: "us",
  "New York": "us",
  Texas: "us",
  "Canada federal": "ca",
  Ontario: "ca",
  Québec: "ca",
  "United Kingdom": "uk",
  "European Union": "eu",
  Germany: "de",
  France: "fr",
  Switzerland: "ch",
  Netherlands: "eu",
  Ireland: "eu",
  Italy: "eu",
  Sweden: "nordics",
  Japan: "jp",
  Singapore: "sg",
  "Hong Kong": "cn",
  Australia: "au",
  India: "in",
  China: "cn",
  "United Arab Emirates": "gulf",
  "Saudi Arabia": "gulf",
  "South Africa": "za",
  Brazil: "br",
};

/** The channels that the jurisdiction database refers to. Only their IDs find them; the list has saved channels alone. */
const regulatorChannels: SampleChannel[] = jurisdictions.flatMap(({ name, agencychannel, jurisdictionchannel }) => {
  const region = newsRegions[name];
  const description = `Rules and regulators of ${name}`;
  const where = region ? [stageFor([region])] : [];
  return [
    {
      id: jurisdictionchannel,
      name,
      description,
      stages: [...where, stageFor(["regulation", "antitrust"])],
    },
    { id: agencychannel, name: `Agencies: ${name}`, description, stages: [...where, stageFor(["regulation"])] },
  ];
});

/** The channel with an ID, also one that nobody has saved. */
export function channelById(id: number): SampleChannel | undefined {
  return [...channels, ...regulatorChannels].find((channel) => channel.id === id);
}

/** Stages are joined by AND, the entities within a stage by OR. A stage without entities asks for nothing. */
export function passes(article: SampleArticle, stages: ChannelStage[]): boolean {
  return stages.every((stage) => {
    if (stage.entities.length === 0) return true;
    return stage.entities.some((entry) => isAbout(article, entry.value)) !== stage.not;
  });
}
