import { describe, expect, it } from "vitest";
import { graphFromBoard } from "../../connectors/trello/graph.js";
import { boardInText, cardIdOf, ticketId } from "../../connectors/trello/keys.js";
import { isTicket, mapMoves, mapTicket } from "../../connectors/trello/map.js";
import { tokenProblems } from "../../connectors/trello/probe.js";
import type { TrelloCard, TrelloList } from "../../connectors/trello/shapes.js";

const SITE = "0a1b2c3d";
const BOARD = "5abbe4b7ddc1b351ef961414";
const idOf = (n: number) => `5abbe4b7ddc1b351ef96150${n}`;

function list(n: number, change: Partial<TrelloList> = {}): TrelloList {
  return { id: idOf(n), name: `List ${n}`, closed: false, pos: n * 1000.5, idBoard: BOARD, ...change };
}

const card: TrelloCard = {
  id: "5abbe4b7ddc1b351ef961600",
  idShort: 12,
  name: "Repair the coffee machine",
  idList: idOf(1),
  idBoard: BOARD,
  closed: false,
  dateLastActivity: "2026-11-29T10:00:00.123Z",
};

describe("a Trello board as a graph", () => {
  const board = { id: BOARD, name: "House", closed: false };

  it("keeps lists of one name, and of one place, apart and in a steady order", () => {
    const lists = [list(2, { name: "Same", pos: 1 }), list(1, { name: "Same", pos: 1 })];
    const graph = graphFromBoard(SITE, board, lists);
    expect(graph.statuses.map(({ id, name }) => [id, name])).toEqual([
      [idOf(1), "Same"],
      [idOf(2), "Same"],
    ]);
    expect(graphFromBoard(SITE, board, lists.toReversed())).toEqual(graph);
  });

  it("starts nowhere when every list is archived", () => {
    const graph = graphFromBoard(SITE, board, [list(1, { closed: true })]);
    expect(graph).not.toHaveProperty("initial");
    expect(graph.moves).toEqual([]);
    expect(graph.statuses).toMatchObject([{ retired: true, aliases: [] }]);
  });

  it("counts places without the archived lists, which nobody sees", () => {
    const lists = [list(1, { closed: true, name: "🪦" }), list(2, { name: "🚀" }), list(3, { name: "" })];
    expect(graphFromBoard(SITE, board, lists).statuses.map(({ aliases }) => aliases)).toEqual([
      [],
      ["list 1", "column 1"],
      ["list 2", "column 2"],
    ]);
  });
});

describe("a Trello card as a ticket", () => {
  it("has the number people see for a key, and no ending for a list that is archived", () => {
    expect(mapTicket(card, false, SITE)).toEqual({
      id: `trello.${SITE}.${card.id}`,
      key: "card-12",
      title: "Repair the coffee machine",
      workflow: `trello.${SITE}.${BOARD}`,
      status: idOf(1),
      updatedAt: "2026-11-29T10:00:00.123Z",
      ref: { board: BOARD },
    });
    expect(mapTicket(card, true, SITE)).toMatchObject({ archived: true, status: idOf(1) });
    expect(mapTicket({ ...card, closed: true }, false, SITE)).toMatchObject({ archived: true });
  });

  it.each([null, undefined, "", "yesterday"])(
    "last changed when it was made where Trello says %j",
    (told) => {
      const made = new Date(0x5abbe4b7 * 1000).toISOString();
      expect(mapTicket({ ...card, dateLastActivity: told }, false, SITE).updatedAt).toBe(made);
    },
  );

  it("is none when it only looks like a card", () => {
    expect([undefined, null, ""].map((cardRole) => isTicket({ cardRole }))).toEqual([true, true, true]);
    expect(["separator", "mirror", "link", "board"].map((cardRole) => isTicket({ cardRole }))).toEqual(
      Array(4).fill(false),
    );
  });

  it("may go to every other list that is not archived, in the board's order", () => {
    const lists = [list(3), list(1), list(2, { closed: true }), list(4)];
    const moves = mapMoves({ status: idOf(1) }, lists);
    expect(moves.map(({ id, to, name }) => [id, to, name])).toEqual([
      [idOf(3), idOf(3), "List 3"],
      [idOf(4), idOf(4), "List 4"],
    ]);
    expect(mapMoves({ status: idOf(1), archived: true }, lists)).toEqual([]);
  });
});

describe("Trello ids", () => {
  it("are read back from ours, of the same site only", () => {
    expect(cardIdOf(SITE, ticketId(SITE, card.id))).toBe(card.id);
    for (const id of [`trello.ffffffff.${card.id}`, `trello.${SITE}.${card.id.toUpperCase()}`, card.id])
      expect(() => cardIdOf(SITE, id), id).toThrow(expect.objectContaining({ code: "invalid" }));
  });

  it.each([
    [BOARD, BOARD],
    ["dQHqCohZ", "dQHqCohZ"],
    ["https://trello.com/b/dQHqCohZ", "dQHqCohZ"],
    ["https://trello.com/b/dQHqCohZ/trello-platform-changelog?menu=filter", "dQHqCohZ"],
    ["https://trello.com/c/dQHqCohZ", undefined],
    ["https://trello.com.evil.example/b/dQHqCohZ", undefined],
    ["dQHqCoh/", undefined],
    ["me", undefined],
  ])("of a board are found in %s", (text, board) => {
    expect(boardInText(text)).toBe(board);
  });
});

describe("a Trello token", () => {
  const now = new Date("2026-11-30T00:00:00Z");
  const token = (modelType: string, write: boolean, dateExpires: string | null = null) => ({
    idMember: BOARD,
    dateExpires,
    permissions: [{ idModel: "*", modelType, read: true, write }],
  });

  it.each(["board", "Board"])("may write when it may write to a %s", (modelType) => {
    expect(tokenProblems(token(modelType, true), now)).toEqual([]);
    expect(tokenProblems(token(modelType, false), now)).toMatchObject([{ code: "forbidden" }]);
  });

  it("may not write to boards when it may write to its member only", () => {
    expect(tokenProblems(token("member", true), now)).toMatchObject([{ code: "forbidden" }]);
  });

  it.each([
    ["2026-11-30T05:00:00Z", "within a day"],
    ["2026-12-02T12:00:00Z", "in 3 days"],
  ])("that expires at %s is told of", (dateExpires, words) => {
    const [problem] = tokenProblems(token("board", true, dateExpires), now);
    expect(problem).toMatchObject({ code: "expires_soon", message: expect.stringContaining(words) });
  });
});
