import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // A busy machine is no fault: what is waited for comes within a moment, or not at all.
    testTimeout: 90_000,
    hookTimeout: 90_000,
    expect: { poll: { timeout: 30_000 } },
    restoreMocks: true,
    maxWorkers: "100%",
  },
});
