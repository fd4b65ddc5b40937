import type { Inspection } from "../app-inspect.js";
import type { Problem, Reach } from "../board/connector.js";
import { BoardwalkError } from "../errors.js";
import type { TenantStore } from "../store/store.js";
import type { ConnectionRecord } from "../sync/records.js";
import type { TicketShape } from "../tickets/shapes.js";

/** The smoke test: everything that a move needs, tried on what is kept and on every board, and nothing moved. */

/** One thing looked at, and what is wrong with it. */
export interface Finding {
  readonly check: string;
  readonly problems: readonly Problem[];
  /** What was found where nothing is wrong. */
  readonly note?: string;
}

const BOARD_MS = 30_000;
const MOST_SKEW_MS = 60_000;
const DAY_MS = 24 * 3_600_000;

type Told = (finding: Finding) => void;

export async function smoke(inspection: Inspection, tell: Told): Promise<void> {
  tell(await workers(inspection));
  const tenants = await inspection.store.listTenants();
  if (tenants.length === 0) tell({ check: "boards", problems: [], note: "there is no team yet" });
  for (const { id } of tenants) {
    const tenant = inspection.store.tenant(id);
    for (const record of await inspection.connections.list(tenant))
      await connection(inspection, tenant, record, tell);
  }
}

async function workers({ hooks }: Inspection): Promise<Finding> {
  const { workers: found, waiting } = await hooks.counts();
  if (found > 0) return { check: "workers", problems: [], note: `${found} at work, ${waiting} jobs waiting` };
  const message = "No worker is at work, so no move would be made and no board read.";
  const fix = "Start one with `boardwalk serve --role worker`, or `boardwalk serve` for both halves.";
  return { check: "workers", problems: [{ code: "no_workers", message, fix }] };
}

async function connection(
  inspection: Inspection,
  tenant: TenantStore,
  record: ConnectionRecord,
  tell: Told,
): Promise<void> {
  const name = `${tenant.id}/${record.id}`;
  const opened = await attempt(
    () => inspection.connections.open(tenant, record.id),
    "Put back the encryption key that sealed it, or connect the board again.",
  );
  tell({ check: `${name}: stored credentials open`, problems: opened.problems });
  if (opened.value === undefined) return;
  inspection.called();
  tell({ check: `${name}: credentials`, problems: await probe(inspection, tenant, record.id) });
  for (const address of inspection.called()) tell(await clock(name, address, inspection.reach));
  tell(webhook(name, record, new Date()));
  tell(await dryMove(inspection, tenant, record.id));
}

async function probe(
  { connections }: Inspection,
  tenant: TenantStore,
  id: string,
): Promise<readonly Problem[]> {
  const { value, problems } = await attempt(
    () => connections.probe(tenant, id, AbortSignal.timeout(BOARD_MS)),
    "Look whether this machine reaches the board, and connect it again if its credentials were taken back.",
  );
  // What an earlier sync met is met again now, and now is what counts.
  const found = value?.problems ?? problems;
  return [...new Map(found.map((problem) => [problem.message, problem])).values()];
}

/** Boards sign their deliveries with the time, and tell when to come back: a wrong clock breaks both. */
export async function clock(name: string, address: string, reach?: Reach): Promise<Finding> {
  const check = `${name}: ${address} answers, and its clock is ours`;
  const askedAt = Date.now();
  const { value, problems } = await attempt(async () => {
    const response = await fetch(address, {
      method: "HEAD",
      redirect: "manual",
      ...(reach === undefined ? {} : { dispatcher: reach.dispatcher }),
      signal: AbortSignal.timeout(BOARD_MS),
    });
    return response.headers.get("date") ?? "";
  }, "Look whether this machine reaches that address, and what stands between.");
  if (value === undefined) return { check, problems };
  // The header has whole seconds.
  const skewMs = (askedAt + Date.now()) / 2 - (Date.parse(value) + 500);
  if (Number.isNaN(skewMs)) return { check, problems: [], note: "it does not tell its time" };
  if (Math.abs(skewMs) <= MOST_SKEW_MS) return { check, problems: [] };
  const message = `This machine's clock is ${Math.round(Math.abs(skewMs) / 1_000)} seconds ${skewMs > 0 ? "ahead of" : "behind"} the board's.`;
  return { check, problems: [{ code: "clock_skew", message, fix: "Set this machine's clock by NTP." }] };
}

export function webhook(name: string, { webhook: state, health }: ConnectionRecord, now: Date): Finding {
  const check = `${name}: webhook`;
  // What went wrong with it is among the connection's problems too, and told with the credentials.
  const known = health.problems.filter(({ code }) => code === "webhook");
  if (known.length > 0) return { check, problems: known };
  if (state === undefined || state.state === "absent")
    return { check, problems: [], note: "none; the board is polled" };
  const { expiresAt } = state;
  const endsSoon = expiresAt !== undefined && Date.parse(expiresAt) - now.getTime() < DAY_MS;
  if (state.state === "active" && !endsSoon)
    return { check, problems: [], note: `active${expiresAt === undefined ? "" : ` until ${expiresAt}`}` };
  const message = endsSoon
    ? `It ends at ${expiresAt} and was not renewed, so news would come only as often as the board is polled.`
    : `It is ${state.state}, so news come only as often as the board is polled.`;
  const fix =
    "See that workers run and that PUBLIC_URL is right, then run `boardwalk import` for this connection.";
  return { check, problems: [{ code: "webhook", message, fix }] };
}

/** Resolves a ticket and a status, decides, and asks the board whether it would let the ticket go: all but the write. */
async function dryMove(inspection: Inspection, tenant: TenantStore, id: string): Promise<Finding> {
  const check = `${tenant.id}/${id}: dry move`;
  const { value, problems } = await attempt(
    () => tryMove(inspection, tenant, id),
    "Run `boardwalk import` for this connection, then look again.",
  );
  return {
    check,
    problems: value?.problems ?? problems,
    ...(value?.note === undefined ? {} : { note: value.note }),
  };
}

interface Tried {
  readonly problems: readonly Problem[];
  readonly note?: string;
}

async function tryMove(inspection: Inspection, tenant: TenantStore, id: string): Promise<Tried> {
  const talk = { tenant, speaker: { person: "doctor" }, budgetMs: BOARD_MS };
  const { tickets } = await inspection.tickets.find(talk, { board: id });
  for (const ticket of tickets.filter(({ archived, detached }) => !archived && !detached)) {
    const { openMoves } = await inspection.tickets.listMoves(talk, { ticket: ticket.id });
    const [move] = openMoves;
    if (move !== undefined) return await askBoard(inspection, tenant, ticket, move.status);
  }
  return {
    problems: [],
    note: tickets.length === 0 ? "no ticket to try it with" : "no ticket can go anywhere",
  };
}

async function askBoard(
  inspection: Inspection,
  tenant: TenantStore,
  ticket: TicketShape,
  to: { readonly id: string; readonly name: string },
): Promise<Tried> {
  const what = ticket.key ?? ticket.id;
  const { connector } = await inspection.connections.open(tenant, ticket.connection);
  const signal = AbortSignal.timeout(BOARD_MS);
  const seen = await connector.readTicket(ticket.id, signal);
  const behind = (message: string): Tried => ({
    problems: [
      {
        code: "stale",
        message,
        fix: "Run `boardwalk import` for this connection, and see that workers run.",
      },
    ],
  });
  if (seen === undefined) return behind(`The board does not show ${what} any more, and we still do.`);
  if (seen.status !== ticket.status.id)
    return behind(`${what} is in another status on the board than in what we keep.`);
  const open = await connector.openMoves(seen, signal);
  if (!open.some((move) => move.to === to.id))
    return behind(
      `The board would not let ${what} go to ${to.name} now, and what we keep says that it would.`,
    );
  return { problems: [], note: `${what} could go to ${to.name}` };
}

async function attempt<T>(
  run: () => Promise<T>,
  fix: string,
): Promise<{ readonly value?: T; readonly problems: readonly Problem[] }> {
  try {
    return { value: await run(), problems: [] };
  } catch (error) {
    const cause = error instanceof BoardwalkError ? error : unreachable(error);
    return { problems: [{ code: cause.code, message: cause.message, fix }] };
  }
}

function unreachable(cause: unknown): BoardwalkError {
  if (cause instanceof TypeError || (cause instanceof DOMException && cause.name === "TimeoutError"))
    return new BoardwalkError("unavailable", "It does not answer.", { cause });
  return BoardwalkError.from(cause);
}
