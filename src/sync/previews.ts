import { z } from "zod";
import type { Choice, Connector, Move, Problem, Ticket } from "../board/connector.js";
import { BoardwalkError } from "../errors.js";
import type { StatusGraph } from "../machine/index.js";
import { safeParse } from "../parse.js";
import type { TenantStore } from "../store/store.js";
import { roomForTickets } from "../tickets/budgets.js";
import type { Connections } from "./connections.js";
import { countTickets, NO_TICKETS, type TicketsPreview } from "./count-tickets.js";
import { boardChoices, invalid, type OpenerDeps, openBoard, parsePart } from "./open-board.js";
import { foretoldChanges } from "./pull-workflows.js";
import { type Change, newConnection, sharedSettings } from "./records.js";
import { restrictMoves } from "./rules.js";
import { fieldWarnings, graphWarnings, roomWarnings, type SeenMove } from "./warnings.js";

/** What an import would bring, of a board that is not connected yet or of one that is: asked of the board itself, and nothing kept. */

export const triedConnection = newConnection.omit({ id: true });
/** A connection that is kept already. */
export const keptConnection = z.strictObject({ connection: z.string().min(1).max(200) });

export interface BoardPreview {
  /** What these credentials lack, each with what to do about it. */
  readonly problems: readonly Problem[];
  /** What is worth knowing before it is imported. */
  readonly warnings: readonly Problem[];
  readonly workflows: readonly StatusGraph[];
  readonly tickets: TicketsPreview;
  /** Of a connection that is kept: what the import would change in its workflows. */
  readonly changes?: readonly Change[];
}

export interface BoardChoices {
  readonly problems: readonly Problem[];
  /** The setting that can be chosen, where the board lists what there is. */
  readonly setting?: string;
  readonly choices: readonly Choice[];
}

export interface Previews {
  /** Which boards these credentials show. @throws BoardwalkError `invalid` for settings or credentials of no use. */
  choices(tenant: TenantStore, input: unknown): Promise<BoardChoices>;
  /**
   * Of settings and credentials, or of `{connection}`, which is kept.
   * @throws BoardwalkError `invalid` for settings or credentials of no use, `not_found_or_hidden`
   */
  preview(tenant: TenantStore, input: unknown): Promise<BoardPreview>;
}

export interface PreviewDeps extends OpenerDeps {
  readonly connections: Pick<Connections, "get" | "open">;
  readonly mostTickets?: (tenant: TenantStore) => Promise<number>;
}

const ASK_MS = 20_000;
const SAMPLE_MS = 5_000;
/** Tickets that are asked what their moves want: one in each of so many statuses. */
const SAMPLES = 12;

export function createPreviews(deps: PreviewDeps): Previews {
  return {
    async choices(tenant, input) {
      const { board, keeping } = tried(tenant, input);
      const found = await settle(
        () => boardChoices(deps, board, keeping, AbortSignal.timeout(ASK_MS)),
        undefined,
      );
      const { value } = found;
      if (value === undefined) return { problems: found.problems, choices: [] };
      return { problems: found.problems, setting: value.setting, choices: value.choices };
    },
    async preview(tenant, input) {
      const subject = await subjectOf(deps, tenant, input);
      const signal = AbortSignal.timeout(ASK_MS);
      const probed = await settle(() => subject.connector.probe(signal), []);
      const lacking = [...probed.problems, ...probed.value];
      const pulled = await settle(() => subject.connector.pullWorkflows(signal), []);
      if (pulled.value.length > 0) return await foretell(deps, tenant, subject, lacking, pulled.value);
      const problems = lacking.length > 0 ? lacking : pulled.problems;
      return { problems, warnings: [], workflows: [], tickets: NO_TICKETS };
    },
  };
}

interface Subject {
  readonly connector: Connector;
  readonly settings: unknown;
  /** Of one that is kept. */
  readonly id?: string;
}

async function subjectOf(deps: PreviewDeps, tenant: TenantStore, input: unknown): Promise<Subject> {
  const kept = safeParse(keptConnection, input);
  if (kept.success) {
    const { connection: id } = kept.data;
    const { settings } = await deps.connections.get(tenant, id);
    return { connector: (await deps.connections.open(tenant, id)).connector, settings, id };
  }
  const { board, keeping } = tried(tenant, input);
  return { connector: openBoard(deps, board, keeping).connector, settings: board.settings };
}

async function foretell(
  deps: PreviewDeps,
  tenant: TenantStore,
  { connector, settings, id }: Subject,
  problems: readonly Problem[],
  pulled: readonly StatusGraph[],
): Promise<BoardPreview> {
  const own = parsePart(sharedSettings, settings, "settings");
  const workflows = pulled.map((graph) => restrictMoves(graph, own.allowedMoves));
  const { tickets, samples } = await countTickets(connector, tenant);
  const room = await roomForTickets(deps, tenant);
  return {
    problems,
    warnings: [
      ...graphWarnings(workflows, own),
      ...fieldWarnings(await seenMoves(connector, samples, workflows)),
      ...roomWarnings(tickets.fresh, room),
    ],
    workflows,
    tickets,
    ...(id === undefined ? {} : { changes: await foretoldChanges(tenant, id, workflows, deps.now()) }),
  };
}

/** What the tickets' own moves ask for. A ticket that cannot be asked now is left out: the move itself will tell. */
async function seenMoves(
  connector: Connector,
  samples: readonly Ticket[],
  workflows: readonly StatusGraph[],
): Promise<readonly SeenMove[]> {
  const ruled = new Map(
    workflows.filter(({ edges }) => edges !== "implied").map((graph) => [graph.id, graph]),
  );
  const signal = AbortSignal.timeout(SAMPLE_MS);
  const asked = samples.filter(({ workflow }) => ruled.has(workflow)).slice(0, SAMPLES);
  const found = await Promise.all(
    asked.map(async (ticket) => {
      const moves: readonly Move[] = await connector.openMoves(ticket, signal).catch(() => []);
      const names = new Map(ruled.get(ticket.workflow)?.statuses.map((status) => [status.id, status.name]));
      return moves.map((move) => ({ move, to: names.get(move.to) ?? move.to }));
    }),
  );
  return found.flat();
}

function tried(tenant: TenantStore, input: unknown) {
  const parsed = safeParse(triedConnection, input);
  if (!parsed.success) throw invalid(parsed.error);
  // A try may use such a token up, and what comes in its place would be lost.
  if ("refreshToken" in parsed.data.credentials)
    throw new BoardwalkError(
      "invalid",
      "Credentials that renew themselves cannot be tried out. Connect the board with them at once.",
    );
  const keeping = { saveCredentials: async () => {} };
  return { board: { ...parsed.data, name: `${tenant.id}/preview` }, keeping };
}

/** What a board refuses is a finding; what cannot be used at all is the caller's to put right. */
async function settle<T>(
  read: () => Promise<T>,
  otherwise: T,
): Promise<{ readonly value: T; readonly problems: readonly Problem[] }> {
  try {
    return { value: await read(), problems: [] };
  } catch (thrown) {
    const { code, message } = BoardwalkError.from(thrown);
    if (code === "invalid") throw thrown;
    return { value: otherwise, problems: [{ ...problemFor(code, message), code }] };
  }
}

/** Nothing was accepted before, so what is said of credentials that no longer work does not fit here. */
function problemFor(code: string, message: string) {
  if (code === "auth_expired")
    return {
      message: "The board does not accept these credentials.",
      fix: "Check that they are whole, belong to this address, and have neither run out nor been revoked.",
    };
  return { message, fix: "Check the address, and what this account may do there, then try again." };
}

export const choicesAnswer = z.object({
  problems: z.array(z.object({ code: z.string(), message: z.string(), fix: z.string() })),
  setting: z.string().optional(),
  choices: z.array(z.object({ value: z.string(), label: z.string() })),
});
