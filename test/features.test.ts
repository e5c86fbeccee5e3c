import { describe, expect, it } from "vitest";

import { createFeatures, features } from "../src/features.ts";
import { baseOf, usualOptions } from "./support/features.ts";

describe("the features", () => {
  it("that are created are those that help and the manifest list, in the same order", () => {
    const { features: created } = createFeatures(baseOf(), usualOptions);
    expect(created.map(({ name }) => name)).toEqual(features.map(({ name }) => name));
  });
});
