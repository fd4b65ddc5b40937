import type { Action, Board, Card, List, Member, World } from "./world.js";

/** The emulated state in Trello's own shapes, with the fields that were asked for. */

export type Fields = readonly string[] | "all";

/** Whatever is asked for, the id is there. */
function chosen(all: Readonly<Record<string, unknown>>, fields: Fields): Record<string, unknown> {
  if (fields === "all") return { ...all };
  return Object.fromEntries(Object.entries(all).filter(([name]) => name === "id" || fields.includes(name)));
}

export function renderBoard(board: Board, fields: Fields): Record<string, unknown> {
  const all = {
    id: board.id,
    name: board.name,
    desc: "",
    closed: board.closed,
    pinned: false,
    url: `https://trello.com/b/${board.shortLink}/${slug(board.name)}`,
    shortUrl: `https://trello.com/b/${board.shortLink}`,
    shortLink: board.shortLink,
    prefs: { permissionLevel: "org", voting: "disabled", comments: "members", invitations: "members" },
    starred: false,
  };
  return chosen(all, fields);
}

export function renderList(list: List, fields: Fields = "all"): Record<string, unknown> {
  const all = {
    id: list.id,
    name: list.name,
    closed: list.closed,
    idBoard: list.board.id,
    pos: list.pos,
    subscribed: false,
  };
  return chosen(all, fields);
}

export function renderCard(card: Card, fields: Fields): Record<string, unknown> {
  const all = {
    id: card.id,
    closed: card.closed,
    dateLastActivity: card.lastActivity.toISOString(),
    desc: card.desc,
    due: null,
    idBoard: card.list.board.id,
    idChecklists: [],
    idLabels: [],
    idList: card.list.id,
    idMembers: [],
    idShort: card.idShort,
    labels: [],
    name: card.name,
    pos: card.pos,
    shortLink: card.shortLink,
    shortUrl: `https://trello.com/c/${card.shortLink}`,
    subscribed: false,
    url: `https://trello.com/c/${card.shortLink}/${card.idShort}-${slug(card.name)}`,
    cardRole: card.cardRole,
  };
  return chosen(all, fields);
}

export function renderMember({ id, username, fullName }: Member): Record<string, unknown> {
  return { id, username, fullName, initials: fullName.slice(0, 1), url: `https://trello.com/${username}` };
}

export function renderAction({ id, by, data, type, date }: Action): Record<string, unknown> {
  return {
    id,
    idMemberCreator: by.id,
    data,
    type,
    date: date.toISOString(),
    memberCreator: renderMember(by),
  };
}

export function renderMemberships(board: Board): Record<string, unknown>[] {
  return [...board.memberships].map(([idMember, { id, memberType }]) => ({
    id,
    idMember,
    memberType,
    unconfirmed: false,
    deactivated: false,
  }));
}

/** A webhook's body: what happened, and the model it watches as it is now. */
export function renderDelivery(world: World, action: Action, idModel: string): Record<string, unknown> {
  const list = world.lists.get(idModel);
  const card = world.cards.get(idModel);
  const model = card ? renderCard(card, "all") : list ? renderList(list) : renderBoard(action.board, "all");
  return { model, action: renderAction(action) };
}

function slug(text: string): string {
  return encodeURIComponent(text.toLowerCase().replace(/\s+/g, "-"));
}
