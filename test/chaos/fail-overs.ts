import { setTimeout as sleep } from "node:timers/promises";
import { type BusyTickets, keepMoving } from "../support/busy-tickets.js";
import type { Life } from "../support/life.js";
import type { RedisServer } from "../support/redis.js";
import type { RedisSentinels } from "../support/redis-groups.js";
import { until } from "../support/until.js";

/** What befalls the primary of a Redis that sentinels watch, while tickets move. */
export type Blow =
  /** The sentinels are asked for it, all goes in good order. */
  | { readonly kind: "asked" }
  /** SIGKILL; it comes back as a replica. */
  | { readonly kind: "killed" }
  /** SIGSTOP, and SIGCONT so much later: it wakes as primary, as one that is being deposed, or as one of the past. */
  | { readonly kind: "frozen"; readonly ms: number };

export interface Round {
  readonly blow: Blow;
  /** Until the sentinels held another for the primary; `undefined` when they did not. */
  readonly promotedMs: number | undefined;
  /** From the blow until every ticket was moved anew. */
  readonly movedMs: number;
}

export interface FailOversReport {
  readonly rounds: readonly Round[];
  readonly acknowledged: number;
  /** Acknowledged moves of which the audit log has no line: what an asynchronous replica had not received. */
  readonly unaudited: number;
  readonly answers: Readonly<Record<string, number>>;
  readonly faults: readonly string[];
}

export async function runFailOvers(
  sentinels: RedisSentinels,
  life: Life,
  blows: readonly Blow[],
  tell: (round: Round) => void = () => {},
): Promise<FailOversReport> {
  const moving = keepMoving(life);
  const rounds: Round[] = [];
  for (const blow of blows) {
    await sentinels.settled();
    await moving.movedSince(performance.now(), 2);
    const round = await strike(sentinels, moving, blow);
    rounds.push(round);
    tell(round);
  }
  await moving.movedSince(performance.now(), 2);
  const unaudited = await moving.stop();
  const { acknowledged, answers, faults } = moving;
  return { rounds, acknowledged: acknowledged.length, unaudited, answers, faults };
}

async function strike(sentinels: RedisSentinels, moving: BusyTickets, blow: Blow): Promise<Round> {
  const { primary } = await sentinels.roles();
  const began = performance.now();
  const { isOver, recover } = await deal(sentinels, primary, blow);
  const isReplaced = async () => (await sentinels.primary()) !== primary.port;
  await until(async () => (await isReplaced()) || isOver(), { timeoutMs: 60_000 });
  const promotedMs = (await isReplaced()) ? Math.round(performance.now() - began) : undefined;
  await moving.movedSince(performance.now());
  const movedMs = Math.round(performance.now() - began);
  await recover();
  return { blow, promotedMs, movedMs };
}

interface Dealt {
  /** Whether it has passed by itself, and nobody needs to be promoted any more. */
  isOver(): boolean;
  recover(): Promise<void>;
}

async function deal(sentinels: RedisSentinels, primary: RedisServer, blow: Blow): Promise<Dealt> {
  switch (blow.kind) {
    case "asked":
      await sentinels.failOver();
      return { isOver: () => false, recover: async () => {} };
    case "killed":
      await primary.kill();
      return { isOver: () => false, recover: () => primary.restart() };
    case "frozen": {
      let isOver = false;
      process.kill(primary.pid ?? 0, "SIGSTOP");
      const waking = sleep(blow.ms).then(() => {
        isOver = process.kill(primary.pid ?? 0, "SIGCONT");
      });
      return { isOver: () => isOver, recover: () => waking };
    }
  }
}
