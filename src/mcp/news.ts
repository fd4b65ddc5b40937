import { setTimeout as sleep } from "node:timers/promises";
import type { Catalogues } from "./catalogues.js";
import { TOOLS_CHANGED } from "./legacy.js";
import type { ModernHandlers } from "./modern.js";
import { ticketUri, workflowUri } from "./resources.js";
import type { SharedSessions } from "./shared-sessions.js";

/** What clients that listen are told of, of both eras. */
export interface News {
  /** A tenant's workflows, or its setting `mcp`, have changed: its catalogue is made anew, and its clients here, and no others, are told. */
  toolsChanged(tenantId: string, workflows?: readonly ChangedWorkflow[]): void;
  /** A ticket or workflow has changed: tells the tenant's clients that subscribed to its URI. */
  resourceUpdated(tenantId: string, uri: string): void;
  /** Tickets are not what they were: tells who subscribed to them, and whose list of tools follows one of them. */
  ticketsChanged(tenantId: string, tickets: readonly MovedTicket[]): Promise<void>;
  /** The store is back, and news may have been lost: clients here are told of lists that are not as they were. */
  returned(): Promise<void>;
}

export interface ChangedWorkflow {
  readonly connection: string;
  readonly id: string;
}

/** A ticket that is not what it was, and where it is now. */
export interface MovedTicket {
  readonly id: string;
  readonly connection: string;
  readonly workflow: string;
  readonly status: string;
}

export interface NewsOptions {
  readonly catalogues: Catalogues;
  readonly sessions: SharedSessions;
  readonly modern: ModernHandlers;
  readonly report: (error: unknown) => void;
}

const LISTS_CHANGED = [
  TOOLS_CHANGED,
  { jsonrpc: "2.0", method: "notifications/resources/list_changed" },
] as const;

export function createNews({ catalogues, sessions, modern, report }: NewsOptions): News {
  let catchingUp: Promise<void> = Promise.resolve();

  const listening = () => new Set([...sessions.tenants(), ...modern.tenants()]);

  function listsChanged(tenantId: string): void {
    for (const notification of LISTS_CHANGED)
      sessions.notify(tenantId, notification, ({ surface }) => surface !== "frozen");
    modern.toolsChanged(tenantId);
  }

  function resourceUpdated(tenantId: string, uri: string): void {
    const notification = { jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri } };
    sessions.notify(tenantId, notification, (session) => session.subscriptions.has(uri));
    modern.resourceUpdated(tenantId, uri);
  }

  async function catchUp(tenantId: string): Promise<void> {
    // When it cannot be found out, they look for themselves.
    if (await patiently(() => catalogues.changed(tenantId)).catch(() => true)) listsChanged(tenantId);
    const moved = await patiently(() => sessions.catchUp(tenantId));
    sessions.notify(tenantId, TOOLS_CHANGED, (session) => moved.includes(session));
    // Whether any of these has changed is for whoever reads it to see.
    const subscribed = [...sessions.of(tenantId)].flatMap(({ subscriptions }) => [...subscriptions]);
    for (const uri of new Set([...subscribed, ...modern.subscribed(tenantId)]))
      resourceUpdated(tenantId, uri);
  }

  /** One after the other: a store that has just come back has much else to do. */
  async function catchUpAll(): Promise<void> {
    for (const tenantId of listening()) await catchUp(tenantId).catch(report);
  }

  return {
    toolsChanged(tenantId, workflows = []) {
      catalogues.forget(tenantId);
      listsChanged(tenantId);
      for (const { connection, id } of workflows) resourceUpdated(tenantId, workflowUri(connection, id));
    },
    resourceUpdated,
    async ticketsChanged(tenantId, tickets) {
      for (const { id, connection, workflow, status } of tickets) {
        resourceUpdated(tenantId, ticketUri(connection, id));
        const moved = await sessions.refocus(tenantId, { ticket: id, workflow, status });
        // Every replica hears of the ticket, so each tells its own.
        sessions.notify(tenantId, TOOLS_CHANGED, (session) => moved.includes(session));
      }
    },
    returned() {
      const tenants = listening();
      catalogues.distrust((id) => tenants.has(id));
      catchingUp = catchingUp.then(catchUpAll);
      return catchingUp;
    },
  };
}

const TRIES = 10;
const TRY_AGAIN_MS = 500;

/** The store may have gone again, or not be back for every connection yet. */
async function patiently<T>(ask: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask();
    } catch (error) {
      if (attempt === TRIES) throw error;
      await sleep(TRY_AGAIN_MS, undefined, { ref: false });
    }
  }
}
