import { createRedisStore } from "../../src/store/redis.js";
import { createApi } from "./api.js";
import { startBoards } from "./boards.js";
import { createChance } from "./chance.js";
import { type Fleet, startFleet } from "./fleet.js";
import { judge } from "./judge.js";
import { type Heard, type Walk, type Walker, walkTicket } from "./walk.js";

/**
 * Moves over four boards while web processes, workers and Redis are killed, paused and away; then everything is held
 * against the boards' own state and journals.
 */

export interface ChaosOptions {
  readonly moves: number;
  /** Of each ticket, one after the other. */
  readonly movesPerTicket: number;
  /** How many tickets of one board are moved at once. */
  readonly atOnce: number;
  readonly everyMs: readonly [least: number, most: number];
  readonly seed: number;
  /** Everything must be acknowledged by then. */
  readonly limitMs: number;
  readonly tell?: (line: string) => void;
}

export interface ChaosReport {
  /** Empty when all is as it should be. */
  readonly faults: readonly string[];
  readonly moves: number;
  readonly seconds: number;
  readonly happened: Fleet["happened"];
  readonly pullRequests: number;
  /** Requests of the clients, and how many got no answer, "still working", or a problem. */
  readonly asked: number;
  readonly silence: number;
  readonly accepted: number;
  readonly problems: Readonly<Record<string, number>>;
  /** Moves that ended neither confirmed nor under way, and were wished for again. */
  readonly oddities: readonly string[];
  /** From a wish to its acknowledgement, in milliseconds. */
  readonly tookMs: { readonly p50: number; readonly p95: number; readonly most: number };
}

export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const { moves, movesPerTicket, tell = () => {} } = options;
  const perBoard = Math.ceil(moves / 4 / movesPerTicket);
  const boards = await startBoards(perBoard);
  const fleet = await startFleet();
  const store = createRedisStore({ client: fleet.redis.url });
  try {
    const api = createApi(fleet);
    await api.connect(boards);
    const tickets = await api.tickets(boards);
    if (tickets.length !== 4 * perBoard)
      throw new Error(`${tickets.length} of ${4 * perBoard} tickets came in`);
    const branches = new Map<string, string>();
    for (const { id, key, board, title } of tickets) {
      const branch = board === "github" ? `${title.split(" ").at(-1)}-chaos` : `feat/${key}-chaos`;
      if (board !== "github") boards.addBranch(branch);
      branches.set(id, branch);
    }
    tell(`${tickets.length} tickets on four boards; making trouble, seed ${options.seed}`);
    const chance = createChance(options.seed);
    const calm = fleet.trouble(chance, options.everyMs);
    const heard: Heard = { asked: 0, silence: 0, accepted: 0, problems: new Map() };
    const since = performance.now();
    const walks: Walk[] = [];
    const deadline = since + options.limitMs;
    const lines = boards.boards.flatMap((board) => {
      const queue = tickets.filter((ticket) => ticket.board === board.id);
      const walker: Walker = { api, board, urls: fleet.urls, chance, heard, deadline };
      return Array.from({ length: options.atOnce }, async () => {
        for (let next = queue.shift(); next !== undefined; next = queue.shift())
          walks.push(await walkTicket(walker, next, movesPerTicket));
      });
    });
    const progress = setInterval(() => tell(lineOf(walks, heard, since)), 10_000).unref();
    await Promise.all(lines).finally(() => clearInterval(progress));
    const seconds = (performance.now() - since) / 1_000;
    await calm();
    const faults = await judge(store, boards, walks, branches);
    return reportOf(walks, heard, {
      faults,
      seconds,
      happened: fleet.happened,
      pulls: boards.pulls().length,
    });
  } finally {
    await store.close();
    await fleet.close();
    await boards.close();
  }
}

function lineOf(walks: readonly Walk[], heard: Heard, since: number): string {
  const seconds = Math.round((performance.now() - since) / 1_000);
  return `${seconds} s: ${walks.length} tickets walked, ${heard.asked} requests, ${heard.silence} without an answer`;
}

function reportOf(
  walks: readonly Walk[],
  { asked, silence, accepted, problems }: Heard,
  end: { faults: readonly string[]; seconds: number; happened: Fleet["happened"]; pulls: number },
): ChaosReport {
  const took = walks.flatMap(({ tookMs }) => tookMs).sort((a, b) => a - b);
  const at = (share: number) =>
    Math.round(took[Math.min(took.length - 1, Math.floor(took.length * share))] ?? 0);
  return {
    faults: end.faults,
    moves: walks.reduce((all, walk) => all + walk.acknowledged, 0),
    seconds: Math.round(end.seconds),
    happened: end.happened,
    pullRequests: end.pulls,
    asked,
    silence,
    accepted,
    problems: Object.fromEntries(problems),
    oddities: walks.flatMap(({ oddities }) => oddities),
    tookMs: { p50: at(0.5), p95: at(0.95), most: at(1) },
  };
}
