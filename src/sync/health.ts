import type { Problem } from "../board/connector.js";
import type { ActorRecord, TenantStore } from "../store/store.js";
import type { ConnectionRecord, ConnectionRecords, Health } from "./records.js";
import { RULE_PROBLEMS } from "./rules.js";

/** What is wrong with a connection: kept by code, so that whoever found a problem is who takes it away. */

/** No login will do until a person has connected the board again. */
const LOST = "auth_expired";
export const BOUNCING = "bouncing";
/** The tenant has as many tickets as it may have. */
export const NO_ROOM = "no_room";

/** The health once these `found` problems stand in for all earlier ones of the same `codes`. */
export function healthWith(
  { health }: Pick<ConnectionRecord, "health">,
  codes: readonly string[],
  found: readonly Problem[],
): Health {
  const problems = [...health.problems.filter((problem) => !codes.includes(problem.code)), ...found];
  if (problems.length === 0) return { state: "ok", problems };
  return { state: problems.some(({ code }) => code === LOST) ? "reconnect" : "degraded", problems };
}

/** Found by others than a probe of the credentials: a sync, the webhook's registration, the team's own rules. */
const NOT_PROBED: readonly string[] = ["sync", "webhook", BOUNCING, NO_ROOM, ...RULE_PROBLEMS];

/** The health once a probe has `found` these: whatever an earlier one had found and is put right is gone. */
export function healthProbed(record: Pick<ConnectionRecord, "health">, found: readonly Problem[]): Health {
  const codes = record.health.problems.map(({ code }) => code).filter((code) => !NOT_PROBED.includes(code));
  return healthWith(record, codes, found);
}

const BOUNCES_KEPT = 20;
/** So long a ticket that goes to and fro is a problem of its connection. */
const BOUNCE_SHOWN_MS = 3_600_000;

/** Tells the operator that a ticket is fought over, and that nothing is started for it any more. */
export async function noteBounce(
  connections: Pick<ConnectionRecords, "update">,
  tenant: TenantStore,
  { ticket, bouncing }: ActorRecord,
): Promise<void> {
  const at = bouncing ?? new Date().toISOString();
  await tenant.audit({ at, action: "bouncing", ticket: ticket.id, outcome: "stopped" });
  await connections.update(tenant, ticket.connection, (record) => {
    const others = (record.bounces ?? []).filter((bounce) => bounce.ticket !== ticket.id);
    const bounces = [...others, { ticket: ticket.id, at }].slice(-BOUNCES_KEPT);
    const next = { ...record, bounces };
    return { ...next, health: healthWith(next, [BOUNCING], bounceProblems(next, new Date(at))) };
  });
}

export function bounceProblems({ bounces }: ConnectionRecord, now: Date): Problem[] {
  const recent = (bounces ?? []).filter(({ at }) => now.getTime() - Date.parse(at) < BOUNCE_SHOWN_MS);
  if (recent.length === 0) return [];
  const which = recent.map(({ ticket }) => ticket).join(", ");
  return [
    {
      code: BOUNCING,
      message: `Moved back and forth more than three times in five minutes, so nothing is started for it by itself: ${which}.`,
      fix: "Find the two rules or people that disagree about it on the board; then replay.",
    },
  ];
}
