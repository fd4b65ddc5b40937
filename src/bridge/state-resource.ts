import { BoardwalkError } from "../errors.js";
import type { FsmMcpCallContext, McpResourceSpec } from "./types.js";

/** Where a machine is, as a JSON resource. */
export function stateResource(
  uri: string,
  view: (ctx: FsmMcpCallContext | undefined) => object | Promise<object>,
): McpResourceSpec {
  return {
    name: "fsm_state",
    uri,
    title: "Current state",
    description: "Current finite-state-machine state, context, and available actions.",
    mimeType: "application/json",
    async read(ctx) {
      return { contents: [{ uri, mimeType: "application/json", text: toJson(await view(ctx)) }] };
    },
  };
}

function toJson(value: object): string {
  try {
    return JSON.stringify(
      value,
      (_, inner: unknown) => (typeof inner === "bigint" ? String(inner) : inner),
      2,
    );
  } catch (cause) {
    throw new BoardwalkError(
      "invalid",
      "The machine's context cannot be shown, because it refers to itself.",
      {
        cause,
      },
    );
  }
}
