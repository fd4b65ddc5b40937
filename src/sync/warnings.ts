import type { Move, Problem } from "../board/connector.js";
import type { Status, StatusGraph } from "../machine/index.js";
import { plainWords } from "../tickets/words.js";
import { NO_ROOM } from "./health.js";
import type { SharedSettings } from "./records.js";
import { idleHookRules, idleMoveRules } from "./rules.js";

/** What is worth knowing of a board before it is imported: nothing is wrong with it, but somebody will ask. Pure. */

export function graphWarnings(
  graphs: readonly StatusGraph[],
  { hooks, allowedMoves }: Pick<SharedSettings, "hooks" | "allowedMoves">,
): readonly Problem[] {
  return [
    ...idleHookRules(hooks, graphs),
    ...idleMoveRules(allowedMoves, graphs),
    ...graphs.flatMap(sharedNames),
    ...graphs.flatMap(wordlessNames),
  ];
}

function live({ statuses }: StatusGraph): readonly Status[] {
  return statuses.filter(({ retired }) => !retired);
}

function sharedNames(graph: StatusGraph): readonly Problem[] {
  const names = new Map<string, Status[]>();
  for (const status of live(graph)) {
    const words = plainWords(status.name);
    if (words !== "") names.set(words, [...(names.get(words) ?? []), status]);
  }
  return [...names.values()]
    .filter((those) => those.length > 1)
    .map((those) => ({
      code: "shared_name",
      message: `${those.length} statuses of ${graph.name} are called "${those[0]?.name}", so whoever says it is asked which one.`,
      fix: "Rename all but one of them on the board.",
    }));
}

function wordlessNames(graph: StatusGraph): readonly Problem[] {
  return live(graph)
    .filter(({ name }) => plainWords(name) === "")
    .map(({ name }) => ({
      code: "wordless_name",
      message: `The status "${name}" of ${graph.name} has no word in its name, so it is called by its column or its place.`,
      fix: "Give it a word on the board.",
    }));
}

/** A move that some ticket showed to be open, and the name of the status it leads to. */
export interface SeenMove {
  readonly move: Move;
  readonly to: string;
}

/** What these moves ask for that cannot be said: people, whom nobody can match by name, and what only the board takes. */
export function fieldWarnings(seen: readonly SeenMove[]): readonly Problem[] {
  const found = new Map<string, Problem>();
  for (const { move, to } of seen) {
    for (const { name, type, required } of move.fields) {
      const problem = required ? fieldWarning(type, name, to) : undefined;
      if (problem !== undefined) found.set(problem.message, problem);
    }
  }
  return [...found.values()];
}

function fieldWarning(type: string, name: string, to: string): Problem | undefined {
  if (type === "user")
    return {
      code: "person_field",
      message: `Moving to ${to} asks for ${name}, a person, and people are not matched by name.`,
      fix: "Give the id of the person's account on the board, or make this move there.",
    };
  if (type === "unsupported")
    return {
      code: "board_field",
      message: `Moving to ${to} asks for ${name}, which only the board itself can take.`,
      fix: "Make this move on the board, or let the field be optional there.",
    };
  return undefined;
}

export function roomWarnings(fresh: number, room: number): readonly Problem[] {
  if (fresh <= room) return [];
  return [
    {
      code: NO_ROOM,
      message: `The board has ${fresh} new tickets, and this team has room for ${room} more, so the others would be left out.`,
      fix: "Connect less of the board, or ask the operator for more (BOARDWALK_TENANT_TICKETS).",
    },
  ];
}
