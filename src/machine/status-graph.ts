import { BoardwalkError } from "../errors.js";
import type { MoveEventName } from "./name-types.js";
import { distinctNames, shortHash } from "./names.js";
import type { FsmConfig, FsmEffect, FsmEntryHook, FsmStateConfig, FsmTransitionConfig } from "./types.js";

/** How far along a status is, told by the board where it can tell. */
export type StatusCategory = "todo" | "doing" | "done" | "canceled" | "unknown";

/** How far a graph's moves can be trusted, best first; see DESIGN "The machine". */
export type EdgeTrust = "authoritative" | "preview" | "observed" | "implied";

/** GitHub's "No Status": a status without an option behind it, a target only when asked for by those words. */
export const NO_STATUS = "none";

/** A field that a move wants or takes. */
export interface FieldSpec {
  readonly id: string;
  readonly name: string;
  /** `unsupported`: we know its name only; it has to be filled in on the board itself. */
  readonly type: "option" | "text" | "rich_text" | "number" | "date" | "user" | "unsupported";
  readonly required: boolean;
  readonly multiple?: boolean;
  readonly allowed?: readonly { readonly id: string; readonly label: string }[];
}

/** One status of a board's workflow. */
export interface Status {
  /** The board's own id. Names are labels for speech and never enter a comparison. */
  readonly id: string;
  readonly name: string;
  readonly category: StatusCategory;
  readonly order: number;
  /** Other names people know it by: column titles, untranslated and earlier names. */
  readonly aliases: readonly string[];
  /** No longer on the board; kept so that tickets still in it have a state. */
  readonly retired?: boolean;
  /** Exists in the workflow but no column shows it. */
  readonly offBoard?: boolean;
}

/** One edge. Several may join the same two statuses: this is a multigraph. */
export interface WorkflowMove {
  readonly id: string;
  readonly from: string | "*";
  readonly to: string;
  readonly name?: string;
  readonly fields?: readonly FieldSpec[];
}

/** A board's workflow as its connector pulls it. */
export interface StatusGraph {
  readonly id: string;
  readonly name: string;
  readonly initial?: string;
  readonly statuses: readonly Status[];
  readonly moves: readonly WorkflowMove[];
  readonly edges: EdgeTrust;
  /** Some of the board's moves are left out by a rule of the team's own. */
  readonly teamRules?: boolean;
}

/** The plain form: from each status, the statuses that may come next. */
export interface StatusGraphInput<
  C extends object,
  TState extends string = string,
  TTarget extends string = TState,
> {
  readonly id?: string;
  readonly initial: NoInfer<TState>;
  readonly context?: C;
  readonly graph: Readonly<Record<TState, readonly TTarget[]>>;
  readonly prompts?: Readonly<Partial<Record<NoInfer<TState>, string>>>;
  /** Run and awaited on every arrival in that status. */
  readonly onEnter?: Readonly<Partial<Record<NoInfer<TState>, FsmEffect<C>>>>;
  /** Names the event that leads to a status. @default `MOVE_TO_` and the status in upper case */
  readonly eventName?: (status: string) => string;
}

/** What a machine made from a board's workflow gets beside its states and moves. */
export interface StatusGraphOptions<C extends object> {
  readonly context?: C;
  readonly prompts?: Readonly<Record<string, string>>;
  /** Entry hooks by status id. */
  readonly onEnter?: Readonly<Record<string, FsmEntryHook<C> | readonly FsmEntryHook<C>[]>>;
}

/** The event that moves a ticket to the status with this id, in a machine made from a {@link StatusGraph}. */
export function moveEvent(statusId: string): string {
  return `MOVE_TO_${statusId}`;
}

/**
 * A machine with one state per status and one event per destination, valid from every status that may go there.
 * @throws BoardwalkError `invalid` for an unknown target or initial status.
 */
export function fsmFromStatusGraph<
  // biome-ignore lint/complexity/noBannedTypes: the seed API's default context is the empty object.
  C extends object = {},
  const TState extends string = string,
  const TTarget extends string = string,
  const TId extends string = string,
>(
  input: StatusGraphInput<C, TState, TTarget> & { readonly id?: TId; readonly eventName?: undefined },
): FsmConfig<C, TState, MoveEventName<TTarget>> & { readonly id?: TId };
// biome-ignore lint/complexity/noBannedTypes: as above.
export function fsmFromStatusGraph<C extends object = {}>(input: StatusGraphInput<C>): FsmConfig<C>;
// biome-ignore lint/complexity/noBannedTypes: as above.
export function fsmFromStatusGraph<C extends object = {}>(
  graph: StatusGraph,
  options?: StatusGraphOptions<C>,
): FsmConfig<C>;
export function fsmFromStatusGraph<C extends object>(
  input: StatusGraphInput<C> | StatusGraph,
  options: StatusGraphOptions<C> = {},
): FsmConfig<C> {
  return "statuses" in input ? fromRich(input, options) : fromAdjacency(input);
}

function fromAdjacency<C extends object>(input: StatusGraphInput<C>): FsmConfig<C> {
  const statuses = Object.keys(input.graph);
  if (!Object.hasOwn(input.graph, input.initial)) {
    throw new BoardwalkError("invalid", `initial status "${input.initial}" is not a key of graph`);
  }
  const events = distinctNames(statuses, input.eventName ?? eventFromName);
  const states = record<FsmStateConfig<C>>();
  for (const status of statuses) {
    const on = record<FsmTransitionConfig<C>>();
    for (const target of input.graph[status] ?? []) {
      const event = events.get(target);
      if (event === undefined)
        throw new BoardwalkError("invalid", `status "${status}" lists unknown target "${target}"`);
      on[event] = { target };
    }
    const prompt = own(input.prompts, status);
    const onEnter = own(input.onEnter, status);
    states[status] = {
      on,
      final: Object.keys(on).length === 0,
      ...(prompt ? { meta: { prompt } } : {}),
      ...(onEnter === undefined ? {} : { onEnter }),
    };
  }
  return {
    ...(input.id === undefined ? {} : { id: input.id }),
    initial: input.initial,
    ...(input.context === undefined ? {} : { context: input.context }),
    states,
  };
}

/** As the seed names events; a name without a Latin letter or digit, or one already taken, gets a hash of the status. */
function eventFromName(status: string): string {
  const name = status.toUpperCase().replace(/[^A-Z0-9]+/g, "_");
  return /[A-Z0-9]/.test(name) ? `MOVE_TO_${name}` : `MOVE_TO_${shortHash(status).toUpperCase()}`;
}

function fromRich<C extends object>(graph: StatusGraph, options: StatusGraphOptions<C>): FsmConfig<C> {
  const byId = new Map(graph.statuses.map((status) => [status.id, status]));
  const twice = graph.statuses.find((status) => byId.get(status.id) !== status);
  if (twice !== undefined) {
    throw new BoardwalkError(
      "invalid",
      `Workflow "${graph.name}" has two statuses with the id "${twice.id}": "${twice.name}" and "${byId.get(twice.id)?.name}".`,
    );
  }
  const initial = graph.initial ?? [...graph.statuses].sort((a, b) => a.order - b.order)[0]?.id;
  if (initial === undefined || !byId.has(initial)) {
    throw new BoardwalkError("invalid", `Workflow "${graph.name}" has no status to start in.`);
  }
  for (const move of graph.moves) {
    const unknown = [move.from, move.to].find((id) => id !== "*" && !byId.has(id));
    if (unknown !== undefined) {
      throw new BoardwalkError(
        "invalid",
        `Workflow "${graph.name}" has a move "${move.id}" that names an unknown status "${unknown}".`,
      );
    }
  }
  const states = record<FsmStateConfig<C>>();
  for (const status of graph.statuses) states[status.id] = richState(graph, status, byId, options);
  return {
    id: graph.id,
    initial,
    ...(options.context === undefined ? {} : { context: options.context }),
    states,
  };
}

function richState<C extends object>(
  graph: StatusGraph,
  status: Status,
  byId: ReadonlyMap<string, Status>,
  options: StatusGraphOptions<C>,
): FsmStateConfig<C> {
  const moves = new Map<string, WorkflowMove[]>();
  for (const move of graph.moves) {
    // A move from anywhere is no move to where one already is.
    const leaves = move.from === status.id || (move.from === "*" && move.to !== status.id);
    if (!leaves || byId.get(move.to)?.retired) continue;
    const same = moves.get(move.to);
    if (same === undefined) moves.set(move.to, [move]);
    else same.push(move);
  }
  const on = record<FsmTransitionConfig<C>>();
  for (const [to, along] of moves) on[moveEvent(to)] = { target: to, meta: { moves: along } };
  const onEnter = own(options.onEnter, status.id);
  return {
    on,
    final: moves.size === 0,
    meta: { prompt: own(options.prompts, status.id) ?? `Now in ${status.name}.`, status },
    ...(onEnter === undefined ? {} : { onEnter }),
  };
}

/** Without a prototype, so that a status called "constructor" is just a status. */
function record<T>(): Record<string, T> {
  return Object.create(null) as Record<string, T>;
}

function own<T>(from: Readonly<Partial<Record<string, T>>> | undefined, key: string): T | undefined {
  return from !== undefined && Object.hasOwn(from, key) ? from[key] : undefined;
}
