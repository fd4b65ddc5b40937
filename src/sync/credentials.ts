import { z } from "zod";
import type { ConnectorKit } from "../board/connector.js";
import { pause } from "../board/http.js";
import { BoardwalkError } from "../errors.js";
import { parseJson, parseOr } from "../parse.js";
import type { TenantStore } from "../store/store.js";
import type { ConnectionRecord, ConnectionRecords } from "./records.js";
import { type Sealer, sealContext } from "./seal.js";

/** A connection's credentials: kept sealed, and rotated once however many processes hold them. */

export type Credentials = Readonly<Record<string, unknown>>;
const credentialsShape = z.record(z.string(), z.unknown());

export interface CredentialsDeps extends ConnectionRecords {
  readonly sealer: Sealer;
}

export interface KeptCredentials {
  seal(tenant: TenantStore, id: string, credentials: Credentials): string;
  unseal(tenant: TenantStore, record: ConnectionRecord): Credentials;
  /** Sealed anew with the newest key, so that an older one can be taken away once every connection was opened. */
  resealed(tenant: TenantStore, record: ConnectionRecord): Promise<ConnectionRecord>;
  /** What a connector opened with these `initial` credentials saves and shares; `saved` is told of each save. */
  keeping(
    tenant: TenantStore,
    id: string,
    initial: Credentials,
    saved: (record: ConnectionRecord) => void,
  ): Pick<ConnectorKit, "saveCredentials" | "shared">;
}

/** @throws BoardwalkError `auth_expired` for what are none. */
export function credentialsOf(value: unknown): Credentials {
  const unread = "The credentials of this connection cannot be read. Please reconnect the board.";
  return parseOr(
    credentialsShape,
    value,
    (faults) => new BoardwalkError("auth_expired", unread, { data: { faults } }),
  );
}

export function keepCredentials({ sealer, get, update }: CredentialsDeps): KeptCredentials {
  const seal = (tenant: TenantStore, id: string, credentials: Credentials) =>
    sealer.seal(JSON.stringify(credentials), sealContext(tenant.id, id));
  const unseal = (tenant: TenantStore, record: ConnectionRecord): Credentials =>
    credentialsOf(parseJson(sealer.open(record.sealed, sealContext(tenant.id, record.id))));

  return {
    seal,
    unseal,
    async resealed(tenant, record) {
      if (!sealer.stale(record.sealed)) return record;
      try {
        return await update(tenant, record.id, (now) =>
          sealer.stale(now.sealed) ? { ...now, sealed: seal(tenant, now.id, unseal(tenant, now)) } : now,
        );
      } catch (error) {
        // They open all the same; the next opening seals them.
        if (BoardwalkError.from(error).retryable) return record;
        throw error;
      }
    },
    keeping(tenant, id, initial, saved) {
      /** As this connector last saw them: what differs from it is what the connector wants changed. */
      let seen = initial;
      return {
        async saveCredentials(wanted) {
          const changes = changesTo(seen, credentialsOf(wanted));
          const record = await update(tenant, id, (now) => {
            // Another process may have rotated the tokens since: saving ours with a new secret would lose the login.
            seen = { ...unseal(tenant, now), ...changes };
            return { ...now, sealed: seal(tenant, id, seen) };
          });
          saved(record);
        },
        shared: {
          async credentials() {
            seen = unseal(tenant, await get(tenant, id));
            return seen;
          },
          alone: (work) => alone(tenant, `refresh/${id}`, work),
        },
      };
    },
  };
}

function changesTo(before: Credentials, after: Credentials): Credentials {
  return Object.fromEntries(
    Object.entries(after).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name])),
  );
}

/** Longer than any exchange of tokens takes; a process that dies holding the turn gives it up with it. */
const TURN_MS = 20_000;
const LOOK_AGAIN_MS = 100;

/** Runs `work` while no other process runs its own under this name. */
async function alone<T>(tenant: TenantStore, name: string, work: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + 2 * TURN_MS;
  while (!(await tenant.claim(name, TURN_MS))) {
    if (Date.now() > deadline)
      throw new BoardwalkError("busy", "Someone else is renewing this login. Please try again.");
    await pause(LOOK_AGAIN_MS);
  }
  try {
    return await work();
  } finally {
    await tenant.forget(name);
  }
}
