import { createRequire } from "node:module";
import { BoardwalkError } from "../errors.js";

/** What is used of XState 5, described here because it is an optional peer: nothing of ours may need its types. */

export interface XstateSnapshot {
  readonly status: string;
  readonly value: XstateValue;
  readonly context: object;
  readonly error?: unknown;
  can(event: { type: string }): boolean;
  matches(value: XstateValue): boolean;
  getMeta(): Record<string, { prompt?: unknown } | undefined>;
}

export type XstateValue = string | { readonly [key: string]: XstateValue | undefined };

export interface XstateNode {
  readonly id: string;
  readonly key: string;
  readonly type: string;
  readonly path: readonly string[];
  readonly parent?: XstateNode | undefined;
  readonly states: Readonly<Record<string, XstateNode>>;
  readonly entry: readonly unknown[];
  readonly invoke: readonly { readonly src: unknown }[];
  readonly transitions: ReadonlyMap<string, readonly XstateTransition[]>;
}

export interface XstateTransition {
  readonly eventType: string;
  readonly actions: readonly unknown[];
  readonly target?: readonly XstateNode[] | undefined;
}

/** What `createMachine` and `setup().createMachine` make. */
export interface XstateMachine {
  readonly id: string;
  readonly root: XstateNode;
  readonly events: readonly string[];
  readonly config: { readonly id?: string | undefined };
  /** The snapshot as plain data, as XState persists it. */
  getPersistedSnapshot(snapshot: never): unknown;
}

export interface XstateAction {
  readonly type: string;
  readonly info: unknown;
  readonly params: unknown;
  readonly exec?: ((info: unknown, params: unknown) => unknown) | undefined;
}

interface Xstate {
  initialTransition(machine: XstateMachine, input?: unknown): [XstateSnapshot, XstateAction[]];
  transition(
    machine: XstateMachine,
    snapshot: XstateSnapshot,
    event: { type: string },
  ): [XstateSnapshot, XstateAction[]];
  getNextTransitions(snapshot: XstateSnapshot): XstateTransition[];
  createActor(machine: XstateMachine, options: { snapshot: unknown }): { getSnapshot(): XstateSnapshot };
  assign(update: (args: { context: never; event: never }) => object): unknown;
}

let loaded: Xstate | undefined;

/**
 * XState, loaded when first needed.
 * @throws BoardwalkError `invalid` saying what to install, when it is not there.
 */
export function xstate(): Xstate {
  loaded ??= load(createRequire(import.meta.url));
  return loaded;
}

export function load(require: (name: string) => unknown): Xstate {
  let found: Partial<Xstate>;
  try {
    found = require("xstate") as Partial<Xstate>;
  } catch (cause) {
    throw missing('This needs the package "xstate", which is not installed.', cause);
  }
  if (typeof found.transition !== "function" || typeof found.getNextTransitions !== "function") {
    throw missing('This needs a newer version of the package "xstate" than the one installed.');
  }
  return found as Xstate;
}

function missing(what: string, cause?: unknown): BoardwalkError {
  return new BoardwalkError("invalid", `${what} Install it with: npm install xstate@^5.33`, { cause });
}
