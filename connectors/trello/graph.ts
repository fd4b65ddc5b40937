import type { Status, StatusGraph } from "../../src/machine/index.js";
import { workflowId } from "./keys.js";
import type { TrelloBoard, TrelloList } from "./shapes.js";

/** A board's lists as a status graph. Pure. */

/** From left to right, as people see them. */
export function inOrder<T extends Pick<TrelloList, "id" | "pos">>(lists: readonly T[]): readonly T[] {
  return lists.toSorted((a, b) => a.pos - b.pos || (a.id < b.id ? -1 : 1));
}

/** Any list may follow any other: Trello has no edges. An archived list is a target no more. */
export function graphFromBoard(site: string, board: TrelloBoard, all: readonly TrelloList[]): StatusGraph {
  const lists = inOrder(all);
  const open = lists.filter((list) => !list.closed);
  const initial = open[0]?.id;
  return {
    id: workflowId(site, board.id),
    name: board.name,
    ...(initial === undefined ? {} : { initial }),
    statuses: lists.map((list, order) => statusFrom(list, order, open)),
    moves: open.map(({ id }) => ({ id, from: "*", to: id })),
    edges: "implied",
  };
}

/** Trello has no categories, and a name such as "Done" proves nothing about what a team means by it. */
function statusFrom(list: TrelloList, order: number, open: readonly TrelloList[]): Status {
  return {
    id: list.id,
    name: list.name,
    category: "unknown",
    order,
    aliases: aliasesOf(list, open),
    ...(list.closed ? { retired: true } : {}),
  };
}

/** A name that nobody can say, of emoji or of nothing at all, is said by its place from the left. */
function aliasesOf(list: TrelloList, open: readonly TrelloList[]): readonly string[] {
  const place = open.indexOf(list) + 1;
  if (place === 0 || /[\p{L}\p{N}]/u.test(list.name)) return [];
  return [`list ${place}`, `column ${place}`];
}
