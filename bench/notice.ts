/**
 * (e) from a column renamed on the board to both official clients told of it: by webhook, against the least it can take,
 * one Redis round trip and one read of the board's columns; and by poll, against the time between two polls: a workflow is
 * due at the first poll after that time, so it may take two, and the pull itself.
 */
import { fileURLToPath } from "node:url";
import { Redis } from "ioredis";
import { authorization, trelloCredentials } from "../connectors/trello/auth.js";
import { BOARDS, type PeoplesBoard } from "../test/support/sync-boards.js";
import {
  type Listener,
  listenLegacy,
  listenModern,
  type SyncWorld,
  startSyncWorld,
} from "../test/support/sync-world.js";
import { median, type Row, round3 } from "./harness.js";

const BY_WEBHOOK = 60;
const WARM_UP = 10;
const BY_POLL = 10;
/** The shortest that may be set. */
const POLL_MS = 1_000;
/** More than it may take, and less than a test run: a notice that never comes fails the run. */
const PATIENCE_MS = 30_000;

export async function run(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [name, start] of BOARDS) {
    if (name === "Trello") rows.push(await webhookRow(await start()));
    rows.push(await pollRow(name, await start()));
  }
  return rows;
}

async function webhookRow(board: PeoplesBoard): Promise<Row> {
  const world = await startSyncWorld(board, { replicas: 1 });
  const clients = await listenTo(world);
  const bare = new Redis(world.redis.url);
  const ours: number[] = [];
  const theirs: number[] = [];
  try {
    const rename = renaming(board);
    for (let i = 0; i < WARM_UP + BY_WEBHOOK; i++) {
      const pair = [
        async () => ours.push(await timeToNotice(clients, rename)),
        async () => theirs.push(await least(bare, board)),
      ];
      for (const measure of i % 2 === 0 ? pair : pair.reverse()) await measure();
    }
  } finally {
    bare.disconnect();
    await close(world, clients);
  }
  const [a, b] = [median(ours.slice(WARM_UP)), median(theirs.slice(WARM_UP))];
  return {
    name: "a Trello column renamed to both clients told, by webhook, p50 (ours may take 20x)",
    unit: "ms",
    ours: round3(a),
    theirs: round3(b),
    ratio: round3(b / a),
    target: 0.05,
  };
}

async function pollRow(name: string, board: PeoplesBoard): Promise<Row> {
  const world = await startSyncWorld(board, {
    replicas: 1,
    webhooks: false,
    env: { BOARDWALK_TICKET_POLL_MS: String(POLL_MS), BOARDWALK_WORKFLOW_POLL_MS: String(POLL_MS) },
  });
  const clients = await listenTo(world);
  const ours: number[] = [];
  try {
    const rename = renaming(board);
    for (let i = 0; i < BY_POLL; i++) ours.push(await timeToNotice(clients, rename));
  } finally {
    await close(world, clients);
  }
  const slowest = Math.max(...ours);
  return {
    name: `a ${name} column renamed to both clients told, by poll, the slowest of ${BY_POLL} (ours may take 3 polls)`,
    unit: "ms",
    ours: round3(slowest),
    theirs: POLL_MS,
    ratio: round3(POLL_MS / slowest),
    target: 0.333,
  };
}

async function listenTo(world: SyncWorld): Promise<readonly Listener[]> {
  const token = await world.token();
  const url = `${world.url(0)}/mcp`;
  return [await listenLegacy(url, token), await listenModern(url, token)];
}

/** Gives the board's second column another name each time. */
function renaming(board: PeoplesBoard): () => void {
  let [, now] = board.columns as readonly string[];
  let count = 0;
  return () => {
    const next = `Column ${++count}`;
    board.rename(now ?? "", next);
    now = next;
  };
}

async function timeToNotice(clients: readonly Listener[], change: () => void): Promise<number> {
  const told = Promise.all(clients.map((client) => client.nextNews()));
  const startedAt = performance.now();
  change();
  await within(PATIENCE_MS, told);
  return performance.now() - startedAt;
}

async function within(ms: number, wait: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("The clients were not told.")), ms);
  });
  await Promise.race([wait, late]).finally(() => clearTimeout(timer));
}

/** One round trip to Redis and one read of the board's columns. */
async function least(bare: Redis, { settings, credentials }: PeoplesBoard): Promise<number> {
  const { board, apiUrl } = settings as { board: string; apiUrl: string };
  const headers = { authorization: authorization(trelloCredentials.parse(credentials)) };
  const startedAt = performance.now();
  await bare.ping();
  const response = await fetch(`${apiUrl}/1/boards/${board}/lists?fields=name,closed,pos`, { headers });
  const body = await response.text();
  if (!response.ok) throw new Error(`The emulated Trello answers ${response.status}: ${body}`);
  return performance.now() - startedAt;
}

async function close(world: SyncWorld, clients: readonly Listener[]): Promise<void> {
  for (const client of clients) await client.close();
  await world.close();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.table(await run());
