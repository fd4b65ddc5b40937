/** What the admin API answers, as far as this page reads it. */

export interface Tenant {
  readonly id: string;
  readonly name: string;
}

export type Caller =
  | { readonly role: "operator"; readonly demo?: boolean }
  | { readonly role: "member"; readonly tenant: string; readonly person: string };

export interface Problem {
  readonly code: string;
  readonly message: string;
  readonly fix: string;
}

export interface Connection {
  readonly id: string;
  readonly provider: string;
  readonly health: { readonly state: "ok" | "degraded" | "reconnect"; readonly problems: readonly Problem[] };
  readonly imported?: { readonly workflows: number; readonly tickets: number; readonly at: string };
  readonly progress?: { readonly read: number };
  readonly webhook?: { readonly state: string; readonly by: string; readonly lastDeliveryAt?: string };
}

export type Category = "todo" | "doing" | "done" | "canceled" | "unknown";

export interface Status {
  readonly id: string;
  readonly name: string;
  readonly category: Category;
  readonly retired?: boolean;
  readonly offBoard?: boolean;
}

export interface Move {
  readonly id: string;
  /** A status id, or `*` for any. */
  readonly from: string;
  readonly to: string;
  readonly name?: string;
}

export interface Workflow {
  readonly id: string;
  readonly connection: string;
  readonly name: string;
  readonly edges: "authoritative" | "preview" | "observed" | "implied";
  readonly version: number;
  readonly statuses: readonly Status[];
  readonly moves: readonly Move[];
}

export interface Change {
  readonly at: string;
  readonly kind: string;
  readonly status?: string;
  readonly before?: string;
  readonly after?: string;
  readonly moves?: { readonly added: readonly Way[]; readonly removed: readonly Way[] };
}

/** From where to where. */
export interface Way {
  /** A status id, or `*` for any. */
  readonly from: string;
  readonly to: string;
  readonly name?: string;
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly readOnly: boolean;
  readonly destructive: boolean;
  readonly arguments: readonly { readonly name: string; readonly required: boolean }[];
  readonly phrases: readonly string[];
  /** In which it moves; left out where it is for all. */
  readonly workflow?: string;
}

export interface Surface {
  readonly id: "2025" | "2026" | "alexa";
  readonly path: string;
  readonly protocolVersions: readonly string[];
  readonly frozen: boolean;
  readonly sha256: string;
  readonly tools: readonly Tool[];
}

export interface Owed {
  readonly ticket: Ticket;
  readonly kind: "move" | "hook" | "stopped";
  readonly state: "under way" | "owed" | "waiting" | "failed" | "stopped";
  readonly hook?: string;
  readonly to?: string;
  readonly by?: string;
  readonly since: string;
  readonly retryAt?: string;
  readonly reason?: string;
}

/** Which boards credentials show. */
export interface Choices {
  readonly problems: readonly Problem[];
  readonly choices: readonly { readonly value: string; readonly label: string }[];
}

/** What a board would be if it were connected. */
export interface Preview {
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
  readonly workflows: readonly Workflow[];
  readonly tickets: { readonly counted: number; readonly more: boolean; readonly boards: readonly Board[] };
  readonly tools: readonly Tool[];
}

export interface Board {
  readonly workflow: string;
  readonly statuses: readonly { readonly id: string; readonly tickets: number }[];
}

export interface Hook {
  readonly hook: string;
  readonly state: "done" | "owed" | "waiting" | "failed";
  readonly result?: { readonly number?: unknown; readonly url?: unknown };
  readonly reason?: string;
}

export interface Ticket {
  readonly id: string;
  readonly key?: string;
  readonly title: string;
  readonly connection: string;
  readonly workflow: string;
  readonly status: { readonly id: string; readonly name: string; readonly category: Category };
  readonly archived?: boolean;
  readonly detached?: boolean;
  readonly unmapped?: boolean;
  readonly hooks?: readonly Hook[];
}

export interface Speaker {
  readonly person: string;
  readonly client?: string;
  readonly tool?: string;
}

/** An entry of a ticket's history. */
export interface Event {
  readonly at: string;
  readonly kind: string;
  readonly by?: Speaker;
  readonly from?: string;
  readonly to?: string;
  readonly outcome?: string;
  readonly hook?: string;
  readonly message?: string;
}

export interface AuditEvent {
  readonly at: string;
  readonly action: string;
  readonly by?: Speaker;
  readonly ticket?: string;
  readonly from?: string;
  readonly to?: string;
  readonly outcome?: string;
  readonly detail?: Readonly<Record<string, unknown>>;
  /** What its ids are called now, where they are known. */
  readonly named?: {
    readonly ticket?: { readonly key?: string; readonly title: string };
    readonly workflow?: string;
    readonly from?: string;
    readonly to?: string;
  };
}

export interface Token {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly createdAt: string;
}

export interface Member {
  readonly name: string;
  readonly createdAt: string;
}

export interface Field {
  readonly id: string;
  readonly name: string;
  readonly required: boolean;
  readonly allowed?: readonly { readonly id: string; readonly label: string }[];
}

export interface Question {
  readonly about: "ticket" | "status" | "field" | "confirm";
  readonly options: readonly { readonly id: string; readonly label: string }[];
  readonly token?: string;
}

export interface Answer {
  readonly spoken: string;
  readonly outcome?: string;
  readonly ticket?: Ticket;
  readonly tickets?: readonly Ticket[];
  readonly from?: { readonly id: string; readonly name: string };
  readonly to?: { readonly id: string; readonly name: string };
  readonly already?: boolean;
  readonly movedOn?: boolean;
  readonly hooks?: readonly Hook[];
  readonly question?: Question;
  readonly openMoves?: readonly {
    readonly status: { readonly id: string };
    readonly fields?: readonly Field[];
  }[];
}

/** What was made of a sentence, and what came of it. */
export interface Said {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly answer: Answer;
}

/** What has happened of a worker that is being crashed, or was. */
export interface CrashStep {
  readonly at: string;
  readonly step: string;
  readonly text: string;
}

export interface DemoState {
  /** Left to be pressed: not where everything is in one process. */
  readonly crash: boolean;
  readonly underWay: boolean;
  readonly steps?: readonly CrashStep[];
}

export interface CrashReport {
  readonly tenant: string;
  readonly ticket: { readonly id: string; readonly key: string };
  readonly outcome: string;
  readonly moves: number;
  readonly pulls: number;
  readonly recoveredMs: number;
}
