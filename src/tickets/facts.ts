import { type FieldSpec, NO_STATUS } from "../machine/index.js";
import type { ActorRecord } from "../store/store.js";
import { openStatuses, wantedFields } from "./decide.js";
import type { FieldShape, HookShape, OpenMoveShape, TicketShape } from "./shapes.js";
import { UNKNOWN_STATUS } from "./speech.js";
import type { Conversation } from "./tickets.js";
import type { Workflow } from "./workflow.js";

/** Records as the facts of an answer. */

export function ticketFacts(record: ActorRecord, workflow: Workflow | undefined): TicketShape {
  const { ticket } = record;
  const status = workflow?.status(ticket.status);
  return {
    id: ticket.id,
    ...(ticket.key === undefined ? {} : { key: ticket.key }),
    title: ticket.title,
    connection: ticket.connection,
    workflow: ticket.workflow,
    status: {
      id: ticket.status,
      name: status?.name ?? UNKNOWN_STATUS,
      category: status?.category ?? "unknown",
    },
    ...(ticket.archived ? { archived: true } : {}),
    ...(ticket.detached ? { detached: true } : {}),
    ...(status === undefined && !ticket.detached ? { unmapped: true } : {}),
  };
}

/** The moves open by our own snapshot, in board order. */
export function openFacts(
  record: ActorRecord,
  workflow: Workflow | undefined,
  talk: Conversation,
): OpenMoveShape[] {
  const { archived, detached, immovable } = record.ticket;
  if (workflow === undefined || archived || detached || immovable !== undefined) return [];
  return openStatuses(workflow, record)
    .filter(({ status }) => status.id !== NO_STATUS)
    .map(({ status, moves }) => openFact(status, workflow.graph.id, wantedFields(moves), talk));
}

/** The moves that the board itself named as open. */
export function liveOpenFacts(
  openTo: readonly string[],
  workflow: Workflow | undefined,
  talk: Conversation,
): OpenMoveShape[] {
  if (workflow === undefined) return [];
  return workflow.graph.statuses
    .filter((status) => openTo.includes(status.id) && status.id !== NO_STATUS)
    .sort((a, b) => a.order - b.order)
    .map((status) => openFact(status, workflow.graph.id, [], talk));
}

function openFact(
  status: { readonly id: string; readonly name: string },
  workflow: string,
  fields: readonly FieldSpec[],
  talk: Conversation,
): OpenMoveShape {
  const tool = talk.toolFor?.(workflow, status.id);
  return {
    status: { id: status.id, name: status.name },
    ...(tool === undefined ? {} : { tool }),
    ...(fields.length === 0 ? {} : { fields: fields.map(fieldFacts) }),
  };
}

export function fieldFacts(field: FieldSpec): FieldShape {
  return {
    id: field.id,
    name: field.name,
    type: field.type,
    required: field.required,
    ...(field.allowed === undefined ? {} : { allowed: field.allowed.map((option) => ({ ...option })) }),
  };
}

/** The hooks that this entry owed, or those of the ticket's current status. */
export function hookFacts(record: ActorRecord, entry = record.entry): HookShape[] {
  return record.hooks
    .filter((hook) => hook.entry === entry)
    .map((hook) => ({
      hook: hook.hook,
      state: hook.state,
      ...(hook.result === undefined ? {} : { result: hook.result }),
      ...(hook.reason === undefined ? {} : { reason: hook.reason }),
    }));
}
