import { z } from "zod";
import type {
  Budget,
  Connector,
  ConnectorKind,
  ConnectorKit,
  Move,
  MoveInput,
  Ticket,
  TicketId,
} from "../../src/board/connector.js";
import { budgetKey } from "../../src/board/etiquette.js";
import { rereading, siteOf } from "../../src/board/http.js";
import { BoardwalkError } from "../../src/errors.js";
import { NO_STATUS } from "../../src/machine/index.js";
import { createGithubApi, type GithubApi, type GithubApiOptions, isGithubCom } from "./api.js";
import { listProjects } from "./choices.js";
import { clearStatusDocument, commentDocument, setStatusDocument } from "./documents.js";
import { BOARD } from "./errors.js";
import { run } from "./graphql.js";
import { isNodeId, isOptionId, itemIdOf } from "./ids.js";
import { readItem, readItems } from "./items.js";
import { graphFromBoard, movesFrom, type ProjectBoard, ticketFromItem } from "./map.js";
import { probeProject } from "./probe.js";
import { type BoardKeeper, createBoardKeeper } from "./project.js";
import {
  accountOf,
  apiUrlSetting,
  DEFAULT_API_URL,
  type GithubCredentials,
  githubCredentials,
  ownerSetting,
} from "./settings.js";
import { createWebhooks } from "./webhook.js";

export const githubSettings = z.object({
  /** The login of the organization or person the project belongs to. */
  owner: ownerSetting,
  /** The number in the project's address. */
  project: z.coerce.number().int().positive(),
  /** Name or node id of the single-select field whose options are the columns. By default "Status". */
  statusField: z.string().trim().min(1).optional(),
  apiUrl: apiUrlSetting,
});
export type GithubSettings = z.infer<typeof githubSettings>;

/** GitHub Projects as a board. */
export const github: ConnectorKind<GithubSettings, GithubCredentials> = {
  provider: "github",
  settings: githubSettings as z.ZodType<GithubSettings>,
  credentials: githubCredentials as z.ZodType<GithubCredentials>,
  budgets,
  create: (settings, credentials, kit) => createGithubConnector(settings, credentials, kit),
  choices: {
    setting: "project",
    settings: githubSettings.omit({ project: true }) as z.ZodType<Partial<GithubSettings>>,
    list: ({ owner = "", apiUrl = DEFAULT_API_URL }, credentials, kit, signal) =>
      listProjects(createGithubApi(apiUrl, credentials, kit), owner, signal),
  },
};

/**
 * GitHub lets one account have 2,000 points a minute, one for a query and five for a mutation; some are left for what
 * else the account does. An Enterprise Server has no limit unless it is turned on, and then says when to wait.
 */
function budgets({ apiUrl }: GithubSettings, credentials: GithubCredentials): readonly Budget[] {
  if (!isGithubCom(apiUrl ?? DEFAULT_API_URL)) return [];
  return [{ key: budgetKey("github", accountOf(credentials)), requests: 1_500, perMs: 60_000 }];
}

export function createGithubConnector(
  settings: GithubSettings,
  credentials: GithubCredentials,
  kit: ConnectorKit,
  options: GithubApiOptions = {},
): Connector {
  const baseUrl = settings.apiUrl ?? DEFAULT_API_URL;
  const site = siteOf(baseUrl);
  const { owner, statusField } = settings;
  const api = createGithubApi(baseUrl, credentials, kit, options);
  const keeper = createBoardKeeper(api, settings);
  const board = { api, keeper, site };
  return {
    pullWorkflows: async (signal) => [graphFromBoard(site, await keeper.fresh(signal))],
    pullTickets: (since, signal) => pullTickets(board, since, signal),
    readTicket: async (id, signal) => (await readWithMoves(board, id, signal))?.ticket,
    readWithMoves: (id, signal) => readWithMoves(board, id, signal),
    openMoves: async (ticket, signal) => (await readWithMoves(board, ticket.id, signal))?.moves ?? [],
    move: (ticket, move, input, signal) => makeMove(board, { ticket, move, input }, signal),
    account: async (signal) => (await keeper.known(signal)).viewer,
    probe: (signal) => probeProject(api, settings, credentials, signal),
    webhooks: createWebhooks({ ...board, credentials, kit, owner, statusField }),
  };
}

interface Board {
  readonly api: GithubApi;
  readonly keeper: BoardKeeper;
  readonly site: string;
}

/** GitHub cannot list by time of change, so all are read and the old ones passed over. */
async function* pullTickets(
  { api, keeper, site }: Board,
  since: Date | undefined,
  signal: AbortSignal,
): AsyncIterable<Ticket> {
  // GitHub tells whole seconds: a change later in the same second bears an earlier time.
  const from = since === undefined ? Number.NEGATIVE_INFINITY : Math.floor(since.getTime() / 1000) * 1000;
  for await (const { item, field } of readItems(api, keeper, signal)) {
    const ticket = ticketFromItem(site, item, field);
    if (Date.parse(ticket.updatedAt) >= from) yield ticket;
  }
}

async function readWithMoves({ api, keeper, site }: Board, id: TicketId, signal: AbortSignal) {
  const read = await readItem(api, keeper, itemIdOf(site, id), signal);
  if (read === undefined) return undefined;
  const ticket = ticketFromItem(site, read.item, read.field);
  return { ticket, moves: movesFrom(ticket, read.field) };
}

interface WantedMove {
  readonly ticket: Ticket;
  readonly move: Move;
  readonly input: MoveInput;
}

async function makeMove(board: Board, wanted: WantedMove, signal: AbortSignal): Promise<Ticket> {
  const { ticket, move, input } = wanted;
  const itemId = itemIdOf(board.site, ticket.id);
  if (ticket.archived)
    throw new BoardwalkError("archived", "It is archived on the board. Restore it there first.");
  if (ticket.immovable !== undefined) throw new BoardwalkError("forbidden", ticket.immovable);
  const target = await findTarget(board.keeper, move, signal);
  if (input.comment !== undefined) await comment(board.api, ticket, input.comment, signal);
  await writeStatus(board, itemId, move, target, signal);
  const after = await rereading(BOARD, () => readWithMoves(board, ticket.id, signal));
  if (after !== undefined) return after.ticket;
  throw new BoardwalkError("not_found_or_hidden", "GitHub no longer shows this item.");
}

/** The board on which the target is known to exist. An id that is nowhere must never reach a mutation. */
async function findTarget(keeper: BoardKeeper, { to }: Move, signal: AbortSignal): Promise<ProjectBoard> {
  const has = ({ field }: ProjectBoard) =>
    to === NO_STATUS || (isOptionId(to) && field.options.some(({ id }) => id === to));
  const known = await keeper.known(signal);
  if (has(known)) return known;
  const fresh = await keeper.fresh(signal);
  if (has(fresh)) return fresh;
  throw new BoardwalkError("stale_workflow", "This project no longer has that column. Please look again.");
}

/** Setting and clearing are two operations, so that no missing value can clear a status. */
async function writeStatus(
  { api, keeper }: Board,
  item: string,
  { to }: Move,
  { project, field }: ProjectBoard,
  signal: AbortSignal,
): Promise<void> {
  const where = { project: project.id, item, field: field.id };
  try {
    if (to === NO_STATUS) await run(api, clearStatusDocument, where, signal);
    else await run(api, setStatusDocument, { ...where, option: to }, signal);
  } catch (error) {
    if (BoardwalkError.from(error).code === "stale_workflow")
      await keeper.fresh(signal).catch(() => undefined);
    throw error;
  }
}

/** Comes before the move: a comment that is refused then stops it, instead of being lost after it. */
async function comment(api: GithubApi, ticket: Ticket, body: string, signal: AbortSignal): Promise<void> {
  const subject = ticket.ref?.content;
  if (subject === undefined || !isNodeId(subject)) {
    throw new BoardwalkError("invalid", "A draft item takes no comment. Please move it without one.");
  }
  await run(api, commentDocument, { subject, body }, signal);
}
