import type { Connector, Ticket } from "../board/connector.js";
import type { TenantStore } from "../store/store.js";

/** A board's tickets, counted before they are imported. */

export interface TicketsPreview {
  /** How many tickets there are; with `more`, there are more than were counted in the time. */
  readonly counted: number;
  readonly more: boolean;
  /** How many of them are in each status. */
  readonly boards: readonly {
    readonly workflow: string;
    readonly statuses: readonly { readonly id: string; readonly tickets: number }[];
  }[];
  /** Of them, how many are not known yet. */
  readonly fresh: number;
  /** Of them, how many are in another status than the one that is known. */
  readonly moved: number;
}

const COUNT_MS = 5_000;
const MOST_COUNTED = 2_000;
export const NO_TICKETS: TicketsPreview = { counted: 0, more: false, boards: [], fresh: 0, moved: 0 };

/** As many as can be counted in the time, and one ticket of each status. */
export async function countTickets(
  connector: Connector,
  tenant: TenantStore,
): Promise<{ readonly tickets: TicketsPreview; readonly samples: readonly Ticket[] }> {
  const signal = AbortSignal.timeout(COUNT_MS);
  const found = new Map<string, Ticket>();
  let more = false;
  try {
    for await (const ticket of connector.pullTickets(undefined, signal)) {
      found.set(ticket.id, ticket);
      more = found.size >= MOST_COUNTED;
      if (more) break;
    }
  } catch {
    more = true;
  }
  const tickets = [...found.values()];
  const statuses = byStatus(tickets);
  const boards = [...statuses].map(([workflow, own]) => ({
    workflow,
    statuses: [...own].map(([id, those]) => ({ id, tickets: those.length })),
  }));
  const samples = [...statuses.values()].flatMap((own) =>
    [...own.values()].flatMap(([first]) => first ?? []),
  );
  return { tickets: { counted: found.size, more, boards, ...(await news(tenant, tickets)) }, samples };
}

function byStatus(tickets: readonly Ticket[]): ReadonlyMap<string, ReadonlyMap<string, readonly Ticket[]>> {
  const workflows = new Map<string, Map<string, Ticket[]>>();
  for (const ticket of tickets) {
    const own = workflows.get(ticket.workflow) ?? new Map<string, Ticket[]>();
    own.set(ticket.status, [...(own.get(ticket.status) ?? []), ticket]);
    workflows.set(ticket.workflow, own);
  }
  return workflows;
}

async function news(tenant: TenantStore, tickets: readonly Ticket[]) {
  const known = await tenant.getActors(tickets.map(({ id }) => id));
  const moved = tickets.filter((ticket, at) => {
    const before = known[at]?.ticket.status;
    return before !== undefined && before !== ticket.status;
  });
  return { fresh: known.filter((record) => record === undefined).length, moved: moved.length };
}
