import { expect, it } from "vitest";

import { spikesLine } from "../../../../src/features/alerts/messages/lately.ts";
import { now } from "../../../support/builders.ts";
import { alert, hour, incident, minute } from "../setting.ts";

const figures = (mentions: number, average: number) => ({ at: now, mentions, average });

it("the spikes since a time are named once each, open ones first, with who is on them or how long they lasted", () => {
  const over = { state: "resolved" as const, since: now - 2 * hour, changedAt: now - 2 * hour + 50 * minute };
  const incidents = [
    incident({ entity: "a", name: "Paylantic", post: "p1", peak: figures(37, 1), ...over }),
    incident({
      entity: "b",
      name: "Novalith",
      post: "p2",
      peak: figures(17, 2),
      acknowledgedBy: { by: "U2", name: "Mara", at: now },
    }),
    incident({ entity: "c", name: "Unreported" }),
    incident({ entity: "d", name: "Yesterday", post: "p3", ...over, changedAt: now - 30 * hour }),
  ];
  const line = spikesLine([alert({ incidents }), alert({ incidents: incidents.slice(0, 1) })], now - 24 * hour);
  expect(line?.replaceAll("\u00a0", " ")).toBe(
    "*2 spikes* Novalith 8.5× (Mara is on it) · Paylantic 37× (over, 50 min)",
  );
  expect(spikesLine([alert({ incidents })], now + hour)).toContain("1 spike");
  expect(spikesLine([alert()], 0)).toBeUndefined();
});
