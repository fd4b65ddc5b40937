import { setTimeout as sleep } from "node:timers/promises";
import type { Api, ChaosTicket } from "./api.js";
import { type ChaosBoard, HERE, THERE } from "./boards.js";
import type { Chance } from "./chance.js";

/** A client that walks one ticket to and fro, asking the same again until it is told how it went. */

export interface Walk {
  readonly ticket: ChaosTicket;
  /** Moves said to be made. */
  acknowledged: number;
  /** Of them, those into review, where a pull request is owed. */
  entries: number;
  /** From the first asking to the answer, in milliseconds. */
  readonly tookMs: number[];
  /** Replies that said moved, while the board did not have it there. */
  readonly lies: string[];
  /** Ends that were neither confirmed nor still under way, as told. */
  readonly oddities: string[];
}

export interface Heard {
  asked: number;
  silence: number;
  accepted: number;
  readonly problems: Map<string, number>;
}

export interface Walker {
  readonly api: Api;
  readonly board: ChaosBoard;
  readonly urls: readonly string[];
  readonly chance: Chance;
  readonly heard: Heard;
  /** Rejects what goes on for longer. */
  readonly deadline: number;
}

export async function walkTicket(walker: Walker, ticket: ChaosTicket, moves: number): Promise<Walk> {
  const walk: Walk = { ticket, acknowledged: 0, entries: 0, tookMs: [], lies: [], oddities: [] };
  for (let step = 0; step < moves; step++) await makeMove(walker, walk, step);
  return walk;
}

async function makeMove(walker: Walker, walk: Walk, step: number): Promise<void> {
  const to = step % 2 === 0 ? THERE : HERE;
  const since = performance.now();
  for (let wish = 1; ; wish++) {
    const end = await untilTold(walker, walk.ticket, to, `${walk.ticket.id}/${step}/${wish}`);
    if (end === "confirmed") {
      const truth = walker.board.statusOf(walk.ticket.title);
      if (truth !== to) walk.lies.push(`${walk.ticket.title}, move ${step}: said ${to}, is ${truth}`);
      walk.acknowledged += 1;
      walk.tookMs.push(performance.now() - since);
      if (to === THERE) {
        walk.entries += 1;
        // A hook is owed only as long as its ticket stays.
        await untilHooksAreDone(walker, walk.ticket);
      }
      return;
    }
    walk.oddities.push(end);
    await sleep(walker.chance.between(100, 400));
  }
}

async function untilHooksAreDone(
  { api, chance, urls, deadline }: Walker,
  ticket: ChaosTicket,
): Promise<void> {
  while ((await api.allDone(chance.pick(urls) ?? "", ticket)) !== true) {
    if (performance.now() > deadline) throw new Error(`the hooks of ${ticket.title} are never done`);
    await sleep(chance.between(50, 250));
  }
}

async function untilTold(walker: Walker, ticket: ChaosTicket, to: string, key: string): Promise<string> {
  const { api, heard, chance, urls } = walker;
  for (;;) {
    if (performance.now() > walker.deadline) throw new Error(`nobody says what became of ${key}`);
    heard.asked += 1;
    const reply = await api.move(chance.pick(urls) ?? "", ticket, to, key);
    if (reply.kind === "silence") heard.silence += 1;
    else if (reply.kind === "refused") count(heard.problems, `${reply.status} ${reply.code}`);
    else if (reply.move.outcome === "accepted") heard.accepted += 1;
    else if (reply.move.outcome === "confirmed") return "confirmed";
    else return `${reply.move.outcome} ${reply.move.code ?? ""}`;
    await sleep(chance.between(50, 250));
  }
}

export function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
