import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import type { App } from "./app.js";
import type { HeldMove } from "./demo-boards.js";
import type { DemoLine, DemoTenant } from "./demo-line.js";
import { callTool, eyesOf, type ToolAnswer } from "./demo-look.js";
import { startWorkerProcess } from "./demo-worker.js";
import { BoardwalkError } from "./errors.js";
import { parseBody } from "./http/problems.js";
import type { Routes } from "./http/server.js";
import { findShape, movesShape } from "./tickets/shapes.js";

/** The crash button: a worker process dies between a board's move and its own hearing of it, and nothing is lost. */

export const crashWish = z.strictObject({
  /** Left out: one that has a move open to it. */
  ticket: z.string().min(1).max(300).optional(),
  to: z.string().min(1).max(100).optional(),
});
export type CrashWish = z.infer<typeof crashWish>;

export interface CrashReport {
  readonly ticket: { readonly id: string; readonly key: string };
  readonly to: string;
  /** The process that was killed when the board had moved the ticket and had not said so yet. */
  readonly killed: number;
  /** What the speaker heard, one after the other. */
  readonly spoken: readonly string[];
  readonly outcome: string;
  /** How often the board was moved for it: one, or the promise is broken. */
  readonly moves: number;
  /** From the kill to the confirmed end. */
  readonly recoveredMs: number;
}

export interface CrashStage {
  readonly app: Pick<App, "rest">;
  readonly line: DemoLine;
  readonly tenant: DemoTenant;
  /** Of a worker process on the same Redis. */
  readonly settings: Readonly<Record<string, string>>;
  readonly dir: string;
  holdMove(): HeldMove;
}

export interface Crash {
  /** A crash has begun and is not over. */
  readonly underWay: boolean;
  press(wish: CrashWish): Promise<CrashReport>;
}

const REACH_MS = 30_000;
const RECOVER_MS = 60_000;
const LOOK_EVERY_MS = 200;

/** The button. One crash at a time: another one meanwhile is refused as `conflict`. */
export function createCrash(stage: CrashStage): Crash {
  let underWay = false;
  return {
    get underWay() {
      return underWay;
    },
    async press(wish) {
      if (underWay)
        throw new BoardwalkError("conflict", "A worker is being crashed already. Please wait for its end.");
      underWay = true;
      try {
        return await crash(stage, wish);
      } finally {
        underWay = false;
      }
    },
  };
}

/** `GET /demo` says whether there is a button and whether it is pressed, `POST /demo/crash` presses it and answers when all is over. */
export function addCrashRoute(router: Routes, button: () => Crash | undefined): void {
  router.get("/", (_request, response) => {
    const crash = button();
    response.json({ crash: crash !== undefined, underWay: crash?.underWay === true });
  });
  router.post("/crash", async (request, response) => {
    const wish = parseBody(crashWish, request.body ?? {});
    const crash = button();
    if (crash === undefined) throw new BoardwalkError("unavailable", WHY_NOT);
    response.json(await crash.press(wish));
  });
}

/** Why a demo in memory has no crash. */
export const WHY_NOT =
  "State is kept in this one process and would end with it. Start the demo where redis-server is installed, and without --memory.";

async function crash(stage: CrashStage, wish: CrashWish): Promise<CrashReport> {
  const { id, key, to } = await choose(stage, wish);
  const eyes = eyesOf(stage.tenant);
  const before = await eyes.moves(key);
  const { killed, first, killedAt } = await killMidMove(stage, id, to);
  const last = await settled(stage, id);
  return {
    ticket: { id, key },
    to,
    killed,
    spoken: [first.spoken, last.spoken],
    outcome: last.outcome ?? "unknown",
    moves: (await eyes.moves(key)) - before,
    recoveredMs: Math.round(performance.now() - killedAt),
  };
}

/** Only the process that is to die takes work, until the board has made the move. */
async function killMidMove(stage: CrashStage, ticket: string, to: string) {
  const worker = await startWorkerProcess(stage.settings, stage.dir);
  const takeUp = await stage.app.rest();
  const held = stage.holdMove();
  try {
    const asked = say(stage, "move_ticket", { ticket, to });
    await Promise.race([held.made, tooLate(asked)]);
    await worker.kill();
    return { killed: worker.pid, first: await asked, killedAt: performance.now() };
  } finally {
    await worker.kill();
    held.release();
    await takeUp();
  }
}

/** @throws BoardwalkError when the board is not asked for the move: the answer says why. */
async function tooLate(asked: Promise<ToolAnswer>): Promise<void> {
  const { outcome, spoken } = await asked;
  if (outcome !== "accepted")
    throw new BoardwalkError("conflict", `There was no move to crash in. ${spoken}`);
  await sleep(REACH_MS, undefined, { ref: false });
  throw new BoardwalkError("timeout", "The move did not reach the board. Please try again.");
}

async function settled(stage: CrashStage, ticket: string): Promise<ToolAnswer> {
  const deadline = performance.now() + RECOVER_MS;
  for (;;) {
    const answer = await say(stage, "check_progress", { ticket });
    if (answer.outcome !== "accepted" || performance.now() > deadline) return answer;
    await sleep(LOOK_EVERY_MS);
  }
}

async function say({ line, tenant }: CrashStage, tool: string, args: object): Promise<ToolAnswer> {
  return await callTool(`${line.url}/alexa/mcp`, tenant.token, tool, { ...args });
}

/** The ticket and the status that were wished for, or else the first ticket that can go somewhere without a question. */
async function choose(stage: CrashStage, { ticket, to }: CrashWish) {
  const board = stage.tenant.connections.find(({ provider }) => provider === "jira")?.id;
  const found =
    ticket === undefined ? findShape.parse(await say(stage, "find_tickets", { board })).tickets : [];
  for (const words of ticket === undefined ? found.map(({ id }) => id) : [ticket]) {
    const { ticket: known, openMoves } = movesShape.parse(await say(stage, "list_moves", { ticket: words }));
    const open = openMoves.filter(({ fields = [] }) => fields.every(({ required }) => !required));
    const target = to ?? open[0]?.status.name;
    if (known !== undefined && target !== undefined)
      return { id: known.id, key: known.key ?? known.id, to: target };
  }
  throw new BoardwalkError("no_such_move", "No such ticket of Acme's Jira can go there. Choose another one.");
}
