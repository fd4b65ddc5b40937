import type { BoardwalkError } from "../errors.js";
import type { Trail } from "../hooks/hooks.js";
import type { Speaker, TenantStore } from "../store/store.js";
import type { Locale } from "./sentences/sentences.js";
import type { BoardShape, FindShape, MoveShape, MovesShape, ReadShape } from "./shapes.js";
import type { Workflow } from "./workflow.js";

/** Who is speaking, for whom, and how long she will wait. */
export interface Conversation {
  readonly tenant: TenantStore;
  readonly speaker: Speaker;
  /** Reads answer from what was true at this moment, as `performance.now()` tells it, or later. @default now */
  readonly since?: number;
  /** What "it" and "heard" refer to: a session or handle of this person. */
  readonly conversation?: string;
  /** The language asked for in this talk; left out, the tenant's. */
  readonly locale?: Locale;
  /** The client's own Accept-Language: heeded where neither talk nor tenant has chosen. */
  readonly acceptLanguage?: string;
  /** `closing`: moves into done or canceled ask before they are made. Left out, as the tenant has set. */
  readonly confirm?: "closing" | "never";
  /** `retries`: the same wish again within a minute is a host that missed the answer, not another wish. */
  readonly repeats?: "retries";
  /** How long a reply may take before it says `accepted`. */
  readonly budgetMs: number;
  /** What is put into the queue for this request can be known by it. */
  readonly trail?: Trail;
  /** The name under which this conversation can call the move to a status, for `openMoves[].tool`. */
  readonly toolFor?: (workflow: string, status: string) => string | undefined;
}

export interface MoveArguments {
  readonly ticket: string;
  readonly to: string;
  /** `to` is a status id of this workflow, not words: set by a generated tool. */
  readonly workflow?: string;
  readonly from?: string;
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly comment?: string;
  readonly token?: string;
  /** Makes a repeat of the same request the same move. Left out: a new move. */
  readonly moveId?: string;
}

/** A workflow as kept: the graph and how many times it has changed. */
export type KeptWorkflow = Pick<Workflow, "graph" | "connection" | "version">;

/**
 * What people do with tickets, in words. Every answer is speakable and carries the same facts as data.
 * Refusals, questions and "not found" are answers; only broken arguments and trouble on our side are thrown.
 */
export interface Tickets {
  find(
    talk: Conversation,
    args: {
      readonly query?: string;
      readonly status?: string;
      readonly board?: string;
      readonly cursor?: string;
    },
  ): Promise<FindShape>;
  read(talk: Conversation, args: { readonly ticket: string }): Promise<ReadShape>;
  listMoves(talk: Conversation, args: { readonly ticket: string }): Promise<MovesShape>;
  move(talk: Conversation, args: MoveArguments): Promise<MoveShape>;
  undo(talk: Conversation, args: { readonly ticket?: string; readonly token?: string }): Promise<MoveShape>;
  checkProgress(
    talk: Conversation,
    args: { readonly ticket?: string; readonly moveId?: string },
  ): Promise<MoveShape>;
  describeBoard(talk: Conversation, args: { readonly board?: string }): Promise<BoardShape>;
  /** The same error in the language of the talk; itself where that is English, or unknown. */
  inWordsOf?(talk: Conversation, error: BoardwalkError): Promise<BoardwalkError>;
  /**
   * The tenant's workflows, as of the moment `since` or later, or of this call, from memory where nothing has changed.
   * `revision` grows with any change to any of them.
   */
  workflows(
    tenant: TenantStore,
    since?: number,
  ): Promise<{ readonly revision: number; readonly workflows: readonly KeptWorkflow[] }>;
}
