import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import type { Life } from "./life.js";
import { ADMIN_TOKEN } from "./sync-world.js";
import { until } from "./until.js";

/** Tickets that are moved back and forth without a pause, each move asked for until it is confirmed. */

export const KEYS = ["ENG-2", "ENG-4", "ENG-7", "ENG-9"] as const;
const NAMES = { "10000": "To Do", "10001": "In Progress" } as const;

export interface Acknowledged {
  readonly key: string;
  readonly to: string;
  readonly moveId: string;
  /** As `performance.now()` tells it. */
  readonly at: number;
}

export interface BusyTickets {
  readonly acknowledged: readonly Acknowledged[];
  /** How often each thing was answered. */
  readonly answers: Readonly<Record<string, number>>;
  /** What was said and is not so, or not said at all. */
  readonly faults: readonly string[];
  /** Waits until each ticket was moved anew, and so many times. */
  movedSince(moment: number, times?: number): Promise<void>;
  /** Moves no more, and holds board and records against what was acknowledged. @returns how many moves the audit log lacks */
  stop(): Promise<number>;
}

const answer = z.object({
  outcome: z.enum(["confirmed", "accepted", "refused", "conflict", "unknown"]),
  moveId: z.string().optional(),
});
/** "Ask again": nothing else may be said of a Redis that is away. */
const passing = z.object({ code: z.enum(["unavailable", "timeout", "busy", "conflict"]) });
/** Longer than the reply budget and all that a call may wait for. */
const SILENCE_MS = 30_000;
const GIVE_UP_MS = 60_000;

export function keepMoving(life: Life): BusyTickets {
  const acknowledged: Acknowledged[] = [];
  const answers: Record<string, number> = {};
  const faults: string[] = [];
  let isOver = false;

  async function ask(replica: number, id: string, to: string, wish: string) {
    const response = await fetch(`${life.url(replica)}/api/v1/tenants/acme/tickets/${id}/moves`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${ADMIN_TOKEN}`,
        "content-type": "application/json",
        "idempotency-key": wish,
      },
      body: JSON.stringify({ to }),
      signal: AbortSignal.timeout(SILENCE_MS),
    });
    return z.union([answer, passing]).parse(await response.json());
  }

  /** Asks until it is made, at one replica and then the other. */
  async function move(key: string, id: string, to: string): Promise<void> {
    let wish = randomUUID();
    const deadline = performance.now() + GIVE_UP_MS;
    for (let replica = 0; performance.now() < deadline; replica = 1 - replica) {
      const said = await ask(replica, id, to, wish).catch((error: unknown) => {
        faults.push(`${key}: no answer, or none that is allowed: ${String(error)}`);
        return { code: "silence" };
      });
      const word = "outcome" in said ? said.outcome : said.code;
      answers[word] = (answers[word] ?? 0) + 1;
      if ("outcome" in said && said.outcome === "confirmed") {
        if (boardStatus(life, key) !== to) faults.push(`${key}: confirmed, and is not in ${to}`);
        acknowledged.push({ key, to, moveId: said.moveId ?? "", at: performance.now() });
        return;
      }
      // Told that the ticket is elsewhere or on its way: a person looks, and wishes anew. Else it is the same wish.
      if (word === "conflict" || word === "refused") wish = randomUUID();
      await sleep(50);
    }
    faults.push(`${key}: not confirmed within ${GIVE_UP_MS} ms`);
    isOver = true;
  }

  const movers = KEYS.map(async (key) => {
    const { id } = (await life.actor(key)).ticket;
    for (let n = 0; !isOver; n++) await move(key, id, n % 2 === 0 ? NAMES["10001"] : NAMES["10000"]);
  });

  return {
    acknowledged,
    answers,
    faults,
    async movedSince(moment, times = 1) {
      const count = (key: string) => acknowledged.filter((one) => one.key === key && one.at > moment).length;
      await until(() => KEYS.every((key) => count(key) >= times), { timeoutMs: GIVE_UP_MS });
    },
    async stop() {
      isOver = true;
      await Promise.all(movers);
      // What our record lost is learned again from the board.
      await until(() => life.sync().then(() => true), { timeoutMs: 60_000 });
      for (const key of KEYS) await judge(life, key, acknowledged, faults);
      const audited = await auditedMoves(life);
      return acknowledged.filter(({ moveId }) => !audited.has(moveId)).length;
    },
  };
}

/** It is where the last acknowledged move took it, and our record says so. */
async function judge(
  life: Life,
  key: string,
  acknowledged: readonly Acknowledged[],
  faults: string[],
): Promise<void> {
  const last = acknowledged.filter((one) => one.key === key).at(-1)?.to;
  const there = boardStatus(life, key);
  if (there !== last) faults.push(`${key}: ${last} was acknowledged, its board has it in ${there}`);
  const agrees = async () => {
    const { status } = (await life.actor(key)).ticket;
    return NAMES[status as keyof typeof NAMES] === there;
  };
  await until(agrees).catch(() => faults.push(`${key}: our record is not what its board says`));
}

function boardStatus(life: Life, key: string): string | undefined {
  const id = life.jira.site.issueOf(key)?.status ?? "";
  return life.jira.site.statuses.get(id)?.name;
}

/** Moves that the audit log tells of: unlike a ticket's history, it keeps them all. */
async function auditedMoves(life: Life): Promise<ReadonlySet<unknown>> {
  const moves = new Set<unknown>();
  let cursor: string | undefined;
  do {
    const page = await life.apps[0]?.store
      .tenant("acme")
      .auditPage({ limit: 1_000, ...(cursor === undefined ? {} : { cursor }) });
    for (const { detail } of page?.items ?? []) moves.add(detail?.moveId);
    cursor = page?.next;
  } while (cursor !== undefined);
  return moves;
}
