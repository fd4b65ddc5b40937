import type { Move, Ticket } from "../board/connector.js";
import type { PendingMove } from "../store/store.js";
import type { Ending } from "./actor.js";
import { fillFields } from "./fields.js";

type Choice =
  | { readonly move: Move; readonly fields: Readonly<Record<string, unknown>> }
  | { readonly ending: Ending };

/** The one edge to take: the speaker's, else the only one whose fields are all there. */
export function choose(seen: Ticket, moves: readonly Move[], pending: PendingMove): Choice {
  const along = moves.filter(
    (move) => move.to === pending.to && (pending.via === undefined || move.id === pending.via),
  );
  if (along.length === 0) {
    const openTo = [...new Set(moves.map((move) => move.to))].filter((to) => to !== seen.status);
    return { ending: { outcome: "refused", code: "no_such_move", data: { openTo } } };
  }
  const filled = along.map((move) => ({ move, ...fillFields(move.fields, pending.fields ?? {}) }));
  const ready = filled.filter((option) => option.missing.length === 0);
  const [only, ...others] = ready;
  if (only === undefined)
    return {
      ending: { outcome: "question", code: "needs_fields", data: { fields: easiest(filled).missing } },
    };
  if (others.length === 0) return { move: only.move, fields: only.values };
  const plain = ready.filter((option) => !option.move.fields.some((field) => field.required));
  if (plain.length === 1 && plain[0] !== undefined) return { move: plain[0].move, fields: plain[0].values };
  const options = ready.map(({ move }) => ({ id: move.id, label: move.name ?? move.id }));
  return { ending: { outcome: "question", code: "conflict", data: { moves: options } } };
}

function easiest<T extends { missing: readonly unknown[] }>(options: readonly T[]): T {
  return options.reduce((best, option) => (option.missing.length < best.missing.length ? option : best));
}
