import { z } from "zod";
import type { Budget, Connector, ConnectorKind, ConnectorKit } from "../../src/board/connector.js";
import { budgetKey } from "../../src/board/etiquette.js";
import { createTrelloApi } from "./api.js";
import { type TrelloCredentials, trelloCredentials } from "./auth.js";
import { createBoardKeeper } from "./board.js";
import { listBoards } from "./choices.js";
import { graphFromBoard } from "./graph.js";
import { boardInText, trelloSite } from "./keys.js";
import { probeTrello } from "./probe.js";
import { tokenShape } from "./shapes.js";
import { createTicketCalls } from "./tickets.js";
import { createWebhookCalls } from "./webhook.js";

export const trelloSettings = z.object({
  /** A board's id, its short link, or its address in the browser. */
  board: z
    .string()
    .trim()
    .max(500)
    .transform((text, context) => {
      const board = boardInText(text);
      if (board !== undefined) return board;
      context.addIssue({ code: "custom", message: "must be a Trello board's id or short link" });
      return z.NEVER;
    }),
  /** The base below which `/1` is. */
  apiUrl: z
    .url({ protocol: /^https?$/ })
    .default("https://api.trello.com")
    .transform((url) => url.replace(/\/+$/, "")),
  /** Time for one request. @default 10000 */
  timeoutMs: z.number().int().min(100).max(60_000).optional(),
});
export type TrelloSettings = z.infer<typeof trelloSettings>;

/** Trello. */
export const trello: ConnectorKind<TrelloSettings, TrelloCredentials> = {
  provider: "trello",
  settings: trelloSettings,
  credentials: trelloCredentials,
  budgets,
  create: createTrelloConnector,
  choices: {
    setting: "board",
    settings: trelloSettings.omit({ board: true }),
    list: ({ apiUrl = "" }, credentials, kit, signal) =>
      listBoards(createTrelloApi({ apiUrl, credentials, kit }), signal),
  },
};

/**
 * Trello counts in windows of ten seconds: what one token asks, and what all tokens of one app's key ask together, be
 * they of this tenant or another. The token first: its refusals must not use up what everybody shares.
 */
function budgets({ apiUrl }: TrelloSettings, { apiKey, token }: TrelloCredentials): readonly Budget[] {
  return [
    { key: budgetKey("trello-token", `${apiUrl} ${token}`), requests: 100, perMs: 10_000 },
    { key: budgetKey("trello-key", `${apiUrl} ${apiKey}`), requests: 300, perMs: 10_000 },
  ];
}

function createTrelloConnector(
  settings: TrelloSettings,
  credentials: TrelloCredentials,
  kit: ConnectorKit,
): Connector {
  const { apiUrl, timeoutMs } = settings;
  const site = trelloSite(apiUrl);
  const api = createTrelloApi({
    apiUrl,
    credentials,
    kit,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
  const board = createBoardKeeper(api, settings.board, kit);
  let us: string | undefined;
  return {
    async account(signal) {
      const call = { path: "/tokens/{token}", params: { token: credentials.token }, reply: tokenShape };
      us ??= (await api.read(call, signal)).idMember;
      return us;
    },
    async pullWorkflows(signal) {
      const id = await board.id(signal);
      const [about, lists] = await Promise.all([board.read(signal), board.freshLists(id, signal)]);
      return [graphFromBoard(site, about, lists)];
    },
    ...createTicketCalls({ api, site, board }),
    probe: (signal) => probeTrello({ api, board, credentials, kit }, signal),
    // Trello signs with the app's secret: without it nothing that arrives could be believed.
    ...(credentials.secret === undefined
      ? {}
      : { webhooks: createWebhookCalls({ api, site, board, credentials, secret: credentials.secret }) }),
  };
}
