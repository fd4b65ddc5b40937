import { z } from "zod";
import { parseJson, safeParse } from "../parse.js";
import type { ActorRecord, Store } from "../store/store.js";

/** What processes tell each other about a tenant, so that whoever listens hears of a change whoever noticed it. */

const TICKETS_CHANGED = "tickets-changed";
const WORKFLOWS_CHANGED = "workflows-changed";
const CONNECTIONS_CHANGED = "connections-changed";

const text = z.string();
const ticketNews = z.object({
  tenant: text,
  tickets: z.array(z.object({ id: text, connection: text, workflow: text, status: text })),
});
/** A ticket that is not what it was, and where it is now. */
export type ChangedTicket = z.infer<typeof ticketNews>["tickets"][number];

const workflowNews = z.object({
  tenant: text,
  workflows: z.array(z.object({ connection: text, id: text })),
});
export type ChangedWorkflow = z.infer<typeof workflowNews>["workflows"][number];

export async function tellWorkflows(
  store: Pick<Store, "publish">,
  tenant: string,
  workflows: readonly ChangedWorkflow[],
): Promise<void> {
  await store.publish(WORKFLOWS_CHANGED, JSON.stringify({ tenant, workflows }));
}

const connectionNews = z.object({ tenant: text, connection: text });

/** That a connection was made, taken away, or is not as well, or not as far with its import, as it was. */
export async function tellConnection(
  store: Pick<Store, "publish">,
  tenant: string,
  connection: string,
): Promise<void> {
  await store.publish(CONNECTIONS_CHANGED, JSON.stringify({ tenant, connection }));
}

export interface TicketNews {
  /** Told soon, together with what else changes meanwhile; a ticket that changes twice is told once. */
  changed(tenant: string, record: ActorRecord): void;
  /** Tells what has not been told yet. */
  close(): Promise<void>;
}

export interface TicketNewsOptions {
  /** How long news are gathered, in milliseconds. @default 50 */
  readonly gatherMs?: number;
  readonly onError?: (error: unknown) => void;
}

const MOST_AT_ONCE = 200;

export function createTicketNews(store: Pick<Store, "publish">, options: TicketNewsOptions = {}): TicketNews {
  const { gatherMs = 50, onError = () => {} } = options;
  const waiting = new Map<string, Map<string, ChangedTicket>>();
  let timer: NodeJS.Timeout | undefined;

  async function tell(): Promise<void> {
    timer = undefined;
    const batch = [...waiting];
    waiting.clear();
    for (const [tenant, byId] of batch) {
      const tickets = [...byId.values()];
      for (let from = 0; from < tickets.length; from += MOST_AT_ONCE) {
        const message = { tenant, tickets: tickets.slice(from, from + MOST_AT_ONCE) };
        await store.publish(TICKETS_CHANGED, JSON.stringify(message));
      }
    }
  }

  return {
    changed(tenant, { ticket: { id, connection, workflow, status } }) {
      const ofTenant = waiting.get(tenant) ?? new Map<string, ChangedTicket>();
      waiting.set(tenant, ofTenant.set(id, { id, connection, workflow, status }));
      timer ??= setTimeout(() => void tell().catch(onError), gatherMs);
    },
    async close() {
      clearTimeout(timer);
      await tell().catch(onError);
    },
  };
}

export interface NewsListener {
  ticketsChanged(tenant: string, tickets: readonly ChangedTicket[]): void;
  workflowsChanged(tenant: string, workflows: readonly ChangedWorkflow[]): void;
  connectionChanged?(tenant: string, connection: string): void;
}

/** @returns a function that stops listening. */
export async function listenForNews(
  store: Pick<Store, "subscribe">,
  listener: NewsListener,
): Promise<() => Promise<void>> {
  const stops = await Promise.all([
    store.subscribe(TICKETS_CHANGED, (message) => {
      const heard = safeParse(ticketNews, parseJson(message));
      if (heard.success) listener.ticketsChanged(heard.data.tenant, heard.data.tickets);
    }),
    store.subscribe(WORKFLOWS_CHANGED, (message) => {
      const heard = safeParse(workflowNews, parseJson(message));
      if (heard.success) listener.workflowsChanged(heard.data.tenant, heard.data.workflows);
    }),
    store.subscribe(CONNECTIONS_CHANGED, (message) => {
      const heard = safeParse(connectionNews, parseJson(message));
      if (heard.success) listener.connectionChanged?.(heard.data.tenant, heard.data.connection);
    }),
  ]);
  return async () => void (await Promise.all(stops.map((stop) => stop())));
}
