import type { Tool } from "@modelcontextprotocol/server";
import { type EventTool, eventTools } from "../bridge/event-tools.js";
import { eventFacts } from "../bridge/logic.js";
import { moveEvent, NO_STATUS, type Status } from "../machine/index.js";
import type { KeptWorkflow } from "../tickets/tickets.js";
import { argumentsOf } from "./arguments.js";
import { cardMeta } from "./card.js";
import {
  CORE_TOOLS,
  focusTicket,
  listedTool,
  MOVE_OPTIONS,
  MOVING,
  moveOutput,
  moveTicket,
  NOT_MOVED,
  type ToolEntry,
} from "./core-tools.js";
import { objectSchema, shallowSchema } from "./json-schema.js";
import { machineOf } from "./machines.js";
import { type Destination, destinationKey, type KeptNames, nameDestinations } from "./tool-names.js";

/** More tools than this and clients start to drop some, so the core is shown instead. */
export const MAX_TOOLS = 40;

/** What one tenant sees on one surface, computed once per revision of its workflows. */
export interface Catalogue {
  /** As listed; the same array for as long as the catalogue lives. */
  readonly tools: Tool[];
  find(name: string): ToolEntry | undefined;
  /** The tool that moves a ticket of this workflow to this status. */
  toolFor(workflow: string, status: string): string | undefined;
  /** The tools without those that a ticket in this status of this workflow could not use now. */
  focusedOn(workflow: string, status: string): Tool[];
  readonly workflows: readonly KeptWorkflow[];
}

/** The core as one tenant's catalogue: the move is one tool with the status as an argument. */
export function coreCatalogue(workflows: readonly KeptWorkflow[]): Catalogue {
  const byName = new Map(CORE_TOOLS.map((entry) => [entry.tool.name, entry]));
  const tools = listOf(CORE_TOOLS);
  return {
    tools,
    find: (name) => byName.get(name),
    toolFor: () => undefined,
    focusedOn: () => tools,
    workflows,
  };
}

/** Frozen, so that its text may be made once; the SDK's type knows no `readonly`. */
function listOf(entries: readonly ToolEntry[]): Tool[] {
  return Object.freeze(entries.map((entry) => entry.tool)) as Tool[];
}

export interface GeneratedOptions {
  readonly workflows: readonly KeptWorkflow[];
  readonly kept: KeptNames;
  readonly now: () => Date;
  readonly maxTools?: number;
  /** Whether lists follow the talk, so that there is a tool to say what it is about. */
  readonly follows?: boolean;
}

/**
 * The core without `move_ticket`, plus one tool per destination; the core when that would be too many.
 * Names are given either way, so that they are the same when there are fewer again.
 */
export function generatedCatalogue(options: GeneratedOptions): {
  readonly catalogue: Catalogue;
  readonly kept: KeptNames;
} {
  const core = CORE_TOOLS.filter((entry) => entry !== moveTicket).concat(
    options.follows ? [focusTicket] : [],
  );
  const targets = options.workflows.toSorted(byId).flatMap(destinations);
  const reserved = [...CORE_TOOLS, focusTicket].map((entry) => entry.tool.name);
  const { names, kept } = nameDestinations(targets, options.kept, options.now(), reserved);
  const moves = new Map(options.workflows.toSorted(byId).flatMap((kept) => moveTools(kept, targets, names)));
  const entries = [...core, ...moves.values()];
  const byName = new Map(entries.map((entry) => [entry.tool.name, entry]));
  const old = new Map(renamed(moves, kept));
  const find = (name: string) => byName.get(name) ?? stillUnderstood(old.get(name), options.now());
  if (entries.length > (options.maxTools ?? MAX_TOOLS)) {
    const compact = coreCatalogue(options.workflows);
    // Who saw the names when there were fewer may go on using them.
    return { catalogue: { ...compact, find: (name) => compact.find(name) ?? find(name) }, kept };
  }
  const catalogue: Catalogue = {
    tools: listOf(entries),
    find,
    toolFor: (workflow, status) => names.get(destinationKey(workflow, status)),
    focusedOn: (workflow, status) => {
      const open = openStatuses(options.workflows, workflow, status);
      const fitting = [...moves].filter(([to]) => to.workflow === workflow && open.has(to.status));
      return [...core, ...fitting.map(([, entry]) => entry)].map((entry) => entry.tool);
    },
    workflows: options.workflows,
  };
  return { catalogue, kept };
}

/** Where a ticket in this status may go, by its machine. */
function openStatuses(
  workflows: readonly KeptWorkflow[],
  workflow: string,
  status: string,
): ReadonlySet<string> {
  const kept = workflows.find(({ graph }) => graph.id === workflow);
  const events = new Set(kept && Object.keys(machineOf(kept).states[status]?.on ?? {}));
  return new Set(kept?.graph.statuses.map(({ id }) => id).filter((id) => events.has(moveEvent(id))));
}

interface Target extends Destination {
  readonly aliases: readonly string[];
}

function byId(a: KeptWorkflow, b: KeptWorkflow): number {
  return a.graph.id < b.graph.id ? -1 : a.graph.id > b.graph.id ? 1 : 0;
}

/** The statuses of a workflow that some move leads to, in the board's order. */
function destinations({ graph }: KeptWorkflow): Target[] {
  const reached = new Set(graph.moves.map((move) => move.to));
  return graph.statuses
    .filter((status) => reached.has(status.id) && !status.retired && status.id !== NO_STATUS)
    .toSorted((a, b) => a.order - b.order || (a.id < b.id ? -1 : 1))
    .map((status) => target(graph.id, graph.name, status));
}

function target(workflow: string, workflowName: string, status: Status): Target {
  return {
    workflow,
    workflowName,
    status: status.id,
    statusName: status.name,
    aliases: status.aliases,
  };
}

function nameOf(names: ReadonlyMap<string, string>, { workflow, status }: Destination): string {
  return names.get(destinationKey(workflow, status)) ?? "";
}

const MOVE_ARGS = argumentsOf(["ticket"], MOVE_OPTIONS);
const MOVE_INPUT = objectSchema(MOVE_ARGS);
const MOVE_OUTPUT = shallowSchema(moveOutput);
const MOVE_META = cardMeta(MOVING);

/** The library's tool generator over this workflow's machine, with names that last and words for a board. */
function moveTools(
  kept: KeptWorkflow,
  targets: readonly Target[],
  names: ReadonlyMap<string, string>,
): (readonly [Target, ToolEntry])[] {
  const own = targets.filter((to) => to.workflow === kept.graph.id);
  const byEvent = new Map(own.map((to) => [moveEvent(to.status), to]));
  const said = (say: (to: Target) => string) => (event: string) => {
    const to = byEvent.get(event);
    return to === undefined ? event : say(to);
  };
  const events = eventFacts(machineOf(kept)).filter(({ type }) => byEvent.has(type));
  const tools = eventTools(
    { events },
    {
      toolName: said((to) => nameOf(names, to)),
      toolTitle: said((to) => `Move to ${label(to.statusName)}`),
      describeTool: said(describeMove),
    },
  );
  const made = new Map(tools.map((tool) => [tool.event, tool]));
  return own.flatMap((to) => {
    const tool = made.get(moveEvent(to.status));
    return tool === undefined ? [] : [[to, moveTool(to, tool)] as const];
  });
}

function moveTool(to: Target, { name, title, description, annotations }: EventTool): ToolEntry {
  return {
    tool: listedTool({
      name,
      title,
      description,
      inputSchema: MOVE_INPUT,
      outputSchema: MOVE_OUTPUT,
      // A ticket that is there already stays there; and the board is a world of its own.
      annotations: { ...annotations, title, idempotentHint: true, openWorldHint: true },
      _meta: MOVE_META,
    }),
    readOnly: false,
    args: MOVE_ARGS,
    empty: NOT_MOVED,
    run: (tickets, talk, args) =>
      tickets.move(talk, {
        ...(args as { readonly ticket: string }),
        to: to.status,
        workflow: to.workflow,
      }),
  };
}

function describeMove(to: Target): string {
  const known = to.aliases
    .filter((alias) => alias !== to.statusName)
    .slice(0, 3)
    .map((alias) => `"${label(alias)}"`);
  const also = known.length === 0 ? "" : ` Also known as ${known.join(", ")}.`;
  return (
    `Moves one ticket of "${label(to.workflowName)}" to "${label(to.statusName)}" on the real board.${also} Use it ` +
    "when someone says that a ticket should go there or is there now. Returns the outcome, where the ticket truly " +
    "is, and what was started for it. Only `confirmed` means that it has moved."
  );
}

/** Tools under the names of before a rename, whose answers say the new one. */
function* renamed(moves: ReadonlyMap<Target, ToolEntry>, kept: KeptNames): Iterable<[string, OldName]> {
  const byKey = new Map([...moves].map((move) => [destinationKey(move[0].workflow, move[0].status), move]));
  for (const [oldName, alias] of Object.entries(kept.aliases)) {
    const move = byKey.get(destinationKey(alias.workflow, alias.status));
    if (move === undefined) continue;
    yield [oldName, { entry: underOldName(move[1], move[0]), until: Date.parse(alias.until) }];
  }
}

interface OldName {
  readonly entry: ToolEntry;
  readonly until: number;
}

function stillUnderstood(old: OldName | undefined, now: Date): ToolEntry | undefined {
  return old !== undefined && now.getTime() < old.until ? old.entry : undefined;
}

function underOldName(entry: ToolEntry, to: Target): ToolEntry {
  return {
    ...entry,
    run: async (tickets, talk, args) => {
      const answer = await entry.run(tickets, talk, args);
      const spoken = `${answer.spoken} By the way, that status is now called ${label(to.statusName)}.`;
      return { ...answer, renamedTo: entry.tool.name, spoken };
    },
  };
}

/** A board's own words, made safe to stand in a sentence: one line, no quotes or control characters, not long. */
function label(text: string): string {
  const clean = text.replace(/[\p{C}\s"]+/gu, " ").trim();
  return clean.length <= 60 ? clean : `${clean.slice(0, 59)}…`;
}

/** Exactly the core, with no tenant in it. */
export const FROZEN: Catalogue = coreCatalogue([]);
