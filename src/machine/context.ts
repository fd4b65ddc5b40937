import { BoardwalkError } from "../errors.js";

/**
 * A frozen copy of `context` that nobody outside can change.
 * Values already frozen by an earlier call are shared, so an update costs only what it brings.
 *
 * @throws BoardwalkError `invalid` naming the key whose value is not data.
 */
export function ownContext<C extends object>(context: C): C {
  const own: Record<string, unknown> = {};
  let writable = false;
  for (const key in context) {
    if (!Object.hasOwn(context, key)) continue;
    const value: unknown = context[key];
    if (key === "__proto__") throw notData(key, "is a prototype, not data");
    if (typeof value === "object" && value !== null) {
      const kept = ownValue(key, value);
      writable ||= writableValues.has(kept);
      own[key] = kept;
    } else own[key] = requireData(key, value);
  }
  if (writable) markWritable(own);
  return Object.freeze(own) as C;
}

/** What to show of an owned context: itself, or a copy where it holds a Map, a Date or the like, which no freezing protects. */
export function lendContext<C extends object>(context: C): C {
  return anyWritable && writableValues.has(context) ? Object.freeze(structuredClone(context)) : context;
}

/** As `ownContext`, at no cost for a context that was marked as owned: a machine's first one is restored again and again. */
export function ownContextOnce<C extends object>(context: C): C {
  return owned.has(context) ? context : ownContext(context);
}

export function markOwned<C extends object>(context: C): C {
  owned.add(context);
  return context;
}

const owned = new WeakSet<object>();
const writableValues = new WeakSet<object>();
/** Most processes never see such a value, and need not look for one with every snapshot. */
let anyWritable = false;

function markWritable(value: object): void {
  writableValues.add(value);
  anyWritable = true;
}

function ownValue(key: string, value: object): object {
  if (owned.has(value)) return value;
  let copy: object;
  try {
    copy = structuredClone(value);
  } catch (cause) {
    throw notData(key, "is not plain data; keep functions and handles outside the machine", cause);
  }
  deepFreeze(copy);
  return copy;
}

function requireData(key: string, value: unknown): unknown {
  if (typeof value === "function" || typeof value === "symbol") {
    throw notData(key, `is a ${typeof value}; a machine's context is plain data`);
  }
  return value;
}

/** @returns whether something inside can still be written to. */
function deepFreeze(value: object): boolean {
  // Structured data may refer to itself.
  if (owned.has(value)) return writableValues.has(value);
  owned.add(value);
  if (!isPlain(value)) {
    markWritable(value);
    return true;
  }
  let writable = false;
  for (const inner of Object.values(value)) {
    if (typeof inner === "object" && inner !== null && deepFreeze(inner)) writable = true;
  }
  if (writable) markWritable(value);
  Object.freeze(value);
  return writable;
}

function isPlain(value: object): boolean {
  return Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
}

function notData(key: string, why: string, cause?: unknown): BoardwalkError {
  return new BoardwalkError("invalid", `The context's "${key}" ${why}.`, { cause });
}
