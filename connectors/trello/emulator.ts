import {
  createEmulatorHost,
  type EmulatorHostOptions,
  type Faults,
  type Gate,
  type JournalEntry,
} from "../../src/board/emulator.js";
import { authorization } from "./auth.js";
import { type Access, authenticate } from "./emulator/auth.js";
import { addBoardRoutes, addListRoutes } from "./emulator/board-routes.js";
import { addCardRoutes } from "./emulator/card-routes.js";
import { demoTrelloBoard } from "./emulator/demo.js";
import { NOT_FOUND, refuse } from "./emulator/http.js";
import { createRateLimits, type RateLimits } from "./emulator/limits.js";
import { createLookup } from "./emulator/lookup.js";
import { createPeople, type People } from "./emulator/people.js";
import type { TokenSeed, TrelloSeed } from "./emulator/seed.js";
import { addTokenRoutes } from "./emulator/token-routes.js";
import { createWebhooks, type Webhooks } from "./emulator/webhooks.js";
import { first, World } from "./emulator/world.js";

export { type DemoTrelloOptions, demoTrelloBoard } from "./emulator/demo.js";
export type * from "./emulator/seed.js";

/** An HTTP server that speaks Trello's protocol about boards kept in memory. */

export interface TrelloEmulatorOptions {
  /** @default a free one */
  readonly port?: number;
  /** @default demoTrelloBoard() */
  readonly board?: TrelloSeed;
  readonly now?: () => Date;
  /** Between tries of a delivery. @default 250 */
  readonly retryMs?: number;
  /** Deliveries lost in a row until a webhook is switched off; Trello does not say how many. @default 30 */
  readonly failuresToDisable?: number;
  readonly onExchange?: NonNullable<EmulatorHostOptions["onExchange"]>;
}

export interface TrelloEmulator extends People {
  readonly url: string;
  /** The Authorization header of the first member's token. */
  readonly authorization: string;
  /** Of the first member, as the connector wants them. */
  readonly credentials: { readonly apiKey: string; readonly token: string; readonly secret: string };
  /** The first board's id. */
  readonly boardId: string;
  readonly journal: readonly JournalEntry[];
  readonly webhooks: Webhooks;
  readonly limits: RateLimits;
  /** The state itself, to look into. */
  readonly world: World;
  listId(name: string): string;
  setFaults(faults: Faults): void;
  setGate(gate: Gate): void;
  /** What the token may from now on, and until when. */
  grant(token: TokenSeed): void;
  close(): Promise<void>;
}

export async function startTrelloEmulator(options: TrelloEmulatorOptions = {}): Promise<TrelloEmulator> {
  const { board: seed = demoTrelloBoard(), now = () => new Date(), onExchange } = options;
  const { retryMs = 250, failuresToDisable = 30 } = options;
  const access: Access = {
    apiKey: "0471642aefef5fa1fa76530ce1ba4c85",
    token: "ATTAemulated9eb76d9a9d02b8dd40c2f3e5df18556c831d4d1fadbe2c45f8310e6c93b5c548",
    secret: "e5cc1f1ad5b14e4c9dd2bbf1bb9fcb4a1bf7d4a2e7d3cf3f0e36e1cbd1f9d0aa",
    grant: seed.token ?? {},
  };
  const host = createEmulatorHost(onExchange === undefined ? {} : { onExchange });
  const webhooks = createWebhooks(host, () => world, access, { retryMs, failuresToDisable });
  const world: World = new World(seed, now, (action) => webhooks.fire(action));
  const limits = createRateLimits(now);
  const lookup = createLookup(world, access);

  host.app.use("/1", limits.handler, authenticate(access, now));
  webhooks.addRoutes(host.app);
  addTokenRoutes(host.app, world, access);
  addBoardRoutes(host.app, world, lookup);
  addListRoutes(host.app, world, lookup);
  addCardRoutes(host.app, world, lookup, access);
  host.app.use("/1", (_request, response) => refuse(response, 404, NOT_FOUND));
  await host.listen(options.port);

  const board = first(world.boards);
  return {
    ...createPeople(world),
    url: host.url,
    authorization: authorization(access),
    credentials: { apiKey: access.apiKey, token: access.token, secret: access.secret },
    boardId: board.id,
    journal: host.journal,
    webhooks,
    limits,
    world,
    listId: (name) => world.listNamed(board, name).id,
    setFaults: (faults) => host.setFaults(faults),
    setGate: (gate) => host.setGate(gate),
    grant(token) {
      access.grant = token;
    },
    async close() {
      await webhooks.stop();
      await host.close();
    },
  };
}
