import { isUnsettled } from "../../src/store/records.js";
import type { ActorRecord, HistoryEvent, Store } from "../../src/store/store.js";
import { until } from "../support/until.js";
import { type ChaosTicket, TENANT } from "./api.js";
import { type ChaosBoards, HERE, THERE } from "./boards.js";
import { count, type Walk } from "./walk.js";

/** What must be true afterwards, whatever was killed. Every breach is a sentence; none is how it should be. */

export async function judge(
  store: Store,
  boards: ChaosBoards,
  walks: readonly Walk[],
  branches: ReadonlyMap<string, string>,
): Promise<readonly string[]> {
  const faults = walks.flatMap(({ lies }) => lies);
  for (const walk of walks) {
    const record = await settled(store, walk.ticket);
    const history = await historyOf(store, walk.ticket);
    faults.push(...ticketFaults(boards, walk, record, history));
  }
  faults.push(...(await auditFaults(store, walks)));
  faults.push(...pullFaults(boards.pulls(), walks, branches));
  faults.push(
    ...boards.boards.flatMap((board) => {
      const said = sum(
        walks.filter(({ ticket }) => ticket.board === board.id).map((walk) => walk.acknowledged),
      );
      const landed = board.landed();
      return landed === said
        ? []
        : [`${board.id}'s journal has ${landed} moves done, ${said} were acknowledged`];
    }),
  );
  return faults;
}

function ticketFaults(
  { boards }: ChaosBoards,
  { ticket, acknowledged, entries }: Walk,
  record: ActorRecord,
  history: readonly HistoryEvent[],
): readonly string[] {
  const board = boards.find(({ id }) => id === ticket.board);
  const asked = board?.asked.filter((title) => title === ticket.title).length ?? 0;
  const truth = board?.statusOf(ticket.title);
  const last = acknowledged % 2 === 0 ? HERE : THERE;
  const moved = history.filter(({ kind, outcome }) => kind === "moved" && outcome === "confirmed");
  const hooks = history.filter(({ kind, outcome }) => kind === "hook" && outcome === "done");
  return [
    ...expected("is on its board", truth, last),
    ...expected("is with us", record.ticket.status, board?.statusId(last)),
    ...expected("was written to its board", asked, acknowledged),
    ...expected("was entered, by our count", record.entry, acknowledged),
    ...expected("was moved, by its history", moved.length, acknowledged),
    ...expected("ran its hook, by its history", hooks.length, entries),
  ].map((fault) => `${ticket.title} ${fault}`);
}

function expected(what: string, is: unknown, should: unknown): readonly string[] {
  return is === should ? [] : [`${what}: ${is}, should be ${should}`];
}

/** One for each branch whose ticket ever came into review, and none beside. */
function pullFaults(
  heads: readonly string[],
  walks: readonly Walk[],
  branches: ReadonlyMap<string, string>,
): readonly string[] {
  const due = new Set(
    walks.filter(({ entries }) => entries > 0).map(({ ticket }) => branches.get(ticket.id)),
  );
  const faults = [...due].flatMap((branch) => {
    const pulls = heads.filter((head) => head === branch).length;
    return pulls === 1 ? [] : [`${branch} has ${pulls} pull requests`];
  });
  const strangers = heads.filter((head) => !due.has(head));
  return [...faults, ...strangers.map((head) => `a pull request for ${head}, which nobody asked for`)];
}

/** Each move is in the audit log, and once. */
async function auditFaults(store: Store, walks: readonly Walk[]): Promise<readonly string[]> {
  const audited = new Map<string, number>();
  for (let cursor: string | undefined; ; ) {
    const page = await store
      .tenant(TENANT)
      .auditPage({ limit: 500, ...(cursor === undefined ? {} : { cursor }) });
    for (const { action, outcome, ticket } of page.items)
      if (action === "move" && outcome === "confirmed" && ticket !== undefined) count(audited, ticket);
    cursor = page.next;
    if (cursor === undefined) break;
  }
  return walks.flatMap(({ ticket, acknowledged }) =>
    expected(`${ticket.title} was moved, by the audit log`, audited.get(ticket.id) ?? 0, acknowledged),
  );
}

async function settled(store: Store, { id, title }: ChaosTicket): Promise<ActorRecord> {
  return await until(
    async () => {
      const record = await store.tenant(TENANT).getActor(id);
      if (record === undefined) throw new Error(`we no longer know ${title}`);
      return !isUnsettled(record) && record;
    },
    { timeoutMs: 60_000, everyMs: 100 },
  );
}

async function historyOf(store: Store, { id }: ChaosTicket): Promise<readonly HistoryEvent[]> {
  const events: HistoryEvent[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await store
      .tenant(TENANT)
      .history(id, { limit: 500, ...(cursor === undefined ? {} : { cursor }) });
    events.push(...page.items);
    cursor = page.next;
    if (cursor === undefined) return events;
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a + b, 0);
}
