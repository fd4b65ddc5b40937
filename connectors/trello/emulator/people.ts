import type { CardSeed, ListSeed } from "./seed.js";
import { type Board, type Card, first, type List, type World } from "./world.js";

/** What people do on the board by hand. Each sends the webhooks Trello would. Cards and lists are named by id or name. */
export interface People {
  addCard(seed: CardSeed): Card;
  moveCard(card: string, list: string): void;
  /** Drags it within its list. */
  repositionCard(card: string, pos: number): void;
  editCard(card: string, change: { readonly name?: string; readonly desc?: string }): void;
  archiveCard(card: string, archived?: boolean): void;
  deleteCard(card: string): void;
  /** To a list of another board. */
  moveCardToBoard(card: string, board: string, list: string): void;
  addList(seed: ListSeed): List;
  renameList(list: string, name: string): void;
  archiveList(list: string, archived?: boolean): void;
  reorderList(list: string, pos: number): void;
  /** With its cards. */
  moveListToBoard(list: string, board: string): void;
  renameBoard(name: string): void;
  closeBoard(closed?: boolean): void;
  /** Cards that arrive in `list` are taken on to `thenTo`. */
  addRule(list: string, thenTo: string): void;
  /** Takes the token's account off the board, or makes it an observer; "normal" gives all back. */
  setMembership(memberType: "none" | "observer" | "normal" | "admin"): void;
}

export function createPeople(world: World): People {
  const board = () => first(world.boards);
  const by = world.someoneElse;
  return {
    ...createCardPeople(world, board),
    addList: (seed) => world.addList(board(), seed, by),
    renameList: (list, name) => world.editList(world.listNamed(board(), list), { name }, by),
    archiveList: (list, closed = true) => world.editList(world.listNamed(board(), list), { closed }, by),
    reorderList: (list, pos) => world.editList(world.listNamed(board(), list), { pos }, by),
    moveListToBoard: (list, to) =>
      world.moveListToBoard(world.listNamed(board(), list), boardNamed(world, to), by),
    renameBoard: (name) => world.editBoard(board(), { name }, by),
    closeBoard: (closed = true) => world.editBoard(board(), { closed }, by),
    addRule: (list, thenTo) =>
      void world.rules.set(world.listNamed(board(), list).id, world.listNamed(board(), thenTo).id),
    setMembership(memberType) {
      const { memberships } = board();
      if (memberType === "none") memberships.delete(world.me.id);
      else memberships.set(world.me.id, { id: world.me.id, memberType });
    },
  };
}

function createCardPeople(world: World, board: () => Board) {
  const by = world.someoneElse;
  const cardNamed = (nameOrId: string): Card => {
    const byName = () => [...world.cards.values()].find((card) => card.name === nameOrId);
    const found = world.cardOf(nameOrId) ?? byName();
    if (found === undefined) throw new Error(`The emulated board has no card "${nameOrId}".`);
    return found;
  };
  return {
    addCard: (seed: CardSeed) => world.addCard(board(), seed, by),
    moveCard: (card: string, list: string) =>
      world.moveCard(cardNamed(card), world.listNamed(board(), list), by),
    repositionCard: (card: string, pos: number) => world.repositionCard(cardNamed(card), pos, by),
    editCard: (card: string, change: { readonly name?: string; readonly desc?: string }) =>
      world.editCard(cardNamed(card), change, by),
    archiveCard: (card: string, closed = true) => world.editCard(cardNamed(card), { closed }, by),
    deleteCard: (card: string) => world.deleteCard(cardNamed(card), by),
    moveCardToBoard(card: string, other: string, list: string) {
      const to = boardNamed(world, other);
      world.moveCardToBoard(cardNamed(card), world.listNamed(to, list), by);
    },
  };
}

function boardNamed(world: World, nameOrId: string): Board {
  const found = world.boardOf(nameOrId) ?? world.boards.find((board) => board.name === nameOrId);
  if (found === undefined) throw new Error(`The emulated Trello has no board "${nameOrId}".`);
  return found;
}
