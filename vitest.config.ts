import { defineConfig } from "vitest/config";

// Tests talk to the loopback address, which a proxy of the machine's owner does not reach. Node reads these when a worker
// starts, so a test itself would remove them too late.
for (const name of ["NODE_USE_ENV_PROXY", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"]) {
  delete process.env[name];
  delete process.env[name.toLowerCase()];
}

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // A process for each core runs all files: starting one for each file and loading the bot in it costs more than the tests do.
    isolate: false,
    // A busy machine is no fault: what is waited for comes within a moment, or not at all.
    testTimeout: 90_000,
    hookTimeout: 90_000,
    expect: { poll: { timeout: 30_000 } },
    restoreMocks: true,
    maxWorkers: "100%",
  },
});
