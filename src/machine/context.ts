import { BoardwalkError } from "../errors.js";

/**
 * A frozen copy of `context` that nobody outside can change.
 * Values already frozen by an earlier call are shared, so an update costs only what it brings.
 *
 * @throws BoardwalkError `invalid` naming the key whose value is not plain data.
 */
export function ownContext<C extends object>(context: C): C {
  const own: Record<string, unknown> = {};
  for (const key in context) {
    if (!Object.hasOwn(context, key)) continue;
    const value: unknown = context[key];
    own[key] = typeof value === "object" && value !== null ? ownValue(key, value) : requireData(key, value);
  }
  return Object.freeze(own) as C;
}

const owned = new WeakSet<object>();

function ownValue(key: string, value: object): object {
  if (owned.has(value)) return value;
  try {
    return deepFreeze(structuredClone(value));
  } catch (cause) {
    throw new BoardwalkError(
      "invalid",
      `The context's "${key}" is not plain data; keep functions and handles outside the machine.`,
      { cause },
    );
  }
}

function requireData(key: string, value: unknown): unknown {
  if (typeof value === "function" || typeof value === "symbol") {
    throw new BoardwalkError(
      "invalid",
      `The context's "${key}" is a ${typeof value}; a machine's context is plain data.`,
    );
  }
  return value;
}

function deepFreeze(value: object): object {
  owned.add(value);
  for (const inner of Object.values(value)) {
    if (typeof inner === "object" && inner !== null) deepFreeze(inner);
  }
  return ArrayBuffer.isView(value) ? value : Object.freeze(value);
}
