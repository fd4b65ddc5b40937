import { newId, newShortLink } from "./ids.js";
import type { BoardSeed, CardSeed, ListSeed, MemberSeed, TrelloSeed } from "./seed.js";

/** The state of an emulated Trello, and what happens to it: each change is an action, as on the real board. */

export interface Member {
  readonly id: string;
  readonly username: string;
  readonly fullName: string;
}

export interface Board {
  readonly id: string;
  readonly shortLink: string;
  name: string;
  closed: boolean;
  nextCard: number;
  readonly memberships: Map<string, { readonly id: string; memberType: "admin" | "normal" | "observer" }>;
}

export interface List {
  readonly id: string;
  name: string;
  closed: boolean;
  pos: number;
  board: Board;
}

export interface Card {
  readonly id: string;
  readonly shortLink: string;
  readonly cardRole: string | null;
  idShort: number;
  name: string;
  desc: string;
  closed: boolean;
  pos: number;
  list: List;
  lastActivity: Date;
}

export interface Action {
  readonly id: string;
  readonly type: string;
  readonly date: Date;
  readonly by: Member;
  readonly board: Board;
  readonly data: Readonly<Record<string, unknown>>;
  /** Beside the board, whose webhooks hear of it. */
  readonly models: readonly string[];
}

export class World {
  readonly boards: Board[] = [];
  readonly lists = new Map<string, List>();
  readonly cards = new Map<string, Card>();
  readonly members: Member[] = [];
  readonly actions: Action[] = [];
  /** A rule of the board's: cards that arrive in the one list are taken on to the other. */
  readonly rules = new Map<string, string>();
  readonly now: () => Date;
  readonly #emit: (action: Action) => void;

  constructor(seed: TrelloSeed, now: () => Date, emit: (action: Action) => void) {
    this.now = now;
    this.#emit = emit;
    const me = { username: "boardwalk", fullName: "Boardwalk" };
    for (const member of [me, SOMEONE_ELSE, ...(seed.members ?? [])]) this.#addMember(member);
    for (const board of [seed, ...(seed.otherBoards ?? [])]) this.#addBoard(board, seed.members ?? []);
  }

  get me(): Member {
    return first(this.members);
  }

  get someoneElse(): Member {
    return this.members[1] ?? this.me;
  }

  #addMember({ id, username, fullName = username }: MemberSeed): void {
    this.members.push({ id: id ?? newId(this.now()), username, fullName });
  }

  #addBoard(seed: BoardSeed, members: readonly MemberSeed[]): void {
    const board: Board = {
      id: seed.id ?? newId(this.now()),
      shortLink: seed.shortLink ?? newShortLink(),
      name: seed.name,
      closed: false,
      nextCard: 1,
      memberships: new Map(),
    };
    this.boards.push(board);
    for (const member of this.members) {
      if (member === this.me && seed.member === false) continue;
      const memberType = members.find((each) => each.username === member.username)?.memberType ?? "normal";
      board.memberships.set(member.id, { id: newId(this.now()), memberType });
    }
    for (const list of seed.lists) this.addList(board, list);
    for (const card of seed.cards ?? []) this.addCard(board, card);
  }

  /** `by` left out, it was there before anybody looked: nothing tells of it. */
  addList(board: Board, { id, name, closed = false, pos }: ListSeed, by?: Member): List {
    const last = Math.max(0, ...this.listsOf(board).map((list) => list.pos));
    const list: List = { id: id ?? newId(this.now()), name, closed, pos: pos ?? last + 65_536, board };
    this.lists.set(list.id, list);
    if (by !== undefined) this.tell("createList", by, board, { list: listRef(list) }, [list.id]);
    return list;
  }

  addCard(board: Board, seed: CardSeed, by?: Member): Card {
    const at = this.now();
    const list = this.listNamed(board, seed.list);
    const card: Card = {
      id: seed.id ?? newId(seed.made ?? at),
      shortLink: newShortLink(),
      cardRole: seed.cardRole ?? null,
      idShort: board.nextCard++,
      name: seed.title,
      desc: "",
      closed: seed.closed ?? false,
      pos: this.bottomOf(list),
      list,
      lastActivity: seed.lastActivity ?? at,
    };
    this.cards.set(card.id, card);
    if (by !== undefined) {
      const data = { card: cardRef(card), list: listRef(list) };
      this.tell("createCard", by, board, data, [card.id, list.id]);
    }
    return card;
  }

  boardOf(idOrShortLink: string): Board | undefined {
    return this.boards.find((board) => board.id === idOrShortLink || board.shortLink === idOrShortLink);
  }

  cardOf(idOrShortLink: string): Card | undefined {
    const byId = this.cards.get(idOrShortLink);
    return byId ?? [...this.cards.values()].find((card) => card.shortLink === idOrShortLink);
  }

  listsOf(board: Board): List[] {
    const own = [...this.lists.values()].filter((list) => list.board === board);
    return own.sort((a, b) => a.pos - b.pos);
  }

  /** From left to right and from top to bottom, as they stand on the board. */
  cardsOf(board: Board): Card[] {
    const own = [...this.cards.values()].filter((card) => card.list.board === board);
    return own.sort((a, b) => a.list.pos - b.list.pos || a.pos - b.pos);
  }

  listNamed(board: Board, nameOrId: string): List {
    const byName = () => this.listsOf(board).find((list) => list.name === nameOrId);
    const found = this.lists.get(nameOrId) ?? byName();
    if (found === undefined) throw new Error(`The emulated board has no list "${nameOrId}".`);
    return found;
  }

  bottomOf(list: List): number {
    let last = 0;
    for (const card of this.cards.values()) if (card.list === list && card.pos > last) last = card.pos;
    return last + 65_536;
  }

  /** Takes a card to another list of its own board. */
  moveCard(card: Card, to: List, by: Member, pos = this.bottomOf(to)): void {
    const before = card.list;
    Object.assign(card, { list: to, pos, lastActivity: this.now() });
    this.#tellCard("updateCard", card, by, {
      old: { idList: before.id },
      listBefore: listRef(before),
      listAfter: listRef(to),
    });
    const thenTo = this.lists.get(this.rules.get(to.id) ?? "");
    if (thenTo !== undefined && thenTo !== to) this.moveCard(card, thenTo, this.someoneElse);
  }

  moveCardToBoard(card: Card, to: List, by: Member): void {
    const before = card.list.board;
    const left = { card: cardRef(card), list: listRef(card.list), boardTarget: { id: to.board.id } };
    Object.assign(card, { list: to, pos: this.bottomOf(to), idShort: to.board.nextCard++ });
    card.lastActivity = this.now();
    this.tell("moveCardFromBoard", by, before, left, [card.id]);
    this.#tellCard("moveCardToBoard", card, by, { list: listRef(to), boardSource: { id: before.id } });
  }

  /** The fields that people change on a card, each told as its own old value. */
  editCard(card: Card, change: Partial<Pick<Card, "name" | "desc" | "closed">>, by: Member): void {
    const old = Object.fromEntries(Object.keys(change).map((field) => [field, card[field as "name"]]));
    Object.assign(card, change, { lastActivity: this.now() });
    this.#tellCard("updateCard", card, by, { old, list: listRef(card.list) });
  }

  /** Within its list: told like a change, but the card keeps the time of its last one. */
  repositionCard(card: Card, pos: number, by: Member): void {
    const old = { pos: card.pos };
    card.pos = pos;
    this.#tellCard("updateCard", card, by, { old, list: listRef(card.list) });
  }

  deleteCard(card: Card, by: Member): void {
    this.cards.delete(card.id);
    this.#tellCard("deleteCard", card, by, { list: listRef(card.list) });
  }

  commentOn(card: Card, text: string, by: Member): Action {
    card.lastActivity = this.now();
    return this.#tellCard("commentCard", card, by, { text, list: listRef(card.list) });
  }

  editList(list: List, change: Partial<Pick<List, "name" | "closed" | "pos">>, by: Member): void {
    const old = Object.fromEntries(Object.keys(change).map((field) => [field, list[field as "name"]]));
    Object.assign(list, change);
    this.tell("updateList", by, list.board, { list: listRef(list), old }, [list.id]);
  }

  /** With all its cards. */
  moveListToBoard(list: List, to: Board, by: Member): void {
    const from = list.board;
    list.board = to;
    list.pos = Math.max(0, ...this.listsOf(to).map((each) => each.pos)) + 65_536;
    for (const card of this.cards.values()) if (card.list === list) card.idShort = to.nextCard++;
    const data = { list: listRef(list) };
    this.tell("moveListFromBoard", by, from, { ...data, boardTarget: { id: to.id } }, [list.id]);
    this.tell("moveListToBoard", by, to, { ...data, boardSource: { id: from.id } }, [list.id]);
  }

  editBoard(board: Board, change: Partial<Pick<Board, "name" | "closed">>, by: Member): void {
    const old = Object.fromEntries(Object.keys(change).map((field) => [field, board[field as "name"]]));
    Object.assign(board, change);
    this.tell("updateBoard", by, board, { old }, []);
  }

  #tellCard(type: string, card: Card, by: Member, data: Readonly<Record<string, unknown>>): Action {
    return this.tell(type, by, card.list.board, { card: cardRef(card), ...data }, [card.id, card.list.id]);
  }

  tell(
    type: string,
    by: Member,
    board: Board,
    data: Readonly<Record<string, unknown>>,
    models: readonly string[],
  ): Action {
    const date = this.now();
    const boardRef = { id: board.id, name: board.name, shortLink: board.shortLink };
    const action = { id: newId(date), type, date, by, board, data: { ...data, board: boardRef }, models };
    this.actions.push(action);
    this.#emit(action);
    return action;
  }
}

/** Someone who drags cards by hand. */
const SOMEONE_ELSE: MemberSeed = { username: "colleague", fullName: "Colleague" };

function listRef({ id, name }: List) {
  return { id, name };
}

function cardRef({ id, name, idShort, shortLink, list, closed }: Card) {
  return { id, name, idShort, shortLink, idList: list.id, closed };
}

export function first<T>(items: readonly T[]): T {
  const [item] = items;
  if (item === undefined) throw new Error("The emulated Trello needs at least one of each.");
  return item;
}
