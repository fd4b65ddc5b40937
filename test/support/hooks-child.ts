import { createBullmqHooks } from "../../src/hooks/bullmq.js";

/**
 * A second process on the same queue, for tests.
 *   serve: does `work` jobs; a `hang` job is begun and never ended. Prints one line when a job begins.
 *   ask:   asks the `work` job of the given id and prints the reply.
 */
const [mode, url, prefix, id = ""] = process.argv.slice(2);
if (url === undefined || prefix === undefined)
  throw new Error("usage: hooks-child serve|ask URL PREFIX [ID]");
const hooks = createBullmqHooks({ connection: url, prefix, lockMs: 1_000, stalledCheckMs: 300 });

if (mode === "ask") {
  const reply = await hooks.ask({ id, name: "work", data: {}, lane: "lane" }, 20_000);
  process.stdout.write(`${JSON.stringify(reply)}\n`);
  await hooks.close();
} else {
  await hooks.serve({
    work: async () => ({ pid: process.pid }),
    hang: () => {
      process.stdout.write("begun\n");
      return new Promise(() => {});
    },
  });
  process.stdout.write("serving\n");
}
