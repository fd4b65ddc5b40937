import { describe, expect, it } from "vitest";
import { actionShape, deliveryShape } from "../../connectors/trello/shapes.js";
import { hintsFrom } from "../../connectors/trello/webhook.js";

const SITE = "0a1b2c3d";
const CARD = "627bc1e708099f5b7124c099";
const [FROM, TO] = ["627bc1c16397f33d596253c0", "5dd692ca0897377466449231"];
const BY = "5da3f38080e88b1af8e8ff86";

/** Shaped as Trello sends it, with more than we read. */
function action(type: string, data: Readonly<Record<string, unknown>>) {
  const board = { id: "5dd692c956a9247b4140e18b", name: "House", shortLink: "szHdDf00" };
  const card = { id: CARD, name: "Repair it", idShort: 26, shortLink: "cs179j1u", idList: TO };
  return actionShape.parse({
    id: "63712c0f23c9cc02ffa935ef",
    idMemberCreator: BY,
    data: { card, board, ...data },
    appCreator: null,
    type,
    date: "2022-11-13T17:40:31.715Z",
    limits: null,
    display: { translationKey: "unknown", entities: {} },
    memberCreator: { id: BY, username: "colleague" },
  });
}

const ticket = { kind: "ticket", ticket: `trello.${SITE}.${CARD}`, by: BY };
const lists = { listBefore: { id: FROM, name: "To Do" }, listAfter: { id: TO, name: "Done" } };

describe("what a Trello action suggests", () => {
  it.each<[string, string, Readonly<Record<string, unknown>>, readonly unknown[]]>([
    ["a move", "updateCard", { old: { idList: FROM }, ...lists }, [ticket]],
    ["a place within the list", "updateCard", { old: { pos: 1 } }, []],
    [
      "a place within the list, both named",
      "updateCard",
      { old: { pos: 1 }, listBefore: { id: TO }, listAfter: { id: TO } },
      [],
    ],
    ["archiving", "updateCard", { old: { closed: false } }, [ticket]],
    ["bringing back", "updateCard", { old: { closed: true } }, [ticket]],
    ["a new name", "updateCard", { old: { name: "Old" } }, [ticket]],
    ["a due date", "updateCard", { old: { due: null } }, []],
    ["no old value at all", "updateCard", {}, []],
    ["a comment", "commentCard", { text: "Hello" }, []],
    ["a new card", "createCard", { list: { id: TO } }, [ticket]],
    ["a card made of a check item", "convertToCardFromCheckItem", { list: { id: TO } }, [ticket]],
    ["a deleted card", "deleteCard", { card: { id: CARD } }, [ticket]],
    ["a card that left", "moveCardFromBoard", { boardTarget: { id: "x" } }, [ticket]],
    ["a card that came", "moveCardToBoard", { boardSource: { id: "x" } }, [ticket]],
    ["a list's place", "updateList", { old: { pos: 1 } }, [{ kind: "workflow" }]],
    ["a list that left", "moveListFromBoard", {}, [{ kind: "workflow" }]],
    ["the board's name", "updateBoard", { old: { name: "x" } }, [{ kind: "workflow" }]],
    ["a lost member", "removeMemberFromBoard", {}, [{ kind: "access" }]],
    ["a kind nobody knows", "somethingNew", {}, []],
    ["an Object's method for a kind", "constructor", {}, []],
    ["a card without an id", "createCard", { card: { name: "x" } }, []],
    ["a card whose id is none", "createCard", { card: { id: "../../members/me" } }, []],
    ["no card", "createCard", { card: null }, []],
  ])("%s", (_what, type, data, hints) => {
    expect(hintsFrom(action(type, data), SITE, undefined)).toEqual(hints);
  });

  it("asks for the lists when the card is in one that is not known", () => {
    const move = action("updateCard", { old: { idList: FROM }, ...lists });
    expect(hintsFrom(move, SITE, new Set([FROM]))).toEqual([{ kind: "workflow" }, ticket]);
    expect(hintsFrom(move, SITE, new Set([FROM, TO]))).toEqual([ticket]);
  });

  it("reads no action out of what is none", () => {
    for (const body of [undefined, {}, { action: {} }, { action: { id: "x", type: "updateCard", date: "" } }])
      expect(deliveryShape.safeParse(body).success).toBe(false);
  });
});
