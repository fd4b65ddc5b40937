/** A real XState machine with parallel regions, a guard and a delay. Run it: `npx tsx examples/xstate-parallel.ts` */
import { pathToFileURL } from "node:url";
import { assign, SimulatedClock, setup } from "xstate";
// In your project: from "boardwalk".
import { createFsmMcpBridge, fromXstate } from "../src/index.js";

export const release = setup({
  types: {} as { context: { approvals: number }; events: { type: "APPROVE" | "PASS" | "FAIL" | "SHIP" } },
  actions: { count: assign({ approvals: ({ context }) => context.approvals + 1 }) },
  guards: { enough: ({ context }) => context.approvals >= 2 },
}).createMachine({
  id: "release",
  type: "parallel",
  context: { approvals: 0 },
  states: {
    review: {
      initial: "open",
      states: {
        open: {
          meta: { prompt: "Waiting for approvals." },
          on: { APPROVE: { actions: "count" } },
          always: { guard: "enough", target: "approved" },
        },
        approved: { meta: { prompt: "Approved." } },
      },
    },
    tests: {
      initial: "running",
      states: {
        running: {
          meta: { prompt: "Tests are running." },
          on: { PASS: "green", FAIL: "red" },
          after: { 60000: "red" },
        },
        green: { meta: { prompt: "Tests are green." } },
        red: { meta: { prompt: "Tests are red." }, on: { PASS: "green" } },
      },
    },
  },
});

export async function main(print: (line: string) => void = console.log): Promise<void> {
  const clock = new SimulatedClock();
  const bridge = createFsmMcpBridge(fromXstate(release, { clock }));
  const say = async (name: string) => {
    const result = await bridge.tools.find((tool) => tool.name === `release_${name}`)?.handler({});
    print(`${name}: ${result?.content[0]?.text}`);
  };

  await say("approve");
  clock.increment(60_000);
  await say("approve");
  await say("fail");
  await say("pass");
  print(bridge.getSnapshot().value);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main();
