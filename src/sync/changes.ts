import { z } from "zod";
import { BoardwalkError } from "../errors.js";
import { parseRecord } from "../store/records.js";
import type { TenantStore } from "../store/store.js";
import { type Change, changeRecord } from "./records.js";

/** What has changed about each workflow, kept for people to look at. */

const MOST_CHANGES = 200;
const RACES = 10;

const changesRecord = z.object({
  /** Newest first. */
  changes: z.array(changeRecord),
});

/** Newest first; empty for a workflow of which nothing has been noted. */
export async function changesOf(tenant: TenantStore, workflow: string): Promise<readonly Change[]> {
  const document = await tenant.getDocument("changes", workflow);
  return document === undefined
    ? []
    : parseRecord(changesRecord, document.value, "changes", workflow).changes;
}

/** Notes changes of one workflow, told in the order in which they happened. What was noted before is noted once. */
export async function noteChanges(
  tenant: TenantStore,
  workflow: string,
  changes: readonly Change[],
): Promise<void> {
  for (let race = 0; race < RACES; race++) {
    const document = await tenant.getDocument("changes", workflow);
    const kept =
      document === undefined ? [] : parseRecord(changesRecord, document.value, "changes", workflow).changes;
    const known = new Set(kept.map((change) => JSON.stringify(change)));
    const fresh = changes.filter((change) => !known.has(JSON.stringify(change))).toReversed();
    if (fresh.length === 0) return;
    const value = { changes: [...fresh, ...kept].slice(0, MOST_CHANGES) };
    try {
      await tenant.saveDocument("changes", workflow, { version: document?.version ?? 0, value });
      return;
    } catch (error) {
      if (BoardwalkError.from(error).code !== "conflict") throw error;
    }
  }
  throw new BoardwalkError("busy", "This workflow is being changed by others. Please try again.");
}
