import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    environment: "node",
    pool: "forks",
    include: ["test/**/*.test.ts"],
    // Against real boards with real credentials: run by hand only.
    exclude: ["test/live/**"],
    // Tests that kill and stop real processes share two cores with them: on CI a failed one is run again, and the report
    // says so. What is broken fails each time; by hand the first failure counts.
    retry: process.env.CI === undefined ? 0 : 2,
    setupFiles: ["test/support/every-answer.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
