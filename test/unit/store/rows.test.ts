import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeActor, decodeHistory, encodeActor, encodeHistory } from "../../../src/store/codec.js";
import {
  actorRecord,
  historyEvent,
  pendingMove,
  settledMove,
  speaker,
  ticketRecord,
} from "../../../src/store/records.js";
import { COLUMNS } from "../../../src/store/rows.js";

/** Tickets and histories as rows: nothing is lost on the way, and what is at rest keeps its place. */

describe("the columns", () => {
  it.each([
    ["speaker", speaker],
    ["history", historyEvent],
    ["ticket", ticketRecord],
    ["pending", pendingMove],
    ["settled", settledMove],
    ["actor", actorRecord.omit({ version: true })],
  ] as const)("of a %s are all that it has", (name, schema) => {
    expect([...COLUMNS[name]].sort()).toEqual(Object.keys(schema.shape).sort());
  });

  it("stand where they always stood: a new one comes last", () => {
    expect(COLUMNS).toMatchInlineSnapshot(`
      {
        "actor": [
          "ticket",
          "entry",
          "lastMove",
          "context",
          "hooks",
          "pending",
          "lastConfirmed",
          "flips",
          "bouncing",
        ],
        "history": [
          "at",
          "kind",
          "by",
          "from",
          "to",
          "outcome",
          "moveId",
          "message",
          "hook",
          "already",
        ],
        "pending": [
          "moveId",
          "to",
          "by",
          "from",
          "since",
          "via",
          "fields",
          "comment",
          "heardStatus",
          "writes",
          "wroteAt",
          "wroteOver",
        ],
        "settled": [
          "moveId",
          "outcome",
          "to",
          "from",
          "by",
          "at",
          "entry",
          "already",
          "movedOn",
          "code",
          "message",
          "data",
        ],
        "speaker": [
          "person",
          "client",
          "tool",
        ],
        "ticket": [
          "id",
          "key",
          "title",
          "connection",
          "workflow",
          "status",
          "updatedAt",
          "ref",
          "changedBy",
          "formerKeys",
          "branches",
          "archived",
          "detached",
          "unmapped",
          "immovable",
        ],
      }
    `);
  });
});

const text = fc.string({ maxLength: 9 });
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
/** An object of these parts, without those that are absent. */
const shape = (parts: Record<string, fc.Arbitrary<unknown>>) =>
  fc
    .record(parts)
    .map((filled) => Object.fromEntries(Object.entries(filled).filter(([, part]) => part !== undefined)));
const free = fc.dictionary(
  fc.string({ minLength: 1, maxLength: 5 }).filter((key) => key !== "__proto__"),
  fc.jsonValue().map((value): unknown => JSON.parse(JSON.stringify(value))),
);
const by = shape({ person: text, client: maybe(text), tool: maybe(text) });

const settled = shape({
  ...{
    moveId: text,
    outcome: fc.constantFrom("confirmed", "refused", "unknown"),
    to: text,
    from: text,
    by,
    at: text,
  },
  ...{ entry: maybe(fc.nat()), already: maybe(fc.boolean()), movedOn: maybe(fc.boolean()) },
  ...{ code: maybe(text), message: maybe(text), data: maybe(free) },
});
const record = shape({
  version: fc.nat(),
  ticket: shape({
    ...{
      id: text,
      key: maybe(text),
      title: text,
      connection: text,
      workflow: text,
      status: text,
      updatedAt: text,
    },
    ...{
      archived: maybe(fc.boolean()),
      branches: maybe(fc.array(text)),
      ref: maybe(fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), text)),
    },
  }),
  ...{ context: free, entry: fc.nat(), hooks: fc.constant([]), lastMove: maybe(settled) },
  lastConfirmed: maybe(settled.map((move) => ({ ...move, outcome: "confirmed" }))),
  pending: maybe(
    shape({
      moveId: text,
      to: text,
      by,
      from: text,
      since: text,
      fields: maybe(free),
      writes: maybe(fc.nat()),
    }),
  ),
});
const event = shape({
  ...{
    at: text,
    kind: fc.constantFrom("asked", "moved", "hook"),
    by: maybe(by),
    from: maybe(text),
    to: maybe(text),
  },
  ...{ outcome: maybe(text), hook: maybe(text), moveId: maybe(text), already: maybe(fc.boolean()) },
});

describe("what is written as rows", () => {
  it("is read as it was", () => {
    fc.assert(
      fc.property(record, (given) => {
        const kept = actorRecord.parse(given);
        const read = decodeActor(`${kept.version} ${encodeActor(kept)}`, "t");
        // A last move that the board confirmed is the last confirmed one, whether or not that was written down.
        const { lastMove } = kept;
        const confirmed =
          lastMove?.outcome === "confirmed" && !lastMove.already ? { lastConfirmed: lastMove } : {};
        expect(read).toEqual({ ...confirmed, ...kept, ...sameMove(kept) });
      }),
    );
    fc.assert(
      fc.property(event, (given) => {
        const kept = historyEvent.parse(given);
        expect(decodeHistory(encodeHistory(kept), "t")).toEqual(kept);
      }),
    );
  });
});

/** Two moves of one id are one move. */
function sameMove({ lastMove, lastConfirmed }: ReturnType<typeof actorRecord.parse>): object {
  const one =
    lastMove?.outcome === "confirmed" && !lastMove.already && lastMove.moveId === lastConfirmed?.moveId;
  return one ? { lastConfirmed: lastMove } : {};
}
