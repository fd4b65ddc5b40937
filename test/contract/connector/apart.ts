import { describe, expect, it } from "vitest";
import type { Connector } from "../../../src/board/connector.js";
import { errorOf, type Fresh, moveTo, never, only, pull, withTicket, writes } from "./harness.js";

/** What can be tried on a board as it stands, with one ticket of its own. */
export function describeHostileIds(fresh: Fresh): void {
  describe("hostile ids", () => {
    it("refuses hostile ids before any request", async () => {
      const { harness, connector, ticket } = await withTicket(fresh);
      const start = harness.board.journal.length;
      const suffixes = [
        "/../../myself?x=",
        "/..",
        "?a=b",
        "#x",
        "%2f..",
        " ",
        "\n",
        "\u0000",
        '"',
        "'",
        "\\",
        "{}",
      ];
      const hostile = [
        "",
        ".",
        "..",
        "__proto__",
        "AB-1/../../myself?x=",
        "unknown.0000.1",
        ...suffixes.map((suffix) => `${ticket.id}${suffix}`),
        ...(harness.hostileIds ?? []),
      ];
      for (const id of hostile) {
        expect(await errorOf(connector.readTicket(id, never), harness), id).toMatchObject({
          code: "invalid",
        });
        expect(await errorOf(connector.openMoves({ ...ticket, id }, never), harness)).toMatchObject({
          code: "invalid",
        });
        const both = connector.readWithMoves?.(id, never);
        if (both !== undefined) expect(await errorOf(both, harness)).toMatchObject({ code: "invalid" });
      }
      expect(harness.board.journal.slice(start)).toEqual([]);
    });
  });
}

export function describeKeepingApart(fresh: Fresh): void {
  describe("keeping apart", () => {
    it("never mixes two connections", async () => {
      const [one, two] = [await fresh(), await fresh()];
      await one.board.addTicket("Of the first board");
      await two.board.addTicket("Of the second board");
      const [a, b] = [one.connect(), two.connect()];
      const titles = async (connector: Connector) => (await pull(connector)).map((ticket) => ticket.title);
      for (let round = 0; round < 5; round++) {
        expect(await Promise.all([titles(a), titles(b)])).toEqual([
          ["Of the first board"],
          ["Of the second board"],
        ]);
      }
      const ticket = only(await pull(a));
      const start = two.board.journal.length;
      await a.move(ticket, await moveTo(a, ticket, one.moves.plain.to), {}, never);
      expect(two.board.journal.slice(start)).toEqual([]);
      expect(only(await pull(b)).status).toBe(two.moves.plain.from);
    });

    it("writes nothing for a hostile move id", async () => {
      const { harness, connector, ticket } = await withTicket(fresh);
      const move = await moveTo(connector, ticket, harness.moves.plain.to);
      const start = harness.board.journal.length;
      for (const id of [
        "",
        "../..",
        `${move.id}/..`,
        `${move.id}"`,
        "🚀",
        ...(harness.hostileMoveIds ?? []),
      ]) {
        await errorOf(connector.move(ticket, { ...move, id, to: id }, {}, never), harness);
      }
      expect(writes(harness.board, start)).toBe(0);
    });
  });
}
