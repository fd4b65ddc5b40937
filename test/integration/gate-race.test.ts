import { randomUUID } from "node:crypto";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bindState, createStateGate, type FsmStateStore } from "../../src/index.js";
import { createRedisStateStore } from "../../src/store/redis/state-store.js";
import { redisUrl } from "../support/redis.js";

interface Count {
  readonly n: number;
}

const machine = {
  initial: "counting",
  context: { n: 0 },
  states: { counting: { on: { INC: { assign: (c: Count) => ({ n: c.n + 1 }) } } } },
};

const CALLS = 1_000;
const GATES = 4;

/** A thousand calls of one tool on one handle, spread over gates that know nothing of each other. */
async function race(
  stores: readonly FsmStateStore[],
): Promise<{ accepted: number; effects: number; counted: number }> {
  let effects = 0;
  const inc = bindState(
    {
      name: "inc",
      description: "Counts.",
      handler: () => {
        effects += 1;
        return { content: [] };
      },
    },
    "counting",
    "INC",
  );
  const gates = stores.map((store) => createStateGate<Count>(machine, { store, tools: [inc] }));
  const ctx = { sessionId: "one-handle" };
  const results = await Promise.all(
    Array.from({ length: CALLS }, (_, i) => gates[i % gates.length]?.call("inc", {}, ctx)),
  );
  const counted = (await gates[0]?.getSnapshot(ctx))?.context.n ?? Number.NaN;
  return { accepted: results.filter((result) => result?.isError !== true).length, effects, counted };
}

describe("a thousand concurrent gated calls on one handle through Redis", () => {
  let client: Redis;
  beforeAll(async () => {
    client = new Redis(await redisUrl());
  });
  afterAll(async () => {
    await client.quit();
  });
  const stores = () => {
    const prefix = `test:${randomUUID()}`;
    return Array.from({ length: GATES }, () => createRedisStateStore({ client, prefix }));
  };

  it("lose no transition, and each accepted call has its effect once", async () => {
    const { accepted, effects, counted } = await race(stores());
    expect(accepted).toBeGreaterThan(0);
    expect([effects, counted]).toEqual([accepted, accepted]);
  });

  it("lose transitions with a store of two methods, which is why there is a third", async () => {
    const twoMethods = stores().map(
      (store): FsmStateStore => ({
        load: (handle) => store.load(handle),
        save: (handle, snapshot) => store.save(handle, snapshot),
      }),
    );
    const { effects, counted } = await race(twoMethods);
    expect(counted).toBeLessThan(effects);
  });
});
