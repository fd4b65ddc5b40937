import type { BoardwalkError } from "../errors.js";
import type { McpToolResult } from "./types.js";

export interface GateAllowed {
  readonly tool: string;
  readonly event?: string;
}

export interface Forbidden {
  readonly tool: string;
  /** It is offered here, but the machine's guard says no. */
  readonly inState: boolean;
  readonly state: string;
  readonly label: string;
  readonly done: boolean;
  readonly allowed: readonly GateAllowed[];
}

/** A refusal that says, in words and in data, what may be called instead. */
export function forbiddenResult({ tool, inState, state, label, done, allowed }: Forbidden): McpToolResult {
  const why = inState
    ? `"${tool}" is offered in "${label}", but its condition is not met`
    : `"${tool}" is not available in "${label}"`;
  const names = allowed.map((call) => call.tool).join(", ");
  const instead =
    names === ""
      ? done
        ? "This workflow is finished."
        : "Nothing else is available."
      : `Allowed now: ${names}.`;
  return {
    isError: true,
    content: [{ type: "text", text: `FORBIDDEN: ${why}. ${instead}` }],
    structuredContent: { ok: false, code: "FORBIDDEN", tool, state, done, allowed: [...allowed] },
  };
}

export function failedResult(error: BoardwalkError, allowed: readonly GateAllowed[]): McpToolResult {
  const code = typeof error.data?.code === "string" ? error.data.code : error.code;
  return {
    isError: true,
    content: [{ type: "text", text: error.message }],
    structuredContent: { ok: false, code, retryable: error.retryable, allowed: [...allowed] },
  };
}

/** Where the workflow is after a call, beside a result that is the tool author's own. */
export function withPlace(
  result: McpToolResult,
  place: { readonly state: string; readonly done: boolean; readonly allowed: readonly GateAllowed[] },
  listChanged: boolean,
): McpToolResult {
  const meta = result._meta as Record<string, unknown> | undefined;
  const placed = { ...result, _meta: { ...meta, "boardwalk/gate": place } };
  if (listChanged) listChanges.add(placed);
  return placed;
}

/** A list that stays the same cannot show what has become possible, so the reply says it, after the tool's own words. */
export function withNext(result: McpToolResult): McpToolResult {
  const place = (result._meta as { "boardwalk/gate"?: { allowed: readonly GateAllowed[] } } | undefined)?.[
    "boardwalk/gate"
  ];
  if (place === undefined || place.allowed.length === 0) return result;
  const text = `Allowed now: ${place.allowed.map(({ tool }) => tool).join(", ")}.`;
  return { ...result, content: [...result.content, { type: "text", text }] };
}

const listChanges = new WeakSet<object>();

/** Whether the call with this result changed what its caller's list shows. */
export function changesList(result: McpToolResult): boolean {
  return listChanges.has(result);
}
