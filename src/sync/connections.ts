import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { Connector, ConnectorKind, ConnectorKit } from "../board/connector.js";
import type { Vcs, VcsKind } from "../board/vcs.js";
import { BoardwalkError } from "../errors.js";
import type { TenantStore, Versioned } from "../store/store.js";
import type { Boards, HookRun, OpenBoard } from "../tickets/boards.js";
import {
  type ConnectionRecord,
  connectionRecord,
  type Health,
  type NewConnection,
  newConnection,
  type SharedSettings,
  sharedCredentials,
  sharedSettings,
} from "./records.js";
import { type Sealer, sealContext } from "./seal.js";

/** A tenant's links to its boards: made, kept sealed, opened and taken away. */

export interface ConnectionsDeps {
  readonly kinds: readonly ConnectorKind[];
  readonly vcsKinds: readonly VcsKind[];
  /** Makes the hooks that a connection with this repository can run, by name. */
  readonly hooksFor: (vcs: Vcs, settings: SharedSettings) => Readonly<Record<string, HookRun>>;
  readonly sealer: Sealer;
  checkUrl(url: string): Promise<void>;
  now(): Date;
  /** Told of each secret before it is used, so that no log can show it. */
  hide?(secret: string): void;
}

export interface Connections extends Boards {
  /** Tries the credentials, then keeps them. @throws BoardwalkError `invalid`, `conflict` (the id is taken), or what the board says. */
  add(tenant: TenantStore, input: unknown): Promise<ConnectionRecord>;
  get(tenant: TenantStore, id: string): Promise<ConnectionRecord>;
  list(tenant: TenantStore): Promise<readonly ConnectionRecord[]>;
  /** Forgets the connection, its workflows and its tickets. The board itself is not touched. */
  remove(tenant: TenantStore, id: string): Promise<void>;
  /** Applies a change to the kept record; again when someone saved first. */
  update(
    tenant: TenantStore,
    id: string,
    change: (record: ConnectionRecord) => ConnectionRecord,
  ): Promise<ConnectionRecord>;
  /** Asks the board anew what these credentials can do, and keeps the answer. */
  probe(tenant: TenantStore, id: string, signal: AbortSignal): Promise<Health>;
}

const RACES = 10;

export function createConnections(deps: ConnectionsDeps): Connections {
  const opened = new Map<string, { version: string; board: OpenBoard }>();

  async function load(tenant: TenantStore, id: string): Promise<Versioned<ConnectionRecord>> {
    const document = await tenant.getDocument("connection", id);
    if (document === undefined) {
      throw new BoardwalkError(
        "not_found_or_hidden",
        `There is no connection "${id}". Look at the list of connections.`,
      );
    }
    return { version: document.version, value: connectionRecord.parse(document.value) };
  }

  const connections: Connections = {
    async add(tenant, input) {
      const wanted = parseNew(input);
      if ((await tenant.getDocument("connection", wanted.id)) !== undefined) throw taken(wanted.id);
      const board = openWith(
        deps,
        tenant,
        wanted.provider,
        wanted.id,
        wanted.settings,
        wanted.credentials,
        async () => {},
      );
      const health = healthOf(await board.connector.probe(AbortSignal.timeout(30_000)));
      const record: ConnectionRecord = {
        id: wanted.id,
        provider: wanted.provider,
        settings: wanted.settings,
        sealed: deps.sealer.seal(JSON.stringify(wanted.credentials), sealContext(tenant.id, wanted.id)),
        createdAt: deps.now().toISOString(),
        health,
        webhookToken: randomBytes(24).toString("base64url"),
      };
      await saveNew(tenant, record);
      return record;
    },

    async get(tenant, id) {
      return (await load(tenant, id)).value;
    },

    async list(tenant) {
      const documents = await tenant.listDocuments("connection");
      return documents
        .map((document) => connectionRecord.parse(document.value))
        .sort((a, b) => (a.id < b.id ? -1 : 1));
    },

    async remove(tenant, id) {
      const { value } = await load(tenant, id);
      if (value.webhookToken !== undefined) await tenant.unlink("webhook", value.webhookToken);
      await tenant.deleteDocument("connection", id);
      opened.delete(JSON.stringify([tenant.id, id]));
      await forget(tenant, id);
    },

    async update(tenant, id, change) {
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
    },

    async probe(tenant, id, signal) {
      const board = await connections.open(tenant, id);
      const health = healthOf(await board.connector.probe(signal));
      await connections.update(tenant, id, (record) => ({ ...record, health }));
      return health;
    },

    async open(tenant, id) {
      const { value } = await load(tenant, id);
      const key = JSON.stringify([tenant.id, id]);
      // Health and import notes change often; only settings and credentials make another connector.
      const version = JSON.stringify([value.sealed, value.settings]);
      const known = opened.get(key);
      if (known?.version === version) return known.board;
      const context = sealContext(tenant.id, id);
      const credentials = z
        .record(z.string(), z.unknown())
        .parse(JSON.parse(deps.sealer.open(value.sealed, context)));
      const board = openWith(
        deps,
        tenant,
        value.provider,
        id,
        value.settings,
        credentials,
        async (rotated) => {
          const kept = { ...credentials, ...z.record(z.string(), z.unknown()).parse(rotated) };
          const sealed = deps.sealer.seal(JSON.stringify(kept), context);
          await connections.update(tenant, id, (record) => ({ ...record, sealed }));
          // The connector that rotated them already uses the new ones.
          opened.set(key, { version: JSON.stringify([sealed, value.settings]), board });
        },
      );
      opened.set(key, { version, board });
      return board;
    },
  };
  return connections;
}

function parseNew(input: unknown): NewConnection {
  const parsed = newConnection.safeParse(input);
  if (!parsed.success) throw invalid(parsed.error);
  return parsed.data;
}

function taken(id: string): BoardwalkError {
  return new BoardwalkError(
    "conflict",
    `There is a connection "${id}" already. Choose another id, or delete that one first.`,
  );
}

async function saveNew(tenant: TenantStore, record: ConnectionRecord): Promise<void> {
  try {
    await tenant.saveDocument("connection", record.id, { version: 0, value: record });
  } catch (error) {
    if (BoardwalkError.from(error).code === "conflict") throw taken(record.id);
    throw error;
  }
  if (record.webhookToken !== undefined) await tenant.link("webhook", record.webhookToken, record.id);
}

async function forget(tenant: TenantStore, id: string): Promise<void> {
  for (const document of await tenant.listDocuments("workflow")) {
    const owner = z.object({ connection: z.string() }).safeParse(document.value);
    if (owner.success && owner.data.connection === id) await tenant.deleteDocument("workflow", document.id);
  }
  for (let revision = 0; ; ) {
    const changes = await tenant.changesSince(revision, 1_000);
    if (changes.ids.length === 0) return;
    for (const record of await tenant.getActors(changes.ids)) {
      if (record?.ticket.connection === id) await tenant.deleteActor(record.ticket.id);
    }
    if (changes.revision === revision) return;
    revision = changes.revision;
  }
}

function healthOf(problems: Health["problems"] | readonly Health["problems"][number][]): Health {
  if (problems.length === 0) return { state: "ok", problems: [] };
  const lost = problems.some((problem) => problem.code === "auth_expired");
  return { state: lost ? "reconnect" : "degraded", problems: [...problems] };
}

function openWith(
  deps: ConnectionsDeps,
  tenant: TenantStore,
  provider: string,
  id: string,
  settings: Readonly<Record<string, unknown>>,
  credentials: Readonly<Record<string, unknown>>,
  saveCredentials: (rotated: unknown) => Promise<void>,
): OpenBoard {
  const kind = deps.kinds.find((candidate) => candidate.provider === provider);
  if (kind === undefined) {
    const known = deps.kinds.map((candidate) => candidate.provider).join(", ");
    throw new BoardwalkError(
      "invalid",
      `There is no connector for "${provider}". Known boards are: ${known}.`,
    );
  }
  hideSecrets(deps, credentials);
  const { vcs: _vcs, hooks: _hooks, ...boardSettings } = settings;
  const { vcs: _token, ...boardCredentials } = credentials;
  const kit: ConnectorKit = {
    connection: `${tenant.id}/${id}`,
    checkUrl: deps.checkUrl,
    saveCredentials,
    now: deps.now,
  };
  const connector = kind.create(
    parsePart(kind.settings, boardSettings, "settings"),
    parsePart(kind.credentials, boardCredentials, "credentials"),
    kit,
  );
  return { name: nameOf(provider), connector, hooks: openHooks(deps, settings, credentials) };
}

function openHooks(
  deps: ConnectionsDeps,
  settings: Readonly<Record<string, unknown>>,
  credentials: Readonly<Record<string, unknown>>,
): Readonly<Record<string, HookRun>> {
  const shared = parsePart(sharedSettings, { vcs: settings.vcs, hooks: settings.hooks }, "settings");
  const { vcs: vcsCredentials } = parsePart(sharedCredentials, { vcs: credentials.vcs }, "credentials");
  if (shared.vcs === undefined) {
    if (shared.hooks.length > 0)
      throw new BoardwalkError(
        "invalid",
        "settings.hooks open pull requests, so settings.vcs must name the repository.",
      );
    return {};
  }
  if (vcsCredentials === undefined)
    throw new BoardwalkError(
      "invalid",
      "settings.vcs names a repository, so credentials.vcs must hold its token.",
    );
  const { provider, draftFallback: _fallback, emptyCommit: _commit, ...own } = shared.vcs;
  const kind = deps.vcsKinds.find((candidate) => candidate.provider === provider);
  if (kind === undefined)
    throw new BoardwalkError("invalid", `There is no connector for repositories at "${provider}".`);
  const vcs = kind.create(
    parsePart(kind.settings, own, "settings.vcs"),
    parsePart(kind.credentials, vcsCredentials, "credentials.vcs"),
    deps,
  );
  return deps.hooksFor(vcs, shared);
}

function parsePart<T>(schema: z.ZodType<T>, value: unknown, where: string): T {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw invalid(parsed.error, where);
  return parsed.data;
}

/** Names what is wrong, never the value: it may be a secret. */
function invalid(error: z.ZodError, where = ""): BoardwalkError {
  const faults = error.issues.map(
    (issue) =>
      `${[where, ...issue.path.map(String)].filter((part) => part !== "").join(".") || "the body"}: ${issue.message}`,
  );
  return new BoardwalkError("invalid", `This connection cannot be used as given. ${faults.join("; ")}.`, {
    data: { faults },
  });
}

function hideSecrets(deps: ConnectionsDeps, value: unknown): void {
  if (typeof value === "string") deps.hide?.(value);
  else if (typeof value === "object" && value !== null)
    for (const inner of Object.values(value)) hideSecrets(deps, inner);
}

const NAMES: Readonly<Record<string, string>> = {
  jira: "Jira",
  linear: "Linear",
  github: "GitHub",
  trello: "Trello",
};

function nameOf(provider: string): string {
  return NAMES[provider] ?? provider;
}

/** A connector by itself, without hooks: for callers that only read. */
export type { Connector };
