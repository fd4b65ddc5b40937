import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BoardwalkError } from "../../src/errors.js";
import { createMemoryStore } from "../../src/store/memory.js";
import { createRedisStore } from "../../src/store/redis.js";
import type { Store, TenantStore } from "../../src/store/store.js";
import { type RedisServer, startRedis } from "../support/redis.js";
import { actor, event, pending } from "./store.contract.js";

/** One call on a tenant, with its arguments already drawn. */
interface Step {
  readonly text: string;
  run(tenant: TenantStore): Promise<unknown>;
}

const id = fc.constantFrom("a", "b", "c", "__proto__");
const version = fc.integer({ min: 0, max: 4 });
const limit = fc.integer({ min: 1, max: 4 });
const revision = fc.integer({ min: 0, max: 30 });

function step<T extends readonly unknown[]>(
  name: string,
  args: { [K in keyof T]: fc.Arbitrary<T[K]> },
  run: (tenant: TenantStore, ...args: T) => Promise<unknown>,
): fc.Arbitrary<Step> {
  return fc.tuple(...(args as fc.Arbitrary<unknown>[])).map((drawn) => ({
    text: `${name}(${JSON.stringify(drawn).slice(1, -1)})`,
    run: (tenant) => run(tenant, ...(drawn as unknown as T)),
  }));
}

const owing = (ticket: string, at: number, owes: boolean) =>
  actor(ticket, { version: at, ...(owes ? { pending: pending("x") } : {}) });

const steps = fc.oneof(
  step<[string, number, boolean, number]>(
    "save",
    [id, version, fc.boolean(), limit],
    (tenant, ticket, at, owes, n) =>
      tenant.saveActor(
        owing(ticket, at, owes),
        Array.from({ length: n - 1 }, (_, i) => event(`${at}.${i}`)),
      ),
  ),
  step<[string[], number]>("saveAll", [fc.array(id, { maxLength: 5 }), version], (tenant, tickets, at) =>
    tenant.saveActors(tickets.map((ticket) => owing(ticket, at, true))),
  ),
  step<[string]>("delete", [id], (tenant, ticket) => tenant.deleteActors([ticket])),
  step<[string[]]>("get", [fc.array(id, { maxLength: 4 })], (tenant, tickets) => tenant.getActors(tickets)),
  step<[number, number]>("changes", [revision, limit], (tenant, since, n) => tenant.changesSince(since, n)),
  step<[]>("count", [], (tenant) => tenant.countActors()),
  step<[number]>("unsettled", [limit], (tenant, n) => tenant.unsettled(n)),
  step<[string, number | undefined, number]>(
    "history",
    [id, fc.option(revision, { nil: undefined }), limit],
    (tenant, ticket, cursor, n) =>
      tenant.history(ticket, cursor === undefined ? { limit: n } : { limit: n, cursor: String(cursor) }),
  ),
  step<[string, number, unknown]>("saveDocument", [id, version, fc.jsonValue()], (tenant, name, at, value) =>
    tenant.saveDocument("setting", name, { version: at, value }),
  ),
  step<[string]>("deleteDocument", [id], (tenant, name) => tenant.deleteDocument("setting", name)),
  step<[]>("documents", [], async (tenant) => [
    await tenant.listDocuments("setting"),
    await tenant.revisions(),
  ]),
  step<[string]>("claim", [id], (tenant, key) => tenant.claim(key, 600_000)),
  step<[string, unknown]>("remember", [id, fc.jsonValue()], (tenant, key, value) =>
    tenant.remember(key, value, 600_000),
  ),
  step<[string, unknown, number]>("addNote", [id, fc.jsonValue(), limit], (tenant, key, value, most) =>
    tenant.addNote(key, value, most, 600_000),
  ),
  step<[string]>("notes", [id], (tenant, key) => tenant.notes(key)),
  step<[string]>("recall", [id], (tenant, key) => tenant.recall(key)),
  step<[string]>("forget", [id], (tenant, key) => tenant.forget(key)),
);

async function outcome(work: Promise<unknown>): Promise<unknown> {
  try {
    return { answer: await work };
  } catch (error) {
    const { code, message } = BoardwalkError.from(error);
    return { code, message };
  }
}

describe("the memory store and the Redis store", () => {
  let server: RedisServer;
  let redis: Store;
  beforeAll(async () => {
    server = await startRedis();
    redis = createRedisStore({ client: server.url });
  });
  afterAll(async () => {
    await redis.close();
    await server.stop();
  });

  it("give the same answer to any series of calls", async () => {
    const memory = createMemoryStore();
    const series = fc.array(steps, { minLength: 20, maxLength: 80 });
    await fc.assert(
      fc.asyncProperty(series, async (drawn) => {
        const name = randomUUID();
        const [one, other] = [memory.tenant(name), redis.tenant(name)];
        for (const { text, run } of drawn) {
          const [expected, actual] = [await outcome(run(one)), await outcome(run(other))];
          expect([text, actual]).toEqual([text, expected]);
        }
      }),
      { numRuns: 150 },
    );
  });
});
