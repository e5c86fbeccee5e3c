import { describe, expect, it } from "vitest";

import { alertKind } from "../../src/features/alerts/kind.ts";
import { alert, minute } from "./alerts-setting.ts";
import { now } from "../support/builders.ts";

describe("an alert that is resumed", () => {
  it("posts what waited, and watches anew, because what rose meanwhile is no news", () => {
    const pending = [{ key: "k", since: now, tries: 2, kind: "rise" as const, entities: [], more: 0 }];
    const resumed = alertKind.resumed(alert({ pending, baseline: { at: now - minute, entities: [] } }));
    expect(resumed).toMatchObject({ baseline: undefined, pending: [{ key: "k", tries: 0 }] });
  });
});
