import type { Problem } from "../board/connector.js";
import { NO_STATUS, type Status, type StatusGraph, type WorkflowMove } from "../machine/index.js";
import type { HookRule } from "./records.js";

/** A team's own rules about a board: which hooks a status owes, and which moves of a free board it allows. */

type AllowedMoves = Readonly<Record<string, readonly string[]>> | undefined;

/** The problem codes of rules that name a status which is not there (any more). */
export const RULE_PROBLEMS = ["hook_rule", "move_rule"] as const;

/** Hooks by status id. A rule whose status is gone does nothing; it is never given to another status. */
export function hooksByStatus(
  graph: StatusGraph,
  rules: readonly HookRule[],
): Record<string, { run: string }[]> {
  const hooks = new Map<string, { run: string }[]>();
  for (const rule of rules) {
    const status = statusNamed(graph, rule.status);
    if (status !== undefined) hooks.set(status.id, [...(hooks.get(status.id) ?? []), { run: rule.run }]);
  }
  // Not filled key by key: a board may call a status `__proto__`.
  return Object.fromEntries(hooks);
}

/** By id, else by exact name; of several with that name none is guessed. */
function statusNamed(graph: StatusGraph, name: string): Status | undefined {
  const live = graph.statuses.filter((status) => !status.retired);
  const byId = live.find((status) => status.id === name);
  const [only, ...others] = byId === undefined ? live.filter((status) => status.name === name) : [byId];
  return others.length === 0 ? only : undefined;
}

/** The graph without the moves that the team does not allow. Boards with rules of their own keep to those. */
export function restrictMoves(graph: StatusGraph, allowed: AllowedMoves): StatusGraph {
  if (allowed === undefined || graph.edges !== "implied") return graph;
  const targets = new Map<string, Set<string>>();
  for (const [from, to] of Object.entries(allowed)) {
    const status = statusNamed(graph, from);
    if (status === undefined) continue;
    const open = targets.get(status.id) ?? new Set();
    for (const name of to) open.add(statusNamed(graph, name)?.id ?? "");
    targets.set(status.id, open);
  }
  if (targets.size === 0) return graph;
  const moves = graph.moves
    .flatMap((move) => spreadOut(graph, move))
    .filter((move) => targets.get(move.from)?.has(move.to) ?? true);
  return { ...graph, moves, teamRules: true };
}

/** One move for each status that a move from anywhere leaves. */
function spreadOut(graph: StatusGraph, move: WorkflowMove): readonly WorkflowMove[] {
  if (move.from !== "*") return [move];
  return graph.statuses
    .filter((status) => status.id !== move.to)
    .map((status) => ({ ...move, from: status.id }));
}

export function idleHookRules(rules: readonly HookRule[], graphs: readonly StatusGraph[]): Problem[] {
  return rules
    .filter((rule) => graphs.every((graph) => statusNamed(graph, rule.status) === undefined))
    .map(({ status }) => ({
      code: RULE_PROBLEMS[0],
      message: `The rule that opens a pull request on entering "${status}" does nothing: the board has no such status, or several.`,
      fix: "Connect the board again with the status's id or its present name in settings.hooks.",
    }));
}

export function idleMoveRules(allowed: AllowedMoves, graphs: readonly StatusGraph[]): Problem[] {
  const free = graphs.filter((graph) => graph.edges === "implied");
  const named = new Set(Object.entries(allowed ?? {}).flatMap(([from, to]) => [from, ...to]));
  return [...named]
    .filter((name) => name !== NO_STATUS && free.every((graph) => statusNamed(graph, name) === undefined))
    .map((name) => ({
      code: RULE_PROBLEMS[1],
      message: `Your own rule about "${name}" does nothing: no board without rules of its own has exactly one such status.`,
      fix: "Connect the board again with the status's id or its present name in settings.allowedMoves.",
    }));
}
