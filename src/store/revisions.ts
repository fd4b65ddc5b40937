import type { ActorRecord } from "./records.js";

/** The revision that a save made, kept beside what it answered: no part of the record, and gone with it. */
const revisions = new WeakMap<ActorRecord, number>();

export function savedAt(revision: number, record: ActorRecord): ActorRecord {
  revisions.set(record, revision);
  return record;
}

export function revisionOf(record: ActorRecord): number | undefined {
  return revisions.get(record);
}
