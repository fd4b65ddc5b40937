import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Blow, runFailOvers } from "../chaos/fail-overs.js";
import { type Life, startLife } from "../support/life.js";
import { type RedisSentinels, startRedisSentinels } from "../support/redis-groups.js";
import { type Listener, listenLegacy } from "../support/sync-world.js";
import { until } from "../support/until.js";

/** Two replicas of the service on a primary that sentinels watch: the short form of `npm run chaos:primary`. */

let sentinels: RedisSentinels;
let life: Life;
let listener: Listener;
const warnings: string[] = [];
const onWarning = (warning: Error) => warnings.push(String(warning));
beforeAll(async () => {
  process.on("warning", onWarning);
  sentinels = await startRedisSentinels();
  life = await startLife({ redisUrl: sentinels.url, replicas: 2, env: { BOARDWALK_SWEEP_MS: "500" } });
  listener = await listenLegacy(`${life.url(1)}/mcp`, await life.token());
}, 120_000);
afterAll(async () => {
  await listener?.close();
  await life?.close();
  await sentinels?.stop();
  process.off("warning", onWarning);
});

describe("behind sentinels", () => {
  it.each<[string, readonly Blow[]]>([
    ["is replaced by another in good order", [{ kind: "asked" }]],
    ["is killed, again and again", [{ kind: "killed" }, { kind: "killed" }, { kind: "killed" }]],
    [
      "stands still, and wakes as primary, while it is deposed, and as one of the past",
      [700, 2_400, 6_000].map((ms) => ({ kind: "frozen", ms })),
    ],
  ])(
    "goes on when the primary %s, and no acknowledged move is undone",
    async (_, blows) => {
      const report = await runFailOvers(sentinels, life, blows);
      console.info("fail-over:", JSON.stringify(report));
      expect(report.faults).toEqual([]);
    },
    240_000,
  );

  it("tells its clients of news after it all", async () => {
    const before = listener.heard;
    life.jira.renameStatus("Blocked", "Stuck");
    await until(async () => life.sync(0).then(() => true), { timeoutMs: 30_000 });
    await until(() => listener.heard > before, { timeoutMs: 20_000 });
  });

  it("warns of nothing", () => {
    expect(warnings).toEqual([]);
  });
});
