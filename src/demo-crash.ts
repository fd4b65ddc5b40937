import { setTimeout as sleep } from "node:timers/promises";
import {
  type CrashMove,
  type CrashStage,
  type CrashWish,
  chooseMove,
  crashWish,
} from "./demo-crash-choice.js";
import { callTool, type Eyes, eyesOf, type ToolAnswer } from "./demo-look.js";
import { startWorkerProcess } from "./demo-worker.js";
import { BoardwalkError } from "./errors.js";
import { parseBody } from "./http/problems.js";
import type { Routes } from "./http/routes.js";

/** The crash button: a worker process dies between a board's move and its own hearing of it, and nothing is lost. */

export interface CrashReport {
  readonly tenant: string;
  readonly ticket: { readonly id: string; readonly key: string };
  readonly to: string;
  /** The process that was killed when the board had moved the ticket and had not said so yet. */
  readonly killed: number;
  /** What the speaker heard, one after the other. */
  readonly spoken: readonly string[];
  readonly outcome: string;
  /** How often the board was moved for it: one, or the promise is broken. */
  readonly moves: number;
  /** How many pull requests there are for it. */
  readonly pulls: number;
  /** From the kill to the confirmed end. */
  readonly recoveredMs: number;
}

/** Something that has happened, as it is told while it goes on. */
export interface CrashStep {
  readonly at: string;
  readonly step:
    | "worker"
    | "asked"
    | "moved"
    | "killed"
    | "heard"
    | "taken-over"
    | "confirmed"
    | "counted"
    | "failed";
  readonly text: string;
}

export interface Crash {
  /** A crash has begun and is not over. */
  readonly underWay: boolean;
  /** What has happened of the one that is under way, or of the last one. */
  readonly steps: readonly CrashStep[];
  press(wish: CrashWish): Promise<CrashReport>;
}

type Tell = (step: CrashStep["step"], text: string) => void;

const REACH_MS = 30_000;
const RECOVER_MS = 60_000;
const LOOK_EVERY_MS = 200;

/** The button. One crash at a time: another one meanwhile is refused as `conflict`. */
export function createCrash(stage: CrashStage): Crash {
  let underWay = false;
  let steps: readonly CrashStep[] = [];
  const tell: Tell = (step, text) => {
    steps = [...steps, { at: new Date().toISOString(), step, text }];
  };
  return {
    get underWay() {
      return underWay;
    },
    get steps() {
      return steps;
    },
    async press(wish) {
      if (underWay)
        throw new BoardwalkError("conflict", "A worker is being crashed already. Please wait for its end.");
      underWay = true;
      steps = [];
      try {
        return await crash(stage, wish, tell);
      } catch (error) {
        tell("failed", BoardwalkError.from(error).message);
        throw error;
      } finally {
        underWay = false;
      }
    },
  };
}

/**
 * `GET /demo` says whether there is a button, whether it is pressed, and what has happened since; `POST /demo/crash`
 * presses it and answers when all is over.
 */
export function addCrashRoute(router: Routes, button: () => Crash | undefined): void {
  router.get("/", (_request, response) => {
    const { underWay = false, steps = [] } = button() ?? {};
    response.json({ crash: button() !== undefined, underWay, ...(steps.length === 0 ? {} : { steps }) });
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

async function crash(stage: CrashStage, wish: CrashWish, tell: Tell): Promise<CrashReport> {
  const move = await chooseMove(stage, wish);
  const eyes = eyesOf(stage.tenant);
  const before = await eyes.moves(move.key);
  const { killed, first, killedAt, reads } = await killMidMove(stage, move, tell);
  const last = await settled(stage, move, { reads, tell });
  const recoveredMs = Math.round(performance.now() - killedAt);
  const outcome = last.outcome ?? "unknown";
  tell(outcome === "confirmed" ? "confirmed" : "failed", `Who asks again hears: “${last.spoken}”`);
  const counted = { moves: (await eyes.moves(move.key)) - before, pulls: await pullsOf(eyes, move) };
  tell(counted.moves === 1 && counted.pulls <= 1 ? "counted" : "failed", countedWords(counted, move));
  const { id, key, to } = move;
  return {
    tenant: stage.tenant.id,
    ticket: { id, key },
    to,
    killed,
    spoken: [first.spoken, last.spoken],
    outcome,
    ...counted,
    recoveredMs,
  };
}

function countedWords({ moves, pulls }: { moves: number; pulls: number }, { key, opens }: CrashMove): string {
  const jira = `Jira was told to move ${key} ${moves === 1 ? "once" : `${moves} times`}.`;
  if (pulls === 0) return opens ? `${jira} GitHub has no pull request for it yet: it is owed.` : jira;
  return `${jira} GitHub has ${pulls === 1 ? "one pull request" : `${pulls} pull requests`} for it.`;
}

/** Only the process that is to die takes work, until the board has made the move. */
async function killMidMove(stage: CrashStage, { id, key, title, to }: CrashMove, tell: Tell) {
  const eyes = eyesOf(stage.tenant);
  const worker = await startWorkerProcess(stage.settings, stage.dir);
  const takeUp = await stage.app.rest();
  tell("worker", `A worker of its own takes all work now: process ${worker.pid}.`);
  const held = stage.holdMove();
  try {
    tell("asked", `Somebody says: move “${title}” to ${to}.`);
    const asked = say(stage, "move_ticket", { ticket: id, to });
    await Promise.race([held.made, tooLate(asked)]);
    tell("moved", `Jira has moved ${key}, and its answer is still on the way.`);
    await worker.kill();
    const killedAt = performance.now();
    const reads = await eyes.reads(id);
    tell(
      "killed",
      `Process ${worker.pid} is killed in the middle of it, before it could write anything down.`,
    );
    const first = await asked;
    tell("heard", `Who said it hears: “${first.spoken}”`);
    return { killed: worker.pid, first, killedAt, reads };
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

interface Since {
  /** How often the board had been asked for the ticket when the worker died. */
  readonly reads: number;
  readonly tell: Tell;
}

async function settled(stage: CrashStage, { id }: CrashMove, { reads, tell }: Since): Promise<ToolAnswer> {
  const eyes = eyesOf(stage.tenant);
  const deadline = performance.now() + RECOVER_MS;
  for (let told = false; ; ) {
    // In this order: what is settled was read before.
    const answer = await say(stage, "check_progress", { ticket: id });
    if (!told && (await eyes.reads(id)) > reads) {
      told = true;
      tell("taken-over", "Another worker has taken the move over, and asks the board first what is true.");
    }
    if (answer.outcome !== "accepted" || performance.now() > deadline) return answer;
    await sleep(LOOK_EVERY_MS);
  }
}

/** Waits for the one that is to follow. */
async function pullsOf(eyes: Eyes, { key, opens }: CrashMove): Promise<number> {
  const deadline = performance.now() + REACH_MS;
  for (;;) {
    const { length } = await eyes.pullsOf(key);
    if (!opens || length > 0 || performance.now() > deadline) return length;
    await sleep(LOOK_EVERY_MS);
  }
}

async function say({ line, tenant }: CrashStage, tool: string, args: object): Promise<ToolAnswer> {
  return await callTool(`${line.url}/alexa/mcp`, tenant.token, tool, { ...args });
}
