import { defineConfig } from "vitest/config";

/** `npm run test:live`: against real accounts, one after another, because they have limits. */
export default defineConfig({
  test: {
    environment: "node",
    include: ["test/live/**/*.test.ts"],
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
