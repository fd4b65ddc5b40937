/** The service of a soak, as a process of its own: told to look at itself, it says what it holds. */
import { setTimeout as sleep } from "node:timers/promises";
import { createApp } from "../../src/app.js";
import { loadConfig } from "../../src/config.js";

/** What the process holds at one moment, after its garbage is gone. */
export interface Holding {
  readonly heapBytes: number;
  readonly rssBytes: number;
  /** Of what keeps an event loop awake, by kind: sockets, timers, requests under way. */
  readonly resources: Readonly<Record<string, number>>;
  readonly warnings: readonly string[];
}

// As what is installed: the loader's maps of sources are read one by one as errors come from them, for as long as there
// are any left, and that would look like a leak.
process.setSourceMapsEnabled(false);

const warnings: string[] = [];
process.on("warning", ({ name, message }) => warnings.push(`${name}: ${message}`));

const app = await createApp(loadConfig({}), { writeLog: () => {} });
process.on("message", (asked) => {
  if (asked === "look") void look();
  else if (asked === "stop") void app.close().then(() => process.disconnect());
});
process.send?.({ url: app.url });

async function look(): Promise<void> {
  // Twice, and with a turn between: what finalizers let go of is garbage only then.
  globalThis.gc?.();
  await sleep(100);
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  const resources: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) resources[kind] = (resources[kind] ?? 0) + 1;
  process.send?.({ heapBytes: heapUsed, rssBytes: rss, resources, warnings } satisfies Holding);
}
