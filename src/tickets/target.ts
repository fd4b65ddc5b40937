import type { ActorRecord } from "../store/store.js";
import { openStatuses } from "./decide.js";
import { openFacts, ticketFacts } from "./facts.js";
import { heardStatus } from "./heard.js";
import type { MoveShape } from "./shapes.js";
import type { Speech } from "./speech.js";
import { resolveStatus, type StatusFound } from "./statuses.js";
import type { Conversation, MoveArguments } from "./tickets.js";
import { plainWords } from "./words.js";
import type { Workflow } from "./workflow.js";

/** Where a ticket is to go, and where its speaker believes it to be: from words to ids. */

export interface Target {
  readonly to: string;
  readonly via?: string;
  /** The status was known only by its sound. */
  readonly heard?: true;
}

export type OrAnswer<T> = T | { readonly answer: MoveShape };

/** The workflow as we know it has no such status. */
export interface Unheard {
  readonly answer: MoveShape;
  readonly unheard: true;
}

/** The status that was named: by id, by words, or by the name of an edge. */
export function resolveTarget(
  workflow: Workflow,
  record: ActorRecord,
  args: Pick<MoveArguments, "to" | "workflow">,
  talk: Conversation,
  say: Speech,
): OrAnswer<Target> | Unheard {
  const ticket = ticketFacts(record, workflow);
  if (args.workflow !== undefined && args.workflow !== workflow.graph.id) {
    const openMoves = openFacts(record, workflow, talk);
    const spoken = say.otherBoard(ticket, openMoves);
    return { answer: { outcome: "refused", code: "no_such_move", ticket, openMoves, spoken } };
  }
  const resolved = onlyOpen(workflow, record, resolveStatus(workflow, args.to));
  if (resolved.kind === "one") return { to: resolved.value.id, ...(resolved.heard ? { heard: true } : {}) };
  const edge = edgeNamed(workflow, record, args.to);
  if (edge !== undefined) return edge;
  const openMoves = openFacts(record, workflow, talk);
  if (resolved.kind === "none") {
    return {
      unheard: true,
      answer: {
        outcome: "refused",
        code: "no_such_move",
        ticket,
        openMoves,
        spoken: say.noStatus(ticket, args.to, openMoves),
      },
    };
  }
  const options = resolved.values.slice(0, 3).map((status) => ({ id: status.id, label: status.name }));
  const spoken = say.whichStatus(resolved.values.map((status) => status.name));
  return {
    answer: { outcome: "question", ticket, question: { about: "status", options }, openMoves, spoken },
  };
}

/** A column, or a common word, that stands for several statuses means the one of them that is open, if only one is. */
function onlyOpen(workflow: Workflow, record: ActorRecord, found: StatusFound): StatusFound {
  if (found.kind !== "many" || found.by === "name") return found;
  const open = openStatuses(workflow, record).map(({ status }) => status.id);
  const [only, ...others] = found.values.filter((status) => open.includes(status.id));
  return only === undefined || others.length > 0 ? found : { kind: "one", value: only, by: "column" };
}

/** `Start work`: the edge itself was named, not where it leads. */
function edgeNamed(workflow: Workflow, record: ActorRecord, words: string): Target | undefined {
  const wanted = plainWords(words);
  const edges = workflow.graph.moves.filter(
    (edge) => edge.from === record.ticket.status || edge.from === "*",
  );
  const byId = edges.find((edge) => edge.id === words.trim());
  const named =
    byId === undefined
      ? edges.filter((edge) => wanted !== "" && plainWords(edge.name ?? "") === wanted)
      : [byId];
  const [only] = named;
  return named.length === 1 && only !== undefined ? { to: only.to, via: only.id } : undefined;
}

/** The status the speaker believes the ticket is in, and an answer when she named one that does not exist. */
export async function heardFor(
  talk: Conversation,
  workflow: Workflow,
  record: ActorRecord,
  from: string | undefined,
  say: Speech,
): Promise<OrAnswer<{ readonly status: string }> | undefined> {
  if (from === undefined) {
    const status = await heardStatus(talk, record.ticket.id);
    return status === undefined ? undefined : { status };
  }
  const resolved = resolveStatus(workflow, from);
  if (resolved.kind === "one") return { status: resolved.value.id };
  if (resolved.kind === "many" && resolved.values.some((status) => status.id === record.ticket.status))
    return undefined;
  const ticket = ticketFacts(record, workflow);
  return { answer: { outcome: "conflict", code: "conflict", ticket, spoken: say.conflict(ticket, from) } };
}
