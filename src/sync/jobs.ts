import { type Job, jobId } from "../hooks/hooks.js";

/** `cause` makes it new work: the same cause asked twice is one sync. */
export function syncJobFor(tenant: string, connection: string, cause: string, poll = false): Job {
  return {
    id: jobId("sync", tenant, connection, cause),
    name: "sync",
    data: { tenant, connection, poll },
    lane: `${tenant}/${connection}/sync`,
  };
}
