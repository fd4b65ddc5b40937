/**
 * Tickets and their histories at rest as rows: values in a fixed order, without the keys, which would else be half of
 * what a hundred thousand tickets take up. A new key is a new column at the end; the order never changes.
 */

export const COLUMNS = {
  speaker: ["person", "client", "tool"],
  history: ["at", "kind", "by", "from", "to", "outcome", "moveId", "message", "hook", "already"],
  ticket: [
    ...["id", "key", "title", "connection", "workflow", "status", "updatedAt", "ref", "changedBy"],
    ...["formerKeys", "branches", "archived", "detached", "unmapped", "immovable"],
  ],
  pending: [
    ...["moveId", "to", "by", "from", "since", "via", "fields", "comment", "heardStatus"],
    ...["writes", "wroteAt", "wroteOver"],
  ],
  settled: [
    ...["moveId", "outcome", "to", "from", "by", "at", "entry", "already", "movedOn"],
    ...["code", "message", "data"],
  ],
  actor: ["ticket", "entry", "lastMove", "context", "hooks", "pending", "lastConfirmed", "flips", "bouncing"],
} as const satisfies Record<string, readonly string[]>;

type Content = Readonly<Record<string, unknown>>;

/** @throws TypeError for what has no keys. What is absent at the end of a row is left out; between others it is `null`. */
function toRow(columns: readonly string[], content: unknown): unknown[] {
  if (typeof content !== "object" || content === null) throw new TypeError("not a record");
  const row = columns.map((column) => (content as Content)[column]);
  while (row.length > 0 && row.at(-1) === undefined) row.pop();
  return row;
}

/** What is no row has nothing in it, and whoever parses it says what is missing. */
function fromRow(columns: readonly string[], row: unknown): Content {
  const cells: readonly unknown[] = Array.isArray(row) ? row : [];
  const filled = columns.map((column, i) => [column, cells[i]] as const).filter(([, cell]) => cell != null);
  return Object.fromEntries(filled);
}

/** `content` with what `change` makes of the part under `key`, where there is one. */
function within(content: Content, key: string, change: (part: unknown) => unknown): Content {
  return content[key] === undefined ? content : { ...content, [key]: change(content[key]) };
}

/** A part said by somebody, as a row and back. */
const toSaid = (columns: readonly string[]) => (part: unknown) =>
  toRow(
    columns,
    within(part as Content, "by", (by) => toRow(COLUMNS.speaker, by)),
  );
const fromSaid = (columns: readonly string[]) => (row: unknown) =>
  within(fromRow(columns, row), "by", (by) => fromRow(COLUMNS.speaker, by));

const MOVES = [
  ["pending", COLUMNS.pending],
  ["lastMove", COLUMNS.settled],
  ["lastConfirmed", COLUMNS.settled],
] as const;

export const historyRow = toSaid(COLUMNS.history);
export const historyFrom = fromSaid(COLUMNS.history);

export function actorRow(record: unknown): unknown[] {
  const named = within(record as Content, "ticket", (ticket) => toRow(COLUMNS.ticket, ticket));
  const moves = MOVES.reduce((content, [key, columns]) => within(content, key, toSaid(columns)), named);
  return toRow(COLUMNS.actor, moves);
}

export function actorFrom(row: unknown): Content {
  const named = within(fromRow(COLUMNS.actor, row), "ticket", (ticket) => fromRow(COLUMNS.ticket, ticket));
  return MOVES.reduce((content, [key, columns]) => within(content, key, fromSaid(columns)), named);
}
