import { describe, expect, it } from "vitest";

import { alertSchema } from "../../../src/features/alerts/store.ts";
import { now } from "../../support/builders.ts";
import { alert, hour, incident, minute } from "./setting.ts";

const figures = { at: now, mentions: 12, average: 4, score: 4 };
const posted = { channel: "C1", ts: "1.0" };
const night = { from: "22:00", to: "07:00" };
const unfiltered = { include: [], exclude: [] };
const common = {
  team: "T1",
  number: 1,
  schedule: { pattern: "* * * * *", zone: "UTC", words: "every minute" },
  channel: "C1",
  maker: "U1",
  state: "active",
  nextRun: now,
  changed: [],
};
const times = { since: now - hour, streak: 0, changedAt: now - hour, peak: figures, last: figures };
const episode = (name: string, state: string, about = {}) => ({
  entity: `company|${name.toLowerCase()}`,
  name,
  type: "Company",
  state,
  ...times,
  ...about,
});
const quietRule = {
  word: "quiet",
  score: 5,
  mentions: 5,
  ratio: 3,
  ticks: 2,
  leave: 0.7,
  coolTicks: 3,
  escalate: 2,
  most: 3,
  restMs: 24 * hour,
};
const pending = (key: string, kind: string, about = {}) => {
  return { key, since: now, tries: 1, kind, entities: ["company|basf"], more: 0, ...about };
};

/** As the first version wrote an alert. */
const former = {
  ...common,
  filter: { type: "Company", include: ["BASF", "Shell"], exclude: [] },
  rule: quietRule,
  quietHours: night,
  baseline: { at: now - hour, entities: ["company|basf"] },
  last: { at: now, rising: 2, postedAt: now },
  episodes: [
    episode("BASF", "continuing", { told: figures }),
    episode("Shell", "cooling", {
      since: now,
      streak: 2,
      told: figures,
      posted,
      shown: { state: "new", at: now, figures, more: 0, mutedAt: now },
      list: "l",
    }),
    episode("Ada", "cooled", { unwatchedSince: now - hour }),
  ],
  mutes: [{ entity: "company|ada", name: "Ada", by: "U2", at: now, until: now + hour, isAlone: true }],
  held: ["company|shell"],
  pending: [
    pending("a", "baseline"),
    pending("b", "several", { sentAt: now, more: 2 }),
    pending("c", "line", { line: { what: "cooled", posted } }),
    pending("d", "line", { line: { what: "escalated", posted }, isLoud: true, retryAt: now }),
    pending("e", "further"),
    pending("f", "brief"),
  ],
  lately: [now],
  isUnposted: true,
  problem: "The channel is archived.",
};

describe("an alert that an earlier version wrote", () => {
  it("is read with all that somebody set and all that became of it", () => {
    expect(alertSchema.parse(former)).toEqual({
      ...common,
      problem: "The channel is archived.",
      options: { type: "Company", include: ["BASF", "Shell"], quietHours: night, sensitivity: "quiet" },
      watchingSince: now - hour,
      last: { at: now, open: 2, postedAt: now },
      incidents: [
        { ...episode("BASF", "firing"), notified: figures, wasThere: true },
        {
          ...episode("Shell", "firing", { since: now, streak: 2, posted, list: "l" }),
          notified: figures,
          shown: { state: "firing", at: now, figures, more: 0, mutedAt: now },
        },
        episode("Ada", "resolved", { unwatchedSince: now - hour }),
      ],
      mutes: [{ entity: "company|ada", name: "Ada", by: "U2", at: now, until: now + hour }],
      awaitingBrief: ["company|shell"],
      pending: [
        pending("b", "firing", { sentAt: now, more: 2 }),
        pending("c", "reply", { reply: { event: "resolved", thread: posted } }),
        pending("d", "reply", { reply: { event: "escalated", thread: posted, isBroadcast: true }, retryAt: now }),
        pending("e", "escalated"),
        pending("f", "brief"),
      ],
      isUndelivered: true,
    });
  });

  it("by numbers of its own keeps them", () => {
    const rule = { ...quietRule, word: "custom", score: 3, restMs: 6 * hour };
    const { options } = alertSchema.parse({ ...former, rule, quietHours: undefined, filter: unfiltered });
    expect(options).toEqual({ mentions: 5, ratio: 3, most: 3, restHours: 6 });
  });

  it("from a file with what nobody could type is read as far as that can be", () => {
    const filter = { include: ["x".repeat(200), " "], exclude: [] };
    const rule = { ...quietRule, word: "custom", ticks: 500 };
    const { options } = alertSchema.parse({ ...former, rule, filter, quietHours: undefined });
    expect(options).toMatchObject({ include: ["x".repeat(120)], score: 5 });
    expect(options.ticks).toBeUndefined();
  });
});

describe("an alert as it is written now", () => {
  it("is read as it was written", () => {
    const reply = { event: "reopened" as const, thread: posted };
    const one = alert({
      options: { sensitivity: "eager", score: 2, exclude: ["BASF"] },
      incidents: [
        incident({
          raised: { posted, to: "C2", state: "escalated", more: 0, taken: "U1 1" },
          posted,
          wasThere: true,
          taken: { by: "U1", name: "Ada", at: now, from: "Grace" },
        }),
      ],
      mutes: [{ entity: "company|ada", name: "Ada", by: "U2", at: now }],
      pending: [
        { key: "k", since: now, tries: 0, kind: "reply", entities: [], more: 0, reply },
        { key: "k2", since: now, tries: 0, kind: "escalation", entities: [], more: 0, to: "C2" },
      ],
      nextRun: now + minute,
    });
    expect(alertSchema.parse(JSON.parse(JSON.stringify(one)))).toEqual(one);
  });

  it("reads one on a source as it was written", () => {
    const stored = alert({
      source: { kind: "channel", id: 7, name: "Central banks" },
      options: { sensitivity: "eager", silence: 6 },
      learningUntil: now + hour,
      incidents: [incident({ silentSince: now - 6 * hour, last: { ...figures, spanMs: 6 * hour } })],
    });
    expect(alertSchema.parse(JSON.parse(JSON.stringify(stored)))).toEqual(stored);
  });
});
