import { BoardwalkError } from "../errors.js";
import { type RecordKind, unreadable } from "./records.js";
import { actorRow, historyRow } from "./rows.js";

/** Makes of a record's content, as one format has it, what the next format has. Pure; throws at what it does not know. */
export type Migration = (content: unknown) => unknown;

/**
 * How each kind of record has changed: the first of a kind's migrations makes format 2 of format 1, and so on, so its
 * present format is one more than it has migrations. Applied on reading; a record is kept in the present format from
 * its next save on. What a release may not know and yet not lose (it drops keys that it does not know) is a new format:
 * that release refuses the record and leaves it alone.
 */
export const MIGRATIONS: Readonly<Record<RecordKind, readonly Migration[]>> = {
  // Rows in the place of objects.
  ticket: [actorRow],
  history: [historyRow],
  audit: [],
  tenant: [],
  memory: [],
  note: [],
  "sign-in": [],
  workflow: [],
  connection: [],
  token: [],
  catalogue: [],
  changes: [],
  cursor: [],
  member: [],
  setting: [],
};

/**
 * How a record's content looks at rest: JSON, with `@<format> ` before it from the second format of its kind on. No
 * release takes that for JSON of its own, so one that is older than formats refuses it too.
 */
const MARK = /^@(\d{1,9}) /;

/** Content in the present format of its kind; what JSON has no word for is kept as `null`. */
export function encodeContent(
  kind: RecordKind,
  content: unknown,
  migrations: readonly Migration[] = MIGRATIONS[kind],
): string {
  const json = JSON.stringify(content) ?? "null";
  return migrations.length === 0 ? json : `@${migrations.length + 1} ${json}`;
}

/**
 * Content of any format up to the present one, as the present one has it.
 * @throws BoardwalkError `unavailable` when a newer release wrote it, `internal` when it cannot be read.
 */
export function decodeContent(
  kind: RecordKind,
  id: string,
  stored: string,
  migrations: readonly Migration[] = MIGRATIONS[kind],
): unknown {
  const [mark = "", digits = "1"] = MARK.exec(stored) ?? [];
  const [format, present] = [Number(digits), migrations.length + 1];
  if (format > present) throw tooNew(kind, id, format, present);
  if (format < 1) throw unreadable(kind, id, ["format: not a number from 1"]);
  const content = parseJson(kind, id, stored.slice(mark.length));
  try {
    return migrations.slice(format - 1).reduce((older, migrate) => migrate(older), content);
  } catch {
    // Not kept as the cause, here and below: it may quote the text, and ticket text must not reach a log.
    throw unreadable(kind, id, [`format ${format}: not as that format has it`]);
  }
}

/** Passes by itself while processes of two releases run side by side: another one reads it. */
function tooNew(kind: RecordKind, id: string, format: number, present: number): BoardwalkError {
  return new BoardwalkError(
    "unavailable",
    `Our own ${kind} record "${id}" was written by a newer Boardwalk than this one, so it was left as it is. ` +
      "Please ask again in a moment, or tell whoever runs Boardwalk to finish the upgrade.",
    { data: { record: kind, id, faults: [`format ${format}: this release knows ${present} and older`] } },
  );
}

function parseJson(kind: RecordKind, id: string, json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw unreadable(kind, id, ["not JSON"]);
  }
}
