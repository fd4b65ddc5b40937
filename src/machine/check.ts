import { BoardwalkError } from "../errors.js";

/** What XState has and this machine has not: reading past it would run another workflow than the one written. */
const XSTATE_ONLY = ["states", "always", "after", "invoke", "entry", "exit", "onDone", "history"];

type Loose = Readonly<Record<string, unknown>>;

/**
 * Checks the shape of a config that no compiler may have seen: it may come from JavaScript or from JSON.
 * @throws BoardwalkError `invalid` naming the state and what is wrong with it.
 */
export function checkShape(config: unknown): void {
  if (!isObject(config)) throw invalid("A machine is an object with an initial state and states.");
  if (typeof config.getPersistedSnapshot === "function" || config.type === "parallel")
    throw invalid(needsXstate("This machine"));
  if (typeof config.initial !== "string") throw invalid('A machine needs an "initial" state.');
  if (!isObject(config.states)) throw invalid('A machine needs "states", one object for each.');
  for (const [name, state] of Object.entries(config.states)) checkState(name, state);
}

function checkState(name: string, state: unknown): void {
  if (!isObject(state)) throw invalid(`State "${name}" must be an object.`);
  const foreign = XSTATE_ONLY.find((key) => state[key] !== undefined);
  if (foreign !== undefined) throw invalid(needsXstate(`State "${name}" uses "${foreign}", which`));
  if (state.type !== undefined && state.type !== "final" && state.type !== "atomic") {
    const type = typeof state.type === "string" ? `"${state.type}"` : "its own";
    throw invalid(needsXstate(`State "${name}" is of type ${type}, which`));
  }
  if (state.on !== undefined && !isObject(state.on))
    throw invalid(`The "on" of state "${name}" must be an object.`);
  for (const [event, written] of Object.entries(state.on ?? {})) {
    for (const one of Array.isArray(written) ? written : [written]) checkTransition(name, event, one);
  }
}

function checkTransition(state: string, event: string, written: unknown): void {
  if (written === undefined || typeof written === "string") return;
  const where = `"${event}" of state "${state}"`;
  if (!isObject(written)) throw invalid(`${where} must be a state's name, an object, or a list of objects.`);
  if (written.target !== undefined && typeof written.target !== "string") {
    throw invalid(`The target of ${where} must be one state's name.`);
  }
  for (const key of ["guard", "assign", "actions"]) {
    if (written[key] !== undefined && typeof written[key] !== "function") {
      throw invalid(`The ${key} of ${where} must be a function.`);
    }
  }
}

function isObject(value: unknown): value is Loose {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function needsXstate(what: string): string {
  return `${what} needs XState: make it with XState's createMachine (npm install xstate) and pass it through fromXstate.`;
}

function invalid(message: string): BoardwalkError {
  return new BoardwalkError("invalid", message);
}
