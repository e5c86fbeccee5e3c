import type { Services } from "../../src/features/feature.ts";

/** Channels that everybody is in, the bot too; none is found under its name. */
export const openPlaces: Services["places"] = {
  isIn: async () => true,
  named: async () => [],
  look: async () => "joined",
  group: async () => undefined,
};

/** Services that are well, as far as anybody has said. */
export const nothingWrong: Services["health"] = {
  saw: async () => {},
  storeIs: () => {},
  store: () => undefined,
  tell: async () => {},
  wrong: async () => [],
};
