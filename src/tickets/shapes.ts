import { z } from "zod";

/**
 * The shapes of `structuredContent`, fixed by DESIGN section 6: more keys may be added, none taken away.
 * `spoken` is the same facts as sentences a person can hear.
 */

const text = z.string();

export const ticketShape = z.object({
  id: text,
  key: text.optional(),
  title: text,
  connection: text,
  workflow: text,
  status: z.object({ id: text, name: text, category: text }),
  archived: z.boolean().optional(),
  detached: z.boolean().optional(),
  unmapped: z.boolean().optional(),
});
export type TicketShape = z.infer<typeof ticketShape>;

export const fieldShape = z.object({
  id: text,
  name: text,
  type: text,
  required: z.boolean(),
  allowed: z.array(z.object({ id: text, label: text })).optional(),
});
export type FieldShape = z.infer<typeof fieldShape>;

export const openMoveShape = z.object({
  status: z.object({ id: text, name: text }),
  tool: text.optional(),
  fields: z.array(fieldShape).optional(),
});
export type OpenMoveShape = z.infer<typeof openMoveShape>;

export const findShape = z.object({
  tickets: z.array(ticketShape),
  total: z.number(),
  next: text.optional(),
  spoken: text,
});
export type FindShape = z.infer<typeof findShape>;

export const readShape = z.object({
  ticket: ticketShape.optional(),
  /** When the reference fits several tickets, or none. */
  question: z.lazy(() => questionShape).optional(),
  hooks: z.lazy(() => z.array(hookShape)).optional(),
  spoken: text,
});
export type ReadShape = z.infer<typeof readShape>;

export const questionShape = z.object({
  about: z.enum(["ticket", "status", "field", "confirm"]),
  options: z.array(z.object({ id: text, label: text })),
  token: text.optional(),
});
export type QuestionShape = z.infer<typeof questionShape>;

export const movesShape = z.object({
  ticket: ticketShape.optional(),
  openMoves: z.array(openMoveShape),
  closedMoves: z.array(z.object({ status: text, why: text })).optional(),
  question: questionShape.optional(),
  spoken: text,
});
export type MovesShape = z.infer<typeof movesShape>;

export const hookShape = z.object({
  hook: text,
  state: z.enum(["done", "owed", "waiting", "failed"]),
  result: z.record(text, z.unknown()).optional(),
  reason: text.optional(),
});
export type HookShape = z.infer<typeof hookShape>;

const statusName = z.object({ id: text, name: text });

export const moveShape = z.object({
  outcome: z.enum(["confirmed", "accepted", "refused", "conflict", "question", "unknown"]),
  /** It was there before: nothing was written. */
  already: z.boolean().optional(),
  /** It reached the target and the board's own rule took it further; `to` is where it truly is. */
  movedOn: z.boolean().optional(),
  ticket: ticketShape.optional(),
  from: statusName.optional(),
  to: statusName.optional(),
  openMoves: z.array(openMoveShape).optional(),
  question: questionShape.optional(),
  hooks: z.array(hookShape).optional(),
  moveId: text.optional(),
  /** The error code behind a refusal. */
  code: text.optional(),
  /** The new name, when the move was asked for by a tool name of before a rename. */
  renamedTo: text.optional(),
  spoken: text,
});
export type MoveShape = z.infer<typeof moveShape>;

export const boardShape = z.object({
  boards: z.array(
    z.object({
      workflow: text,
      name: text,
      connection: text,
      edges: text,
      statuses: z.array(
        z.object({
          id: text,
          name: text,
          category: text,
          tickets: z.number(),
          retired: z.boolean().optional(),
          offBoard: z.boolean().optional(),
        }),
      ),
    }),
  ),
  question: questionShape.optional(),
  spoken: text,
});
export type BoardShape = z.infer<typeof boardShape>;
