import { describe, expect, it } from "vitest";

import { type Place, parsePlace, placeHash } from "../../../../local/workspace/page/place.ts";
import * as fc from "../../../support/property.ts";

describe("the address bar", () => {
  it.each<[string, Place]>([
    ["#home", { kind: "home" }],
    ["#C1", { kind: "conversation", channel: "C1" }],
    ["#C1/1700000000.000100", { kind: "conversation", channel: "C1", thread: "1700000000.000100" }],
  ])("says with %s where the reader is", (hash, place) => {
    expect(parsePlace(hash)).toEqual(place);
    expect(placeHash(place)).toBe(hash);
  });

  it.each(["", "#", "#/1.0", "#<script>", "#C 1", "#../x"])("says nothing with %j", (hash) => {
    expect(parsePlace(hash)).toBeUndefined();
  });

  it.each(["#C1/", "#C1/x", "#C1/1", "#C1/1.0;x"])("names the channel alone with %s, whose thread is none", (hash) => {
    expect(parsePlace(hash)).toEqual({ kind: "conversation", channel: "C1" });
  });

  it("leads back to every place", () => {
    const channel = fc.stringMatching(/^[A-Z][A-Z0-9]{0,10}$/);
    const thread = fc.stringMatching(/^\d{1,10}\.\d{1,6}$/);
    const place = fc.oneof(
      fc.constant<Place>({ kind: "home" }),
      channel.map((id): Place => ({ kind: "conversation", channel: id })),
      fc.tuple(channel, thread).map(([id, ts]): Place => ({ kind: "conversation", channel: id, thread: ts })),
    );
    fc.assert(
      fc.property(place, (one) => {
        expect(parsePlace(placeHash(one))).toEqual(one);
      }),
    );
  });
});
