import type { TenantStore } from "../store/store.js";
import type { SyncReach } from "../tickets/jobs.js";
import { isDue } from "./pull-workflows.js";
import type { SyncDeps } from "./sync-deps.js";

/** Permissions are given and taken, and tokens run out: what credentials can do is asked again from time to time. */

const PROBE_EVERY_MS = 24 * 3_600_000;

/** Asks once a day, and whenever a person asks for everything: she may have just put right what was missing. */
export async function probeWhenDue(
  { connections, now }: Pick<SyncDeps, "connections" | "now">,
  tenant: TenantStore,
  id: string,
  reach: SyncReach,
  signal: AbortSignal,
): Promise<void> {
  const { probedAt, sealed } = await connections.get(tenant, id);
  if (reach !== "full" && !isDue(probedAt, PROBE_EVERY_MS, sealed, now())) return;
  // The sync before this has worked; what fails here is tried again with the next one.
  await connections.probe(tenant, id, signal).catch(() => signal.throwIfAborted());
}
