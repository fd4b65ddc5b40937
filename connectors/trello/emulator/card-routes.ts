import type { Express, Request, Response } from "express";
import { type Access, permitted } from "./auth.js";
import { actionFilter } from "./board-routes.js";
import { fieldsOf, flag, parameter, refuse } from "./http.js";
import { isId } from "./ids.js";
import type { Lookup } from "./lookup.js";
import { renderAction, renderCard, renderList } from "./render.js";
import type { Card, List, World } from "./world.js";

/** Cards and their comments. */

export function addCardRoutes(app: Express, world: World, lookup: Lookup, access: Access): void {
  app.get("/1/cards/:id", (request, response) => {
    const card = lookup.card(request, response, "read");
    if (card === undefined) return;
    const list = flag(request, "list") === true ? { list: renderList(card.list) } : {};
    response.json({ ...renderCard(card, fieldsOf(request)), ...list });
  });
  app.put("/1/cards/:id", (request, response) => {
    const card = lookup.card(request, response, "write");
    if (card !== undefined) updateCard(world, access, card, request, response);
  });
  app.delete("/1/cards/:id", (request, response) => {
    const card = lookup.card(request, response, "write");
    if (card === undefined) return;
    world.deleteCard(card, world.me);
    response.json({ limits: {} });
  });
  app.post("/1/cards", (request, response) => {
    const list = world.lists.get(parameter(request, "idList") ?? "");
    if (list === undefined) return refuse(response, 400, "invalid value for idList");
    if (!permitted(world, access, list.board, response, "write")) return;
    const seed = { title: parameter(request, "name") ?? "", list: list.id };
    response.json(renderCard(world.addCard(list.board, seed, world.me), "all"));
  });
  app.post("/1/cards/:id/actions/comments", (request, response) => {
    const card = lookup.card(request, response, "write");
    if (card === undefined) return;
    const text = parameter(request, "text") ?? "";
    if (text === "") return refuse(response, 400, "invalid value for text");
    response.json(renderAction(world.commentOn(card, text, world.me)));
  });
  app.get("/1/cards/:id/actions", (request, response) => {
    const card = lookup.card(request, response, "read");
    if (card === undefined) return;
    const wanted = actionFilter(parameter(request, "filter") ?? "commentCard,updateCard:idList");
    const own = world.actions.filter((action) => action.models.includes(card.id) && wanted(action));
    response.json(own.reverse().slice(0, 50).map(renderAction));
  });
}

function updateCard(world: World, access: Access, card: Card, request: Request, response: Response): void {
  const to = targetOf(world, card, request);
  if (typeof to === "string") {
    refuse(response, 400, to);
    return;
  }
  const other = to !== undefined && to.board !== card.list.board;
  if (other && !permitted(world, access, to.board, response, "write")) return;
  const [name, desc, closed] = [
    parameter(request, "name"),
    parameter(request, "desc"),
    flag(request, "closed"),
  ];
  const change = { ...(name === undefined ? {} : { name }), ...(desc === undefined ? {} : { desc }) };
  if (Object.keys(change).length > 0) world.editCard(card, change, world.me);
  if (closed !== undefined && closed !== card.closed) world.editCard(card, { closed }, world.me);
  // What the write did; where a rule of the board then took the card, only a later read tells.
  const answered = to === undefined ? undefined : { ...card, list: to };
  if (other) world.moveCardToBoard(card, to, world.me);
  else if (to !== undefined && to !== card.list) world.moveCard(card, to, world.me);
  const pos = parameter(request, "pos");
  if (pos !== undefined && to === undefined) world.repositionCard(card, placeOf(pos, world, card), world.me);
  const { lastActivity } = card;
  response.json(renderCard(answered === undefined ? card : { ...answered, lastActivity }, "all"));
}

/** The list a card is sent to; the refusal of one that is not on the board it is sent to. */
function targetOf(world: World, card: Card, request: Request): List | string | undefined {
  const [idList, idBoard] = [parameter(request, "idList"), parameter(request, "idBoard")];
  const board = idBoard === undefined ? card.list.board : world.boardOf(idBoard);
  if (board === undefined) return "invalid value for idBoard";
  if (idList === undefined) return idBoard === undefined ? undefined : world.listsOf(board)[0];
  const list = isId(idList) ? world.lists.get(idList) : undefined;
  return list?.board === board ? list : "invalid value for idList";
}

function placeOf(pos: string, world: World, card: Card): number {
  if (pos === "top") return 1;
  return pos === "bottom" ? world.bottomOf(card.list) : Number(pos);
}
