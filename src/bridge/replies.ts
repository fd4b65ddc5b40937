import { z } from "zod";
import type { FsmSendResult, FsmSnapshot } from "../machine/index.js";
import type { McpToolResult } from "./types.js";

/** A call that may be made instead. */
export interface AllowedCall {
  readonly tool: string;
  readonly event: string;
}

/** The machine-readable half of every tool reply. */
export const replySchema = z.object({
  ok: z.boolean(),
  /** The event the call sends. */
  event: z.string(),
  /** Where the machine is now. */
  state: z.string(),
  done: z.boolean(),
  /** What can be called next; guards are asked when called. */
  allowed: z.array(z.object({ tool: z.string(), event: z.string() })),
  /** Why not, when not ok. */
  code: z.string().optional(),
  reason: z.enum(["no-transition", "guard-rejected"]).optional(),
  why: z.string().optional(),
});
export type FsmReply = z.infer<typeof replySchema>;

export function toolResult(text: string, reply: FsmReply, isError = false): McpToolResult {
  return {
    content: [{ type: "text", text }],
    ...(isError ? { isError } : {}),
    structuredContent: { ...reply },
  };
}

/** A state's own prompt or a plain sentence, and what can be done next. */
export function describeSnapshot<C extends object>(
  snapshot: FsmSnapshot<C>,
  prompt: string | undefined,
  label: string,
  labelOf: (event: string) => string,
): string {
  const here = prompt ?? `Now in "${label}".`;
  const { availableEvents, done } = snapshot;
  return done || availableEvents.length === 0
    ? here
    : `${here} You can: ${availableEvents.map(labelOf).join(", ")}.`;
}

/** Why not, and what is open instead; never the event just refused. */
export function refusalSentence<C extends object>(
  event: string,
  refusal: FsmSendResult<C> & { readonly ok: false },
  label: string,
  labelOf: (event: string) => string,
): string {
  const said = labelOf(event);
  const why =
    refusal.reason === "guard-rejected"
      ? `You can't ${said} right now.${refusal.why === undefined ? "" : ` ${refusal.why}`}`
      : `"${said}" isn't available from "${label}".`;
  const others = refusal.snapshot.availableEvents.filter((other) => other !== event);
  return others.length === 0 ? why : `${why} Try: ${others.map(labelOf).join(", ")}.`;
}
