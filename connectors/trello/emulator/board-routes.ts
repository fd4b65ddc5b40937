import type { Express } from "express";
import { fieldsOf, parameter, refuse } from "./http.js";
import type { Lookup } from "./lookup.js";
import { page } from "./paging.js";
import {
  renderAction,
  renderBoard,
  renderCard,
  renderList,
  renderMember,
  renderMemberships,
} from "./render.js";
import type { Action, Board, Card, List, World } from "./world.js";

/** Boards, with their lists, cards, members and actions; and the lists themselves. */

export function addBoardRoutes(app: Express, world: World, lookup: Lookup): void {
  app.get("/1/boards/:id", (request, response) => {
    const board = lookup.board(request, response, "read");
    if (board !== undefined) response.json(renderBoard(board, fieldsOf(request)));
  });
  app.put("/1/boards/:id", (request, response) => {
    const board = lookup.board(request, response, "write");
    if (board === undefined) return;
    const [name, closed] = [parameter(request, "name"), parameter(request, "closed")];
    if (name !== undefined) world.editBoard(board, { name }, world.me);
    if (closed !== undefined) world.editBoard(board, { closed: closed === "true" }, world.me);
    response.json(renderBoard(board, "all"));
  });
  app.get("/1/boards/:id/lists{/:filter}", (request, response) => {
    const board = lookup.board(request, response, "read");
    if (board === undefined) return;
    const filter = request.params.filter ?? parameter(request, "filter") ?? "open";
    const lists = filtered(world.listsOf(board), String(filter));
    if (lists === undefined) return refuse(response, 400, "invalid value for filter");
    response.json(lists.map((list) => renderList(list, fieldsOf(request))));
  });
  app.get("/1/boards/:id/cards{/:filter}", (request, response) => {
    const board = lookup.board(request, response, "read");
    if (board === undefined) return;
    const filter = request.params.filter ?? parameter(request, "filter") ?? "visible";
    const cards = filteredCards(world.cardsOf(board), String(filter));
    if (cards === undefined) return refuse(response, 400, "invalid value for filter");
    response.json(page(request, cards).map((card) => renderCard(card, fieldsOf(request))));
  });
  app.get("/1/boards/:id/memberships", (request, response) => {
    const board = lookup.board(request, response, "read");
    if (board !== undefined) response.json(renderMemberships(board));
  });
  app.get("/1/boards/:id/members", (request, response) => {
    const board = lookup.board(request, response, "read");
    if (board === undefined) return;
    response.json(world.members.filter((member) => board.memberships.has(member.id)).map(renderMember));
  });
  app.get("/1/boards/:id/actions", (request, response) => {
    const board = lookup.board(request, response, "read");
    if (board === undefined) return;
    const wanted = actionFilter(parameter(request, "filter"));
    const actions = world.actions.filter((action) => action.board === board && wanted(action)).reverse();
    // Fifty where nothing is said, unlike cards.
    const asked = parameter(request, "limit") === undefined ? 50 : 1_000;
    response.json(page(request, actions, asked).map(renderAction));
  });
}

function filtered(lists: readonly List[], filter: string): readonly List[] | undefined {
  if (filter === "all") return lists;
  if (filter === "none") return [];
  if (filter !== "open" && filter !== "closed") return undefined;
  return lists.filter((list) => list.closed === (filter === "closed"));
}

function filteredCards(cards: readonly Card[], filter: string): readonly Card[] | undefined {
  if (filter === "all") return cards;
  if (filter === "none") return [];
  if (filter === "visible") return cards.filter((card) => !card.closed && !card.list.closed);
  // Archiving a list leaves its cards open.
  if (filter === "open") return cards.filter((card) => !card.closed);
  return filter === "closed" ? cards.filter((card) => card.closed) : undefined;
}

/** `updateList:closed` is an update that changed that field. */
export function actionFilter(filter = "all"): (action: Action) => boolean {
  if (filter === "all") return () => true;
  const wanted = filter.split(",").map((part) => part.trim().split(":"));
  return ({ type, data }) => {
    const old = (data.old ?? {}) as Record<string, unknown>;
    return wanted.some(([name, field]) => name === type && (field === undefined || field in old));
  };
}

export function addListRoutes(app: Express, world: World, lookup: Lookup): void {
  app.get("/1/lists/:id", (request, response) => {
    const list = lookup.list(request, response, "read");
    if (list !== undefined) response.json(renderList(list, fieldsOf(request)));
  });
  app.get("/1/lists/:id/cards", (request, response) => {
    const list = lookup.list(request, response, "read");
    if (list === undefined) return;
    const own = world.cardsOf(list.board).filter((card) => card.list === list);
    const cards = filteredCards(own, parameter(request, "filter") ?? "open") ?? own;
    response.json(page(request, cards).map((card) => renderCard(card, fieldsOf(request))));
  });
  app.post("/1/lists", (request, response) => {
    const [name = "", idBoard = ""] = [parameter(request, "name"), parameter(request, "idBoard")];
    const board = world.boardOf(idBoard);
    if (name === "") return refuse(response, 400, "invalid value for name");
    if (board === undefined) return refuse(response, 400, "invalid value for idBoard");
    response.json(renderList(world.addList(board, { name }, world.me)));
  });
  app.put("/1/lists/:id", (request, response) => {
    const list = lookup.list(request, response, "write");
    if (list === undefined) return;
    const [name, closed] = [parameter(request, "name"), parameter(request, "closed")];
    if (name !== undefined) world.editList(list, { name }, world.me);
    if (closed !== undefined) world.editList(list, { closed: closed === "true" }, world.me);
    const pos = placeOf(parameter(request, "pos"), world, list.board);
    if (pos !== undefined) world.editList(list, { pos }, world.me);
    response.json(renderList(list));
  });
}

function placeOf(pos: string | undefined, world: World, board: Board): number | undefined {
  if (pos === undefined) return undefined;
  const all = world.listsOf(board).map((list) => list.pos);
  if (pos === "top") return Math.min(...all) / 2;
  return pos === "bottom" ? Math.max(...all) + 65_536 : Number(pos);
}
