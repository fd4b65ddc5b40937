import type { Request } from "express";
import { parameter } from "./http.js";
import { isId, secondsOf } from "./ids.js";

/**
 * Pages as Trello makes them: the newest of what is asked for, and `before` and `since` read as times to the second,
 * also where they are given as ids (https://github.com/trello-archive/api-docs/issues/68). Order is kept.
 */
export function page<T extends { readonly id: string }>(
  request: Request,
  items: readonly T[],
  most = 1_000,
): T[] {
  const before = seconds(parameter(request, "before"));
  const since = seconds(parameter(request, "since"));
  const limit = Math.min(Number(parameter(request, "limit") ?? most) || most, most);
  const inRange = items.filter(({ id }) => {
    const made = secondsOf(id);
    return (before === undefined || made < before) && (since === undefined || made >= since);
  });
  if (inRange.length <= limit) return inRange;
  const newest = new Set(inRange.toSorted((a, b) => (a.id < b.id ? 1 : -1)).slice(0, limit));
  return inRange.filter((item) => newest.has(item));
}

function seconds(idOrDate: string | undefined): number | undefined {
  if (idOrDate === undefined || idOrDate === "") return undefined;
  if (isId(idOrDate)) return secondsOf(idOrDate);
  const at = Date.parse(idOrDate);
  return Number.isNaN(at) ? undefined : Math.floor(at / 1000);
}
