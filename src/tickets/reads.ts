import type { Status } from "../machine/index.js";
import type { ActorRecord } from "../store/store.js";
import { hookFacts, openFacts, ticketFacts } from "./facts.js";
import { rememberHeard, type Told, talkedOf } from "./heard.js";
import { type Resolved, resolveTicket } from "./resolve.js";
import { speechFor } from "./settings.js";
import type { BoardShape, FindShape, MovesShape, QuestionShape, ReadShape, TicketShape } from "./shapes.js";
import type { Speech } from "./speech.js";
import { resolveStatus } from "./statuses.js";
import type { Conversation, Tickets } from "./tickets.js";
import type { TenantView, Views } from "./view.js";
import { plainWords } from "./words.js";
import type { Workflow } from "./workflow.js";
import { wrongArguments } from "./wrong-arguments.js";

/** The answers that come from our own snapshot, without waiting for any board. */

const PAGE = 20;

export function createReads(
  views: Views,
): Pick<Tickets, "find" | "read" | "listMoves" | "describeBoard" | "workflows"> {
  return {
    async find(talk, args) {
      const view = await views.fresh(talk.tenant, talk.since);
      const answer = find(view, args, speechFor(talk, view.speech));
      rememberHeard(talk, { tickets: answer.tickets.slice(0, 5) });
      return answer;
    },
    async read(talk, args) {
      const view = await views.fresh(talk.tenant, talk.since);
      const talked = await talkedOf(talk, args.ticket);
      const answer = read(view, resolveTicket(view, args.ticket, talked), talk);
      rememberHeard(talk, toldBy(answer));
      return answer;
    },
    async listMoves(talk, args) {
      const view = await views.fresh(talk.tenant, talk.since);
      const talked = await talkedOf(talk, args.ticket);
      const answer = listMoves(view, resolveTicket(view, args.ticket, talked), talk);
      rememberHeard(talk, toldBy(answer));
      return answer;
    },
    async describeBoard(talk, args) {
      const view = await views.fresh(talk.tenant, talk.since);
      return describeBoard(view, args.board, speechFor(talk, view.speech));
    },
    async workflows(tenant, since) {
      const view = await views.fresh(tenant, since);
      return { revision: view.workflowRevision, workflows: [...view.workflows.values()] };
    },
  };
}

/** What the answer about one ticket told, or between which tickets it asked. */
function toldBy({ ticket, question }: Pick<ReadShape, "ticket" | "question">): Told {
  const offered = question?.about === "ticket" ? question.options.map((option) => option.id) : undefined;
  return { tickets: ticket === undefined ? [] : [ticket], ...(offered === undefined ? {} : { offered }) };
}

type FindArguments = Parameters<Tickets["find"]>[1];

function find(view: TenantView, args: FindArguments, say: Speech): FindShape {
  const asked = args.query?.trim() ?? "";
  const found = asked === "" ? { records: view.list(), near: [] } : matching(view, asked);
  let { records } = found;
  if (args.board !== undefined) records = records.filter(onBoard(view, args.board));
  const meant = args.status === undefined ? undefined : statusesMeant(view, args);
  if (meant !== undefined) records = records.filter(inStatus(meant));
  const start = args.cursor === undefined ? 0 : afterCursor(records, args.cursor);
  const page = records.slice(start, start + PAGE);
  const tickets = page.map((record) => ticketFacts(record, view.workflowOf(record)));
  const near = found.near.map((record) => ticketFacts(record, view.workflowOf(record)));
  const last = page.at(-1);
  const more = last !== undefined && start + PAGE < records.length;
  return {
    tickets,
    total: records.length,
    ...(more ? { next: Buffer.from(last.ticket.id).toString("base64url") } : {}),
    spoken:
      (asked === "" &&
        meant !== undefined &&
        ofStatus(meant, args.status ?? "", tickets, records.length, say)) ||
      (tickets.length === 0 ? say.notFound(near) : say.found(tickets, records.length)),
  };
}

/** By workflow: the statuses that the words name there. */
type Meant = ReadonlyMap<string, readonly Status[]>;

/** The sentence about a status that was asked for by itself; nothing where it has several names. */
function ofStatus(
  meant: Meant,
  words: string,
  tickets: readonly TicketShape[],
  total: number,
  say: Speech,
): string | undefined {
  const names = new Set([...meant.values()].flat().map((status) => status.name));
  const [only] = names;
  if (only === undefined) return say.unknownStatusAsked(words);
  return names.size === 1 ? say.foundIn(only, tickets, total) : undefined;
}

/** What the words mean, or what is near it: only the first is found. */
function matching(
  view: TenantView,
  query: string,
): { readonly records: readonly ActorRecord[]; readonly near: readonly ActorRecord[] } {
  const resolved = resolveTicket(view, query);
  if (resolved.kind === "one") return { records: [resolved.value], near: [] };
  if (resolved.kind === "many") return { records: resolved.values, near: [] };
  return { records: [], near: resolved.near };
}

/** Where the ticket that ended the last page stands now; a ticket that has left takes its place with it. */
function afterCursor(records: readonly ActorRecord[], cursor: string): number {
  const id = Buffer.from(cursor, "base64url").toString();
  const index = records.findIndex((record) => record.ticket.id === id);
  if (index < 0) throw wrongArguments({ kind: "gone" });
  return index + 1;
}

function onBoard(view: TenantView, board: string): (record: ActorRecord) => boolean {
  const ids = new Set(boardsNamed(view, board).map((workflow) => workflow.graph.id));
  return (record) => ids.has(record.ticket.workflow);
}

function boardsNamed(view: TenantView, board: string): readonly Workflow[] {
  const wanted = plainWords(board);
  const all = [...view.workflows.values()];
  const exact = all.filter(({ graph, connection }) =>
    [graph.id, graph.name, connection].some((name) => plainWords(name) === wanted),
  );
  return exact.length > 0
    ? exact
    : all.filter(({ graph }) => wanted !== "" && plainWords(graph.name).includes(wanted));
}

function statusesMeant(view: TenantView, { status = "", board }: FindArguments): Meant {
  const asked = board === undefined ? [...view.workflows.values()] : boardsNamed(view, board);
  return new Map(
    asked.map((workflow) => {
      // Its id names a status even when it is retired, which words do not.
      const exact = workflow.status(status);
      if (exact !== undefined) return [workflow.graph.id, [exact]];
      const resolved = resolveStatus(workflow, status);
      if (resolved.kind === "none") return [workflow.graph.id, []];
      return [workflow.graph.id, resolved.kind === "one" ? [resolved.value] : resolved.values];
    }),
  );
}

function inStatus(meant: Meant): (record: ActorRecord) => boolean {
  return ({ ticket }) => meant.get(ticket.workflow)?.some(({ id }) => id === ticket.status) === true;
}

function read(view: TenantView, resolved: Resolved<ActorRecord>, talk: Conversation): ReadShape {
  const say = speechFor(talk, view.speech);
  if (resolved.kind !== "one") return askWhich(view, resolved, say);
  const workflow = view.workflowOf(resolved.value);
  const ticket = ticketFacts(resolved.value, workflow);
  const hooks = hookFacts(resolved.value);
  const spoken = say.ticket(ticket, openFacts(resolved.value, workflow, talk));
  return { ticket, ...(hooks.length === 0 ? {} : { hooks }), spoken };
}

function listMoves(view: TenantView, resolved: Resolved<ActorRecord>, talk: Conversation): MovesShape {
  const say = speechFor(talk, view.speech);
  if (resolved.kind !== "one") return { openMoves: [], ...askWhich(view, resolved, say) };
  const workflow = view.workflowOf(resolved.value);
  const ticket = ticketFacts(resolved.value, workflow);
  const openMoves = openFacts(resolved.value, workflow, talk);
  const closedMoves = closedFacts(workflow, ticket, openMoves, say);
  return {
    ticket,
    openMoves,
    ...(closedMoves.length === 0 ? {} : { closedMoves }),
    spoken: say.ticket(ticket, openMoves),
  };
}

function closedFacts(
  workflow: Workflow | undefined,
  ticket: TicketShape,
  open: MovesShape["openMoves"],
  say: Speech,
): { status: string; why: string }[] {
  const openIds = new Set(open.map((move) => move.status.id));
  return (workflow?.graph.statuses ?? [])
    .filter((status) => !status.retired && status.id !== ticket.status.id && !openIds.has(status.id))
    .map((status) => ({ status: status.name, why: say.noWay(ticket.status.name, status.name) }));
}

/** The question that several candidates, or none, lead to. */
export function askWhich(
  view: TenantView,
  resolved: Exclude<Resolved<ActorRecord>, { kind: "one" }>,
  say: Speech,
): { question?: QuestionShape; spoken: string } {
  const records = resolved.kind === "many" ? resolved.values : resolved.near;
  const tickets = records.map((record) => ticketFacts(record, view.workflowOf(record)));
  const shown = tickets.slice(0, 3);
  const labels = say.labels(shown);
  const options = shown.map((ticket, i) => ({ id: ticket.id, label: labels[i] ?? ticket.title }));
  return {
    ...(options.length === 0 ? {} : { question: { about: "ticket", options } }),
    spoken: sayWhich(resolved, tickets, say),
  };
}

function sayWhich(
  resolved: Exclude<Resolved<ActorRecord>, { kind: "one" }>,
  tickets: readonly TicketShape[],
  say: Speech,
): string {
  if (resolved.kind === "many") return say.which(tickets);
  if (resolved.because === "all") return say.oneAtATime();
  return resolved.because === "nothing" ? say.nothingMeant() : say.notFound(tickets.slice(0, 3));
}

function describeBoard(view: TenantView, board: string | undefined, say: Speech): BoardShape {
  const chosen = board === undefined ? [...view.workflows.values()] : boardsNamed(view, board);
  const boards = chosen.map((workflow) => boardFacts(view, workflow));
  const [only, ...others] = boards;
  if (only !== undefined && others.length === 0)
    return { boards, spoken: say.board(only.name, only.statuses) };
  const known = [...view.workflows.values()].map((workflow) => workflow.graph.name);
  return { boards, spoken: say.boards(known) };
}

function boardFacts(view: TenantView, workflow: Workflow): BoardShape["boards"][number] {
  const counts = new Map<string, number>();
  for (const { ticket } of view.actors.values()) {
    if (ticket.workflow === workflow.graph.id)
      counts.set(ticket.status, (counts.get(ticket.status) ?? 0) + 1);
  }
  const statuses = [...workflow.graph.statuses]
    .sort((a, b) => a.order - b.order)
    .map(({ id, name, category, retired, offBoard }) => ({
      id,
      name,
      category,
      tickets: counts.get(id) ?? 0,
      ...(retired ? { retired } : {}),
      ...(offBoard ? { offBoard } : {}),
    }));
  const { id, name, edges } = workflow.graph;
  return { workflow: id, name, connection: workflow.connection, edges, statuses };
}
