import { Cluster, type Redis } from "ioredis";
import { BoardwalkError } from "../../errors.js";
import type { RedisClient } from "../../redis/open.js";
import { decodeActor, decodeAudit, decodeDocument, decodeHistory, decodeTenant } from "../codec.js";
import { decodeContent } from "../format.js";
import type { DocumentKind, RecordKind } from "../records.js";
import { recordKeys } from "./keys.js";
import { splitOnce } from "./tenant.js";

/** How many records of a kind there are, and which of them cannot be read. */
export interface Tally {
  seen: number;
  /** Where those are that no release reads: the key, and the field or number within it. */
  readonly corrupt: Set<string>;
  /** Where those are that a newer release wrote. */
  readonly newer: Set<string>;
}

/** What a document of a kind must be beyond JSON; throws when it is not. */
export type Shapes = Partial<Record<DocumentKind, (value: unknown, id: string) => unknown>>;

/** How many keys are looked at side by side. */
const AT_ONCE = 200;
const AUDIT_PAGE = 1_000;

/** Tries to read every record there is, of every tenant. Of a cluster, each primary is looked through. */
export async function tallyRecords(
  client: RedisClient,
  shapes: Shapes = {},
  prefix = "bw",
): Promise<ReadonlyMap<RecordKind, Tally>> {
  const tallies = new Map<RecordKind, Tally>();
  const { all, kindOf } = recordKeys(prefix);
  for (const node of client instanceof Cluster ? client.nodes("master") : [client]) {
    for await (const keys of node.scanStream({ match: all, count: AT_ONCE })) {
      const looks = (keys as string[]).map(async (key) => {
        const kind = kindOf(key);
        if (kind !== undefined) await tallyKey(node, key, kind, tallyOf(tallies, kind), shapes);
      });
      await Promise.all(looks);
    }
  }
  return tallies;
}

function tallyOf(tallies: Map<RecordKind, Tally>, kind: RecordKind): Tally {
  const tally = tallies.get(kind) ?? { seen: 0, corrupt: new Set(), newer: new Set() };
  tallies.set(kind, tally);
  return tally;
}

async function tallyKey(
  redis: Redis,
  key: string,
  kind: RecordKind,
  tally: Tally,
  shapes: Shapes,
): Promise<void> {
  try {
    for await (const [place, stored] of recordsIn(redis, key, kind)) {
      tally.seen += 1;
      judge(tally, place === "" ? key : `${key} ${place}`, () => read(kind, place, stored, shapes));
    }
  } catch (error) {
    // Something else than Redis keeps such a record in lies there.
    if (!(error instanceof Error && /^WRONGTYPE/.test(error.message))) throw error;
    tally.seen += 1;
    tally.corrupt.add(key);
  }
}

function judge(tally: Tally, where: string, attempt: () => unknown): void {
  try {
    attempt();
  } catch (error) {
    const isNewer = error instanceof BoardwalkError && error.code === "unavailable";
    (isNewer ? tally.newer : tally.corrupt).add(where);
  }
}

type Places = AsyncGenerator<readonly [place: string, stored: string]>;

function recordsIn(redis: Redis, key: string, kind: RecordKind): Places {
  switch (kind) {
    case "history":
    case "note":
      return inList(redis, key);
    case "audit":
      return inStream(redis, key);
    case "memory":
      return alone(redis.get(key));
    case "sign-in":
      return alone(redis.hget(key, "value"));
    default:
      return inHash(redis, key);
  }
}

async function* alone(asked: Promise<string | null>): Places {
  const stored = await asked;
  if (stored !== null) yield ["", stored];
}

async function* inHash(redis: Redis, key: string): Places {
  for await (const flat of redis.hscanStream(key, { count: AT_ONCE })) {
    const fields = flat as string[];
    for (let i = 0; i + 1 < fields.length; i += 2) yield [fields[i] ?? "", fields[i + 1] ?? ""];
  }
}

async function* inList(redis: Redis, key: string): Places {
  for (const [n, stored] of (await redis.lrange(key, 0, -1)).entries()) yield [String(n), stored];
}

async function* inStream(redis: Redis, key: string): Places {
  for (let after = "-"; ; ) {
    const entries = await redis.xrange(key, after, "+", "COUNT", AUDIT_PAGE);
    for (const [id, fields] of entries) yield [id, fields[1] ?? ""];
    const last = entries.at(-1);
    if (last === undefined || entries.length < AUDIT_PAGE) return;
    after = `(${last[0]}`;
  }
}

function read(kind: RecordKind, id: string, stored: string, shapes: Shapes): unknown {
  switch (kind) {
    case "ticket":
      return decodeActor(stored, id);
    case "history":
      return decodeHistory(splitOnce(stored)[1], id);
    case "audit":
      return decodeAudit(stored, id);
    case "tenant":
      return decodeTenant(stored, id);
    case "memory":
    case "note":
    case "sign-in":
      return decodeContent(kind, id, stored);
    default: {
      const { value } = decodeDocument(kind, id, stored);
      return shapes[kind]?.(value, id);
    }
  }
}
