/**
 * The machine's vocabulary: an `FsmConfig` is plain data plus pure functions.
 * The shape follows XState's config, closely enough that reading one is reading the other.
 */

/** Something that happened. `type` names it; the rest is its payload. */
export interface FsmEvent {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** Answers whether a transition may be taken. Synchronous and pure: a promise is an error, never a yes. */
export type FsmGuard<C extends object> = (context: C, event: FsmEvent) => boolean;

/** A pure, synchronous context update, applied by `transition` itself. */
export type FsmAssign<C extends object> = (context: C, event: FsmEvent) => Partial<C>;

/** Work with the outside world, run by the shell around `transition` and awaited; its result is merged into the context. */
export type FsmEffect<C extends object> = (
  context: C,
  event: FsmEvent,
  // biome-ignore lint/suspicious/noConfusingVoidType: an effect may return nothing, as in the published seed API.
) => Partial<C> | void | Promise<Partial<C> | void>;

/** @deprecated name kept for callers of the seed API; the same type as {@link FsmEffect}. */
export type FsmEnterEffect<C extends object> = FsmEffect<C>;

/** A hook named in data and carried out by whoever runs the machine: in the service, a durable job. */
export interface FsmNamedHook {
  readonly run: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

/** What a state owes on arrival: a function run in process, or a name that someone else carries out. */
export type FsmEntryHook<C extends object> = FsmEffect<C> | FsmNamedHook;

/** One way out of a state, spelt out. */
export interface FsmTransitionConfig<C extends object, TState extends string = string> {
  /** Where it leads. Without one, only `assign` and `actions` happen and the state stays. */
  readonly target?: TState;
  readonly guard?: FsmGuard<C>;
  /** What would make the guard say yes, as a sentence; spoken when it says no. */
  readonly reason?: string;
  readonly assign?: FsmAssign<C>;
  readonly actions?: FsmEffect<C>;
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** A way out of a state: a target's name, a transition spelt out, or several of those. */
export type FsmTransition<C extends object, TState extends string = string> =
  | TState
  | FsmTransitionConfig<C, TState>
  /** Candidates, tried in order: the first whose guard says yes is taken. */
  | readonly FsmTransitionConfig<C, TState>[];

/** One state: its ways out, and what arriving in it owes. */
export interface FsmStateConfig<
  C extends object,
  TState extends string = string,
  TEvent extends string = string,
> {
  readonly on?: Readonly<Partial<Record<TEvent, FsmTransition<C, TState>>>>;
  readonly final?: boolean;
  /** XState's way to write `final: true`. */
  readonly type?: "final" | "atomic";
  /** Run on every arrival, also from the state itself; never for the initial state. */
  readonly onEnter?: FsmEntryHook<C> | readonly FsmEntryHook<C>[];
  readonly meta?: { readonly prompt?: string; readonly [key: string]: unknown };
}

/** A machine: plain data plus pure functions, in the shape of an XState config. */
export interface FsmConfig<
  // biome-ignore lint/complexity/noBannedTypes: the seed API's default context is the empty object.
  C extends object = {},
  TState extends string = string,
  TEvent extends string = string,
> {
  readonly id?: string;
  /** The states' names are what `states` declares: a misspelt initial state or target must not become one. */
  readonly initial: NoInfer<TState>;
  readonly context?: C;
  readonly states: Readonly<Record<TState, FsmStateConfig<C, NoInfer<TState>, TEvent>>>;
}

/** Where a machine is. */
export interface FsmPosition<C extends object> {
  readonly value: string;
  readonly context: C;
}

export interface FsmSnapshot<C extends object> extends FsmPosition<C> {
  readonly availableEvents: readonly string[];
  readonly done: boolean;
}

/** Why an event was not taken: the state has no such transition, or a guard said no. */
export type FsmRefusalReason = "no-transition" | "guard-rejected";

/** Effects owed by a transition, in the order in which to run them. */
export interface FsmHook<C extends object> {
  readonly on: "transition" | "enter";
  readonly run: FsmEffect<C> | FsmNamedHook;
}

/** A transition that may be taken: where it leads, and the effects it owes. Nothing has been run. */
export interface FsmStep<C extends object> {
  readonly ok: true;
  readonly position: FsmPosition<C>;
  readonly hooks: readonly FsmHook<C>[];
  /** The transition taken, as written in the config. */
  readonly taken: FsmTransitionConfig<C>;
}

/** An event that the machine does not take from this position. */
export interface FsmRefusal {
  readonly ok: false;
  readonly reason: FsmRefusalReason;
  /** The guard's own sentence, when the config gives one. */
  readonly why?: string;
}

/** What came of a send, and where the machine stands now. */
export type FsmSendResult<C extends object> =
  | { readonly ok: true; readonly snapshot: FsmSnapshot<C> }
  | {
      readonly ok: false;
      readonly reason: FsmRefusalReason;
      readonly why?: string;
      readonly snapshot: FsmSnapshot<C>;
    };

/** A machine in memory; made by `createFsmActor`. */
export interface FsmActor<C extends object, TEvent extends string = string> {
  /** Where the machine stands: a frozen copy. */
  getSnapshot(): FsmSnapshot<C>;
  /**
   * Sends an event and waits for its effects. Sends run one after another. @throws BoardwalkError
   * `hook_failed` when an effect throws.
   */
  send(event: FsmEvent & { readonly type: TEvent }): Promise<FsmSendResult<C>>;
  /** As `send`, but what needs no waiting is answered, or thrown, at once. */
  sendNow?(event: FsmEvent & { readonly type: TEvent }): FsmSendResult<C> | Promise<FsmSendResult<C>>;
  /** Whether this event would be taken now; runs no effect. */
  can(event: FsmEvent & { readonly type: TEvent }): boolean;
  /** Back to the initial state and context. */
  reset(): void;
  /** Lets go of timers, where the machine has any. */
  stop?(): void;
}
