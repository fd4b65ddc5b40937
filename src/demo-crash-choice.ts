import { z } from "zod";
import type { App } from "./app.js";
import type { HeldMove } from "./demo-boards.js";
import type { DemoLine, DemoTenant } from "./demo-line.js";
import { callTool, eyesOf, isBranchOf } from "./demo-look.js";
import { BoardwalkError } from "./errors.js";
import { findShape, movesShape } from "./tickets/shapes.js";

/** Which move the demo's worker is to die in. */

export const crashWish = z.strictObject({
  /** Left out: one that has a move open to it. */
  ticket: z.string().min(1).max(300).optional(),
  to: z.string().min(1).max(100).optional(),
});
export type CrashWish = z.infer<typeof crashWish>;

export interface CrashStage {
  readonly app: Pick<App, "rest">;
  readonly line: DemoLine;
  readonly tenant: DemoTenant;
  /** The board's id of the status that a draft pull request is opened in. */
  readonly review: string | undefined;
  /** A branch with a commit, for tickets that have none. */
  readonly branchLike: string;
  /** Of a worker process on the same Redis. */
  readonly settings: Readonly<Record<string, string>>;
  readonly dir: string;
  holdMove(): HeldMove;
}

export interface CrashMove {
  readonly id: string;
  readonly key: string;
  readonly title: string;
  readonly to: string;
  /** A draft pull request is to follow: it enters review, and it has a branch. */
  readonly opens: boolean;
}

type Open = ReturnType<typeof movesShape.parse>["openMoves"][number];

/**
 * The ticket and the status that were wished for; else a ticket that can go to review, with a branch, so that there is a
 * pull request to be counted; else the first that can go somewhere without a question.
 */
export async function chooseMove(stage: CrashStage, { ticket, to }: CrashWish): Promise<CrashMove> {
  const found: CrashMove[] = [];
  for (const words of ticket === undefined ? await ticketsOf(stage) : [ticket]) {
    const { ticket: known, openMoves } = movesShape.parse(await ask(stage, "list_moves", { ticket: words }));
    const open = openMoves.filter(({ fields = [] }) => fields.every(({ required }) => !required));
    const target = to ?? (open.find((move) => isReview(stage, move)) ?? open[0])?.status.name;
    if (known === undefined || target === undefined) continue;
    const opens = open.some((move) => isReview(stage, move) && sameWords(move.status.name, target));
    const move = { id: known.id, key: known.key ?? known.id, title: known.title, to: target, opens };
    if (ticket !== undefined) return { ...move, opens: opens && (await hasBranch(stage, move.key)) };
    if (opens) return await withBranch(stage, move);
    found.push(move);
  }
  const [first] = found;
  if (first !== undefined) return first;
  throw new BoardwalkError("no_such_move", "No such ticket of Acme's Jira can go there. Choose another one.");
}

function isReview({ review }: CrashStage, { status }: Open): boolean {
  return status.id === review;
}

function sameWords(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

async function ticketsOf(stage: CrashStage): Promise<readonly string[]> {
  const board = stage.tenant.connections.find(({ provider }) => provider === "jira")?.id;
  return findShape.parse(await ask(stage, "find_tickets", { board })).tickets.map(({ id }) => id);
}

async function ask({ line, tenant }: CrashStage, tool: string, args: object): Promise<unknown> {
  return await callTool(`${line.url}/alexa/mcp`, tenant.token, tool, { ...args });
}

async function hasBranch({ tenant }: CrashStage, key: string): Promise<boolean> {
  return (await eyesOf(tenant).branches()).some((name) => isBranchOf(key, name));
}

/** Pushed as a developer would, where nobody has begun to work on it. */
async function withBranch(stage: CrashStage, move: CrashMove): Promise<CrashMove> {
  const eyes = eyesOf(stage.tenant);
  if (!(await hasBranch(stage, move.key))) await eyes.push(`feat/${move.key}-crash`, stage.branchLike);
  return move;
}
