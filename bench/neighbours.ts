/**
 * (n) one tenant's moves, alone and while another tenant's board hangs with a thousand moves queued, in turns: the
 * slowest of a hundred with a neighbour may take twice what it takes alone.
 */
import { fileURLToPath } from "node:url";
import { type App, createApp } from "../src/app.js";
import { parseConfig } from "../src/config.js";
import { syncJobFor } from "../src/tickets/jobs.js";
import type { Conversation } from "../src/tickets/tickets.js";
import { median, type Row, round3 } from "./harness.js";
import { BenchProcess } from "./process.js";

export interface Load {
  /** Moves queued behind the board that hangs. */
  readonly queued: number;
  /** Moves of the quiet tenant in each turn. */
  readonly moves: number;
}

/** The 99th percentiles of the quiet tenant's moves in one round, in milliseconds. */
export interface Round {
  readonly alone: number;
  readonly beside: number;
}

const ROUNDS = 3;
const AT_ONCE = 2;
const KEY = Buffer.from(Array.from({ length: 32 }, (_, i) => i * 7)).toString("base64");

/** One round after another, for as long as they are asked for. */
export async function* neighbours(redisUrl: string, load: Load): AsyncGenerator<Round, void, undefined> {
  const boards = [openBoard(load.queued), openBoard(AT_ONCE)] as const;
  const app = await createApp(
    parseConfig({
      PORT: "0",
      REDIS_URL: redisUrl,
      LOG_LEVEL: "silent",
      BOARDWALK_ADMIN_TOKEN: "a-token-for-the-bench",
      BOARDWALK_ENCRYPTION_KEYS: `bench:${KEY}`,
      BOARDWALK_ALLOW_PRIVATE_HOSTS: "1",
      BOARDWALK_TICKET_POLL_MS: "3600000",
    }),
  );
  try {
    const [noisy, quiet] = [await openTenant(app, boards[0]), await openTenant(app, boards[1])];
    await quiet.turn(load.moves / 2);
    for (;;) {
      const alone = await quiet.turn(load.moves);
      await noisy.hang();
      await noisy.queue(load.queued);
      const beside = await quiet.turn(load.moves);
      await noisy.recover();
      yield { alone, beside };
      await noisy.settle();
    }
  } finally {
    await app.close();
    for (const board of boards) board.stop();
  }
}

function openBoard(issues: number): BenchProcess {
  return new BenchProcess("jira-board.ts", [String(issues)], 1);
}

async function openTenant(app: App, board: BenchProcess) {
  const [url = "", email = "", apiToken = ""] = JSON.parse(await board.line()) as string[];
  const id = `neighbour-${Date.now()}`;
  await app.store.createTenant({ id, name: id, createdAt: new Date().toISOString() });
  const tenant = app.store.tenant(id);
  await app.connections.add(tenant, {
    id: "eng",
    provider: "jira",
    settings: { baseUrl: url, project: "ENG" },
    credentials: { email, apiToken },
  });
  await app.hooks.ask(syncJobFor(id, "eng", "bench"), 60_000);
  const started = new Set<number>();

  async function move(ticket: number, budgetMs: number): Promise<string> {
    const talk: Conversation = { tenant, speaker: { person: "bench" }, budgetMs };
    const to = started.has(ticket) ? "10000" : "10001";
    const { outcome } = await app.tickets.move(talk, { ticket: `ENG-${ticket + 1}`, to });
    if (!started.delete(ticket)) started.add(ticket);
    return outcome;
  }

  async function countsAre(wanted: (owed: number) => boolean): Promise<void> {
    for (;;) {
      const { waiting, running } = await app.hooks.counts();
      if (wanted(waiting + running)) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  return {
    /** @returns the 99th percentile of so many moves. */
    async turn(moves: number): Promise<number> {
      const took: number[] = [];
      const mover = async (ticket: number) => {
        for (let n = 0; n < moves / AT_ONCE; n++) {
          const askedAt = performance.now();
          const outcome = await move(ticket, 60_000);
          if (outcome !== "confirmed") throw new Error(`a quiet tenant's move was ${outcome}`);
          took.push(performance.now() - askedAt);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, (_, ticket) => mover(ticket)));
      took.sort((a, b) => a - b);
      return took[Math.ceil(took.length * 0.99) - 1] ?? Number.NaN;
    },
    /** As a board does that takes every request and answers none. */
    async hang(): Promise<void> {
      await setFaults(url, "POST", { latencyMs: 60_000 });
    },
    async queue(moves: number): Promise<void> {
      const outcomes = await Promise.all(Array.from({ length: moves }, (_, ticket) => move(ticket, 1)));
      if (outcomes.some((outcome) => outcome !== "accepted")) throw new Error("a move was not queued");
      await countsAre((owed) => owed >= moves);
    },
    async recover(): Promise<void> {
      await setFaults(url, "DELETE");
    },
    async settle(): Promise<void> {
      await countsAre((owed) => owed === 0);
    },
  };
}

async function setFaults(url: string, method: string, body?: object): Promise<void> {
  const response = await fetch(`${url}/__emulator/faults`, {
    method,
    headers: { "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`the board's faults cannot be set: ${response.status}`);
}

export async function run(): Promise<Row[]> {
  const redisUrl = process.env.REDIS_URL;
  if (redisUrl === undefined) throw new Error("Run this through `npm run bench`, which brings a Redis.");
  const rounds: Round[] = [];
  for await (const round of neighbours(redisUrl, { queued: 1_000, moves: 400 })) {
    rounds.push(round);
    if (rounds.length === ROUNDS) break;
  }
  const ours = median(rounds.map(({ beside }) => beside));
  const theirs = median(rounds.map(({ alone }) => alone));
  return [
    {
      name: "move beside a board that hangs with 1,000 moves queued, p99 (may take 2x of alone)",
      unit: "ms",
      ours: round3(ours),
      theirs: round3(theirs),
      ratio: round3(theirs / ours),
      target: 0.5,
    },
  ];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.table(await run());
