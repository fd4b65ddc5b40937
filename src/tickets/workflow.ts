import { z } from "zod";
import {
  type FsmConfig,
  type FsmNamedHook,
  fsmFromStatusGraph,
  type Status,
  type StatusGraph,
} from "../machine/index.js";
import { parseRecord } from "../store/records.js";
import { plainWords } from "./words.js";

const text = z.string();

const fieldSpec = z.object({
  id: text,
  name: text,
  type: z.enum(["option", "text", "rich_text", "number", "date", "user", "unsupported"]),
  required: z.boolean(),
  multiple: z.boolean().optional(),
  allowed: z.array(z.object({ id: text, label: text })).optional(),
});

const statusGraph = z.object({
  id: text,
  name: text,
  initial: text.optional(),
  statuses: z.array(
    z.object({
      id: text,
      name: text,
      category: z.enum(["todo", "doing", "done", "canceled", "unknown"]),
      order: z.number(),
      aliases: z.array(text),
      retired: z.boolean().optional(),
      offBoard: z.boolean().optional(),
    }),
  ),
  moves: z.array(
    z.object({
      id: text,
      from: text,
      to: text,
      name: text.optional(),
      fields: z.array(fieldSpec).optional(),
    }),
  ),
  edges: z.enum(["authoritative", "preview", "observed", "implied"]),
  teamRules: z.boolean().optional(),
});

/** What the store keeps of a workflow. */
export const workflowRecord = z.object({
  graph: statusGraph,
  connection: text,
  /** Grows with every change of the graph or its hooks. */
  revision: z.number().int(),
  /** Hooks owed on entering a status, by status id. */
  hooks: z.record(text, z.array(z.object({ run: text, with: z.record(text, z.unknown()).optional() }))),
  /** Set until every process has been told that it is not what it was, with what there is to tell. */
  changed: z.boolean().optional(),
  untold: z.array(z.unknown()).optional(),
});
export type WorkflowRecord = z.infer<typeof workflowRecord>;

/** What a ticket's machine remembers between moves: the replies of its hooks. */
export type TicketContext = Record<string, unknown>;

/** A workflow ready for use: the graph, and the one machine made from it. */
export interface Workflow {
  readonly graph: StatusGraph;
  readonly connection: string;
  readonly version: number;
  readonly machine: FsmConfig<TicketContext>;
  status(id: string): Status | undefined;
}

/** A status called by an emoji alone, or by nothing, goes by its column or its place: people have to call it something. */
function withSayableNames(graph: StatusGraph): StatusGraph {
  if (graph.statuses.every((status) => plainWords(status.name) !== "")) return graph;
  const places = [...graph.statuses].sort((a, b) => a.order - b.order).map((status) => status.id);
  const statuses = graph.statuses.map((status) => {
    if (plainWords(status.name) !== "") return status;
    const column = status.aliases.find((alias) => plainWords(alias) !== "");
    return { ...status, name: column ?? `Status ${places.indexOf(status.id) + 1}` };
  });
  return { ...graph, statuses };
}

export function workflowFrom({ id, value }: { readonly id: string; readonly value: unknown }): Workflow {
  const record = parseRecord(workflowRecord, value, "workflow", id);
  // Absent and undefined mean the same in a stored record.
  const graph = withSayableNames(record.graph as StatusGraph);
  const onEnter = record.hooks as Record<string, FsmNamedHook[]>;
  const statuses = new Map(graph.statuses.map((status) => [status.id, status]));
  return {
    graph,
    connection: record.connection,
    version: record.revision,
    machine: fsmFromStatusGraph<TicketContext>(graph, { onEnter }),
    status: (id) => statuses.get(id),
  };
}
