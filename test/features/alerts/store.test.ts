import { describe, expect, it } from "vitest";

import { alertSchema } from "../../../src/features/alerts/store.ts";
import { now } from "../../support/builders.ts";
import { newPost } from "../../../src/slack/delivery/outbox.ts";
import { alert, hour, incident, minute, report } from "./setting.ts";

const figures = { at: now, mentions: 12, average: 4, score: 4 };
const posted = { channel: "C1", ts: "1.0" };

describe("a stored alert", () => {
  it("on what is trending is read as it was written", () => {
    const reply = { kind: "reply" as const, entities: [], more: 0, event: "reopened" as const };
    const escalation = { kind: "escalation" as const, entities: [], more: 0, to: "C2" };
    const one = alert({
      options: { sensitivity: "eager", ratio: 2, exclude: ["BASF"] },
      incidents: [
        incident({
          post: "k0",
          predatesAlert: true,
          acknowledgedBy: { by: "U1", name: "Ada", at: now, from: "Grace" },
        }),
      ],
      mutes: [{ entity: "company|ada", name: "Ada", by: "U2", at: now }],
      posts: [
        { ...report("k0", "company|ada"), shown: { state: "s", figures: "f", at: now } },
        newPost({ key: "k", since: now, content: reply, place: { channel: "C1", thread: posted, broadcast: true } }),
        newPost({ key: "k2", since: now, content: escalation }),
      ],
      nextRun: now + minute,
    });
    expect(alertSchema.parse(JSON.parse(JSON.stringify(one)))).toEqual(one);
  });

  it("on a source is read as it was written", () => {
    const stored = alert({
      source: { kind: "channel", id: 7, name: "Central banks" },
      options: { sensitivity: "eager", silence: 6 },
      incidents: [incident({ silentSince: now - 6 * hour, last: { ...figures, spanMs: 6 * hour } })],
    });
    expect(alertSchema.parse(JSON.parse(JSON.stringify(stored)))).toEqual(stored);
  });
});
