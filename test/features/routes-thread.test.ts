import { describe, expect, it } from "vitest";

import { createRoutes } from "../../src/routes.ts";
import { services } from "../support/builders.ts";

const routes = createRoutes(services());

describe("words that could begin with a command, said in a thread", () => {
  it.each([
    "summary in one line please",
    "summary of both, please",
    "summary please",
    "summary of the second point?",
    "Summary in German please",
    "summary?",
    "summary",
    "news of silver as well?",
    "news of that?",
    "news about Tesla?",
    "news from Japan too",
    "news?",
    "entity list?",
    "entity names please",
    "trending up or down?",
    "trending in oil?",
    "models of electric cars that sold best?",
    "models please",
    "channels that sell it?",
    "insights on that?",
    "insights into margins",
    "jurisdictions affected?",
    "jurisdictions in question",
    "alerts on this?",
    "alert me if it falls",
    "digest it for me",
    "digests of this",
    "usage of steel in cars?",
    "status of the merger?",
    "doctor shortages in the UK?",
    "account for the difference",
    "home prices in Spain?",
    "help me understand that",
    "help us decide",
    "list the companies involved",
    "list them",
    "sum it up",
    "about silver?",
    "stand by that?",
    "follow up on silver",
    "feedback from analysts?",
    "collections of fines?",
    "collection efforts?",
    "threads on this?",
    "prompt payment rules?",
    "why summary?",
    "chat about the second point",
    "again, but shorter",
    "and silver?",
  ])("is a question there, with the bot's name and without: %s", (line) => {
    for (const goesOn of ["mentioned", "reply"] as const) {
      expect(routes.find(line, "mention", goesOn)).toMatchObject({ name: "reply", line: `reply ${line}` });
    }
    expect(routes.find(line, "direct", "mentioned").name).toBe("reply");
  });

  it.each([
    ["news oil", "news"],
    ["news us tariffs", "news"],
    ["news IT outages in Europe", "news"],
    ['news "this is us"', "news"],
    ['news channel "Central banks"', "news"],
    ["summary data breach", "summary"],
    ["entity Novalith Semiconductor", "entity"],
    ["chat draft a reply to them", "chat"],
    ["trending", "trending"],
    ["trending?", "trending"],
    ["trending companies", "trending"],
    ["models small", "models"],
    ["usage", "usage"],
    ["alerts", "alerts"],
    ["digests", "digests"],
    ["jurisdictions South Africa", "jurisdictions"],
  ])("is a command where the bot is named, and a question where it is not: %s", (line, verb) => {
    expect(routes.find(line, "mention", "mentioned").name).toBe(verb);
    expect(routes.find(line, "direct", "mentioned").name).toBe(verb);
    expect(routes.find(line, "mention", "reply")).toMatchObject({ name: "reply", line: `reply ${line}` });
  });

  it.each([
    ["help", "help"],
    ["help news", "help"],
    ["threads off", "threads"],
    ["status", "status"],
    ["ask why?", "ask"],
  ])("is a command where it is exactly one that asks no service, or asks the news: %s", (line, verb) => {
    for (const goesOn of ["mentioned", "reply"] as const) {
      expect(routes.find(line, "mention", goesOn)).toMatchObject({ name: verb, line });
    }
  });
});
