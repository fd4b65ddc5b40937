import { defineConfig } from "vitest/config";

/**
 * They kill or stop processes, measure one thing against another, or drive a browser: whatever runs beside them would be
 * part of what they see.
 */
const ALONE = [
  ...["crash", "chaos", "rolling", "faults", "neighbours", "redis-sentinel", "alexa-slow", "import"].map(
    (name) => `test/integration/${name}.test.ts`,
  ),
  "test/e2e/demo-tour.test.ts",
  "test/browser/**/*.test.ts",
];
/** A second for each door by hand. CI runs them beside all others, a minute each: see `.ci/run`. */
const FUZZ = "test/fuzz/**/*.test.ts";
const BUILD = "test/support/build.ts";
/** Against real boards with real credentials: run by hand only. */
const LIVE = "test/live/**";

export default defineConfig({
  test: {
    environment: "node",
    pool: "forks",
    // Tests that kill and stop real processes share two cores with them: on CI a failed one is run again, and the report
    // says so. What is broken fails each time; by hand the first failure counts.
    retry: process.env.CI === undefined ? 0 : 2,
    setupFiles: ["test/support/every-answer.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: "together",
          include: ["test/**/*.test.ts"],
          exclude: [LIVE, FUZZ, ...ALONE],
          maxWorkers: 2,
          globalSetup: BUILD,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        // What it has found once is there, whether or not it is found again.
        test: { name: "fuzz", include: [FUZZ], maxWorkers: 2, retry: 0, sequence: { groupOrder: 0 } },
      },
      {
        extends: true,
        test: {
          name: "alone",
          include: ALONE,
          maxWorkers: 1,
          globalSetup: BUILD,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
