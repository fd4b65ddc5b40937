/**
 * How tests start the command: by hand from its sources, in CI as it was built (`build.ts`), which is what people get and
 * takes half as long.
 */
export const CLI: readonly string[] =
  process.env.TESTS_BUILT === undefined ? ["--import", "tsx", "src/cli.ts"] : ["dist/src/cli.js"];
