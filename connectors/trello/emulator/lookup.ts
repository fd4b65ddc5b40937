import type { Request, Response } from "express";
import { type Access, permitted } from "./auth.js";
import { NOT_FOUND, refuse } from "./http.js";
import { isId } from "./ids.js";
import type { Board, Card, List, World } from "./world.js";

/** Finds what a path names, or refuses as Trello does: malformed, missing, and not for this account. */

export interface Lookup {
  board(request: Request, response: Response, need: "read" | "write"): Board | undefined;
  list(request: Request, response: Response, need: "read" | "write"): List | undefined;
  card(request: Request, response: Response, need: "read" | "write"): Card | undefined;
}

export function createLookup(world: World, access: Access): Lookup {
  const idOf = (request: Request) => String(request.params.id);

  function found<T>(response: Response, id: string, item: T | undefined): item is T {
    if (item !== undefined) return true;
    const wellFormed = isId(id) || /^[0-9A-Za-z]{8}$/.test(id);
    refuse(response, wellFormed ? 404 : 400, wellFormed ? NOT_FOUND : "invalid id");
    return false;
  }

  return {
    board(request, response, need) {
      const board = world.boardOf(idOf(request));
      if (!found(response, idOf(request), board)) return undefined;
      return permitted(world, access, board, response, need) ? board : undefined;
    },
    list(request, response, need) {
      const list = world.lists.get(idOf(request));
      if (!found(response, idOf(request), list)) return undefined;
      return permitted(world, access, list.board, response, need, "list") ? list : undefined;
    },
    card(request, response, need) {
      const card = world.cardOf(idOf(request));
      if (!found(response, idOf(request), card)) return undefined;
      return permitted(world, access, card.list.board, response, need, "card") ? card : undefined;
    },
  };
}
