import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    environment: "node",
    pool: "forks",
    include: ["test/**/*.test.ts"],
    // Against real boards with real credentials: run by hand only.
    exclude: ["test/live/**"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
