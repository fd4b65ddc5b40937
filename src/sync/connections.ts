import { randomBytes } from "node:crypto";
import { z } from "zod";
import { BoardwalkError } from "../errors.js";
import { safeParse } from "../parse.js";
import { parseRecord } from "../store/records.js";
import type { TenantStore, Versioned } from "../store/store.js";
import type { Boards, OpenBoard } from "../tickets/boards.js";
import { type Credentials, credentialsOf, type KeptCredentials, keepCredentials } from "./credentials.js";
import { healthProbed } from "./health.js";
import { invalid, type OpenerDeps, openBoard } from "./open-board.js";
import {
  type ConnectionRecord,
  type ConnectionRecords,
  connectionRecord,
  type Health,
  type NewConnection,
  newConnection,
} from "./records.js";
import type { Sealer } from "./seal.js";

/** A tenant's links to its boards: made, kept sealed, opened and taken away. */

export interface ConnectionsDeps extends OpenerDeps {
  readonly sealer: Sealer;
  /** Told of each change to a kept connection. */
  changed?(tenant: string, connection: string): void;
}

/** A connection as it is kept, and opened. */
export interface Kept {
  readonly record: ConnectionRecord;
  readonly board: OpenBoard;
}

interface Opened extends Kept {
  /** Of what makes a connector; told anew when the connector itself has changed it. */
  version: string;
  /** When the read of `record` began. */
  readonly readAt: number;
}

export interface Connections extends Boards, ConnectionRecords {
  /** Opens it, and tells what is kept of it, as of `since`, as `open` does. @throws as `open` does. */
  openKept(tenant: TenantStore, id: string, since?: number): Promise<Kept>;
  /** Tries the credentials, then keeps them. @throws BoardwalkError `invalid`, `conflict` (the id is taken), or what the board says. */
  add(tenant: TenantStore, input: unknown): Promise<ConnectionRecord>;
  list(tenant: TenantStore): Promise<readonly ConnectionRecord[]>;
  /** Forgets the connection, its workflows and its tickets. The board itself is not touched. */
  remove(tenant: TenantStore, id: string): Promise<void>;
  /** Asks the board anew what these credentials can do, and keeps the answer. */
  probe(tenant: TenantStore, id: string, signal: AbortSignal): Promise<Health>;
}

const RACES = 10;
const PROBE_MS = 30_000;

export function createConnections(deps: ConnectionsDeps): Connections {
  const opened = new Map<string, Opened>();

  const update = telling(deps);
  const kept = keepCredentials({ sealer: deps.sealer, get, update });

  async function openKept(tenant: TenantStore, id: string, since?: number): Promise<Kept> {
    const key = keyOf(tenant, id);
    const before = opened.get(key);
    if (before !== undefined && since !== undefined && before.readAt >= since) return before;
    const readAt = performance.now();
    const record = await kept.resealed(tenant, await get(tenant, id));
    const version = versionOf(record);
    const known = opened.get(key);
    const board = known?.version === version ? known.board : open(tenant, key, record);
    const now: Opened = { record, board, version, readAt };
    opened.set(key, now);
    return now;
  }

  function open(tenant: TenantStore, key: string, record: ConnectionRecord): OpenBoard {
    const { id } = record;
    const credentials = kept.unseal(tenant, record);
    const keeping = kept.keeping(tenant, id, credentials, (saved) => {
      const own = opened.get(key);
      // The connector that rotated them already uses the new ones.
      if (own !== undefined) own.version = versionOf(saved);
    });
    return openBoard(deps, toOpen(tenant, record, credentials), keeping);
  }

  return {
    get,
    update,
    async add(tenant, input) {
      const record = await newRecord(deps, kept, tenant, parseNew(input));
      await saveNew(tenant, record);
      deps.changed?.(tenant.id, record.id);
      return record;
    },

    async list(tenant) {
      const documents = await tenant.listDocuments("connection");
      return documents
        .map(({ id, value }) => parseRecord(connectionRecord, value, "connection", id))
        .sort((a, b) => (a.id < b.id ? -1 : 1));
    },

    async remove(tenant, id) {
      const { webhookToken } = await get(tenant, id);
      if (webhookToken !== undefined) await tenant.unlink("webhook", webhookToken);
      await tenant.deleteDocument("connection", id);
      opened.delete(keyOf(tenant, id));
      await forget(tenant, id);
      deps.changed?.(tenant.id, id);
    },

    async probe(tenant, id, signal) {
      const { connector } = (await openKept(tenant, id)).board;
      const found = await connector.probe(signal);
      const probedAt = deps.now().toISOString();
      const probed = (record: ConnectionRecord) => ({
        ...record,
        probedAt,
        health: healthProbed(record, found),
      });
      return (await update(tenant, id, probed)).health;
    },

    openKept,
    open: async (tenant, id, since) => (await openKept(tenant, id, since)).board,
  };
}

/** Saves a change and tells of it. */
function telling({ changed }: Pick<ConnectionsDeps, "changed">): ConnectionRecords["update"] {
  return async (tenant, id, change) => {
    const record = await saveChanged(tenant, id, change);
    changed?.(tenant.id, id);
    return record;
  };
}

async function get(tenant: TenantStore, id: string): Promise<ConnectionRecord> {
  return (await load(tenant, id)).value;
}

async function saveChanged(
  tenant: TenantStore,
  id: string,
  change: (record: ConnectionRecord) => ConnectionRecord,
): Promise<ConnectionRecord> {
  for (let race = 0; race < RACES; race++) {
    const { version, value } = await load(tenant, id);
    const next = change(value);
    try {
      await tenant.saveDocument("connection", id, { version, value: next });
      return next;
    } catch (error) {
      if (BoardwalkError.from(error).code !== "conflict") throw error;
    }
  }
  throw new BoardwalkError("busy", "This connection is being changed by others. Please try again.");
}

async function load(tenant: TenantStore, id: string): Promise<Versioned<ConnectionRecord>> {
  const document = await tenant.getDocument("connection", id);
  if (document === undefined) {
    throw new BoardwalkError(
      "not_found_or_hidden",
      `There is no connection "${id}". Look at the list of connections.`,
    );
  }
  return {
    version: document.version,
    value: parseRecord(connectionRecord, document.value, "connection", id),
  };
}

function keyOf(tenant: TenantStore, id: string): string {
  return JSON.stringify([tenant.id, id]);
}

/** Health and import notes change often; only settings and credentials make another connector. */
function versionOf({ sealed, settings }: ConnectionRecord): string {
  return JSON.stringify([sealed, settings]);
}

function toOpen(
  tenant: TenantStore,
  { id, provider, settings }: Pick<ConnectionRecord, "id" | "provider" | "settings">,
  credentials: Credentials,
) {
  return { name: `${tenant.id}/${id}`, provider, settings, credentials };
}

function parseNew(input: unknown): NewConnection {
  const parsed = safeParse(newConnection, input);
  if (!parsed.success) throw invalid(parsed.error);
  return parsed.data;
}

function taken(id: string): BoardwalkError {
  return new BoardwalkError(
    "conflict",
    `There is a connection "${id}" already. Choose another id, or delete that one first.`,
  );
}

/** Tries the credentials on the board, before anything is kept. */
async function newRecord(
  deps: ConnectionsDeps,
  kept: KeptCredentials,
  tenant: TenantStore,
  wanted: NewConnection,
): Promise<NewRecord> {
  const { id, provider, settings } = wanted;
  if ((await tenant.getDocument("connection", id)) !== undefined) throw taken(id);
  let { credentials }: { credentials: Credentials } = wanted;
  const board = openBoard(deps, toOpen(tenant, wanted, credentials), {
    // A probe may rotate them already; what is kept is what is left.
    saveCredentials: async (rotated) => {
      credentials = { ...credentials, ...credentialsOf(rotated) };
    },
  });
  const found = await board.connector.probe(AbortSignal.timeout(PROBE_MS));
  const at = deps.now().toISOString();
  return {
    ...{ id, provider, settings },
    sealed: kept.seal(tenant, id, credentials),
    ...{ createdAt: at, probedAt: at },
    health: healthProbed({ health: { state: "ok", problems: [] } }, found),
    webhookToken: randomBytes(24).toString("base64url"),
  };
}

type NewRecord = ConnectionRecord & { readonly webhookToken: string };

async function saveNew(tenant: TenantStore, record: NewRecord): Promise<void> {
  try {
    await tenant.saveDocument("connection", record.id, { version: 0, value: record });
  } catch (error) {
    if (BoardwalkError.from(error).code === "conflict") throw taken(record.id);
    throw error;
  }
  await tenant.link("webhook", record.webhookToken, record.id);
}

const owned = z.object({ connection: z.string() });
/** So many tickets are looked at and forgotten at a time, however many a board has. */
const AT_ONCE = 1_000;

async function forget(tenant: TenantStore, id: string): Promise<void> {
  for (const document of await tenant.listDocuments("workflow")) {
    const owner = safeParse(owned, document.value);
    if (!owner.success || owner.data.connection !== id) continue;
    await tenant.deleteDocument("workflow", document.id);
    await tenant.deleteDocument("changes", document.id);
  }
  for (let revision = 0; ; ) {
    const changes = await tenant.changesSince(revision, AT_ONCE);
    if (changes.ids.length === 0) return;
    const records = await tenant.getActors(changes.ids);
    const ours = records.filter((record) => record?.ticket.connection === id);
    await tenant.deleteActors(ours.flatMap((record) => record?.ticket.id ?? []));
    if (changes.revision === revision) return;
    revision = changes.revision;
  }
}
