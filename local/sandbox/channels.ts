import data from "./data/channels.json" with { type: "json" };
import { idOf } from "./entities.ts";
import { type Article, carries } from "./news.ts";
import { jurisdictions } from "./regulators.ts";

export interface Stage {
  not: boolean;
  entities: { type: "entity"; value: number }[];
}

export interface Channel {
  id: number;
  name: string;
  description: string;
  stages: Stage[];
}

/** The saved channels, IDs from 501 in the order of the data file. */
export const channels: Channel[] = data.map((row, at) => ({
  id: 501 + at,
  name: row.name,
  description: row.description,
  stages: row.stages.map((stage) => ({
    not: stage.not,
    entities: stage.any.map((key) => ({ type: "entity" as const, value: idOf(key) })),
  })),
}));

/** The region of the news that a jurisdiction lies in; of the others there is only news of regulation anywhere. */
const regionOf: Record<string, string> = {
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

function anyOf(key: string): Stage {
  return { not: false, entities: [{ type: "entity", value: idOf(key) }] };
}

/** What the jurisdiction database calls channels; nobody has saved them, so only their ID finds them. */
const regulatorChannels: Channel[] = jurisdictions.flatMap(({ name, agencychannel, jurisdictionchannel }) => {
  const region = regionOf[name];
  const description = `What is written about ${name}`;
  return [
    { id: jurisdictionchannel, name, description, stages: [anyOf(region ?? "regulation")] },
    {
      id: agencychannel,
      name: `Agencies: ${name}`,
      description,
      stages: [...(region ? [anyOf(region)] : []), anyOf("regulation")],
    },
  ];
});

/** The channel with an ID, also one that nobody has saved. */
export function channelWith(id: number): Channel | undefined {
  return [...channels, ...regulatorChannels].find((channel) => channel.id === id);
}

/** Stages are joined by AND, the entities within a stage by OR. A stage without entities asks for nothing. */
export function passes(article: Article, stages: Stage[]): boolean {
  return stages.every((stage) => {
    if (stage.entities.length === 0) return true;
    return stage.entities.some((entry) => carries(article, entry.value)) !== stage.not;
  });
}
