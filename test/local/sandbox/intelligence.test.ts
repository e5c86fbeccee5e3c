import { describe, expect, test } from "vitest";
import { ask, login, sandboxFor } from "./client.ts";

interface SentArticle {
  published: string;
  primary_entities: number[];
  secondary_entities: number[];
  tertiary_entities: number[];
}

interface SentStage {
  not: boolean;
  entities: { type: string; value: number }[];
}

async function signedIn(options: Parameters<typeof sandboxFor>[0] = {}) {
  const sandbox = await sandboxFor(options);
  const { headers, userId } = await login(sandbox);
  const send = (path: string, body?: unknown) =>
    ask(sandbox.intelligenceUrl + path, body === undefined ? { headers } : { headers, body });
  /** A list that is answered. */
  async function read<T = Record<string, unknown>>(path: string, body?: unknown): Promise<T[]> {
    const { json, status } = await send(path, body);
    if (!Array.isArray(json)) throw new Error(`${path} answered ${status}`);
    return json;
  }
  const news = (stages: SentStage[], limit = 100) =>
    read<SentArticle>(`/news/user/${userId}/query?limit=${limit}`, stages);
  const ranked = (query = "") => read(`/analytics/trending/entity${query}`);
  return { sandbox, userId, send, read, news, ranked };
}

const stageFor = (value: number): SentStage => ({ not: false, entities: [{ type: "entity", value }] });
const tagsOf = (one: SentArticle) => [...one.primary_entities, ...one.secondary_entities, ...one.tertiary_entities];

describe("the news query", () => {
  test("joins stages by AND, entities by OR, and leaves out what a stage excludes", async () => {
    const { read, news, userId } = await signedIn();
    const channels = await read<{ stages: SentStage[] }>(`/channel/user/${userId}`);
    const mixed = channels.filter(({ stages }) => stages.some((stage) => stage.not));
    expect(mixed.length).toBeGreaterThan(0);
    for (const { stages } of mixed) {
      const articles = await news(stages);
      expect(articles.length).toBeGreaterThan(0);
      for (const article of articles) {
        const hits = stages.map((stage) => stage.entities.some((entry) => tagsOf(article).includes(entry.value)));
        expect(hits).toEqual(stages.map((stage) => !stage.not));
      }
    }
    const [semis, mergers] = [40_009, 40_001];
    const both = await news([stageFor(semis), stageFor(mergers)]);
    expect(both.length).toBeGreaterThan(0);
    expect(both.length).toBeLessThan((await news([stageFor(semis)])).length);
  });
});
