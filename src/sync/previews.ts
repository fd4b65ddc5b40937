import { z } from "zod";
import type { Choice, Connector, Problem } from "../board/connector.js";
import { BoardwalkError } from "../errors.js";
import type { StatusGraph } from "../machine/index.js";
import type { TenantStore } from "../store/store.js";
import { boardChoices, invalid, type OpenerDeps, openBoard } from "./open-board.js";
import { newConnection, sharedSettings } from "./records.js";
import { restrictMoves } from "./rules.js";

/** What a board would be if it were connected: asked of the board itself, and nothing of it kept. */

export const triedConnection = newConnection.omit({ id: true });

export interface BoardPreview {
  /** What these credentials lack, each with what to do about it. */
  readonly problems: readonly Problem[];
  readonly workflows: readonly StatusGraph[];
  /** How many tickets there are; with `more`, there are more than were counted in the time. */
  readonly tickets: { readonly counted: number; readonly more: boolean };
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
  /** @throws BoardwalkError `invalid` for settings or credentials of no use. */
  preview(tenant: TenantStore, input: unknown): Promise<BoardPreview>;
}

const ASK_MS = 20_000;
const COUNT_MS = 5_000;
const MOST_COUNTED = 2_000;

export function createPreviews(deps: OpenerDeps): Previews {
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
      const { board, keeping } = tried(tenant, input);
      const { connector } = openBoard(deps, board, keeping);
      const signal = AbortSignal.timeout(ASK_MS);
      const probed = await settle(() => connector.probe(signal), []);
      const lacking = [...probed.problems, ...probed.value];
      const pulled = await settle(() => connector.pullWorkflows(signal), []);
      if (pulled.value.length === 0) {
        const problems = lacking.length > 0 ? lacking : pulled.problems;
        return { problems, workflows: [], tickets: { counted: 0, more: false } };
      }
      const { allowedMoves } = sharedSettings.parse(board.settings);
      const workflows = pulled.value.map((graph) => restrictMoves(graph, allowedMoves));
      return { problems: lacking, workflows, tickets: await count(connector) };
    },
  };
}

function tried(tenant: TenantStore, input: unknown) {
  const parsed = triedConnection.safeParse(input);
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

async function count(connector: Connector): Promise<BoardPreview["tickets"]> {
  const signal = AbortSignal.timeout(COUNT_MS);
  const ids = new Set<string>();
  try {
    for await (const { id } of connector.pullTickets(undefined, signal)) {
      ids.add(id);
      if (ids.size >= MOST_COUNTED) return { counted: ids.size, more: true };
    }
    return { counted: ids.size, more: false };
  } catch {
    return { counted: ids.size, more: true };
  }
}

export const choicesAnswer = z.object({
  problems: z.array(z.object({ code: z.string(), message: z.string(), fix: z.string() })),
  setting: z.string().optional(),
  choices: z.array(z.object({ value: z.string(), label: z.string() })),
});
