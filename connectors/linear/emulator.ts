import {
  createEmulatorHost,
  type EmulatorHostOptions,
  type Faults,
  type Gate,
  type JournalEntry,
} from "../../src/board/emulator.js";
import { demoLinearTeam } from "./emulator/demo.js";
import { authenticate, createLimits, type Limits } from "./emulator/gate.js";
import { createGraphqlRoute, isMutation, operationOf } from "./emulator/graphql.js";
import { createOAuth, type OAuthState } from "./emulator/oauth.js";
import { createPeople, type People } from "./emulator/people.js";
import { createResolvers } from "./emulator/resolvers.js";
import type { LinearWorkspaceSeed } from "./emulator/seed.js";
import { createWebhookResolvers } from "./emulator/webhook-resolvers.js";
import { createWebhooks, type Webhooks } from "./emulator/webhooks.js";
import { createWorkspace, type Workspace } from "./emulator/workspace.js";

export { type DemoLinearOptions, demoLinearTeam } from "./emulator/demo.js";
export type * from "./emulator/seed.js";

/** An HTTP server that speaks Linear's protocol about a workspace kept in memory. */

export interface LinearEmulatorOptions extends Partial<LinearWorkspaceSeed> {
  /** @default a free one */
  readonly port?: number;
  readonly now?: () => Date;
  readonly onExchange?: NonNullable<EmulatorHostOptions["onExchange"]>;
}

export interface LinearEmulator extends People {
  readonly url: string;
  /** The Authorization header of the first user: her bare key. */
  readonly authorization: string;
  /** Of the first user, as the connector wants them. */
  readonly credentials: { readonly apiKey: string };
  readonly oauth: OAuthState;
  readonly journal: readonly JournalEntry[];
  readonly webhooks: Webhooks;
  /** The state itself, to look into. */
  readonly workspace: Workspace;
  setFaults(faults: Faults): void;
  setGate(gate: Gate): void;
  readonly limitRate: Limits["limitRate"];
  close(): Promise<void>;
}

/** Without teams, the demo's: see {@link demoLinearTeam}. */
export async function startLinearEmulator(options: LinearEmulatorOptions = {}): Promise<LinearEmulator> {
  const { port, now = () => new Date(), onExchange, ...given } = options;
  const seed: LinearWorkspaceSeed = {
    ...(given.teams === undefined ? demoLinearTeam() : { teams: [] }),
    ...given,
  };
  const isToken = (path: string) => path === "/oauth/token";
  const host = createEmulatorHost({
    isWrite: (request) => !isToken(request.path) && isMutation(request),
    operationOf,
    ...(onExchange === undefined ? {} : { onExchange }),
  });
  const webhooks = createWebhooks(host, now);
  const workspace = createWorkspace(seed, now, (event) => webhooks.fire(event));
  const oauth = createOAuth(host.app, seed.oauth);
  const limits = createLimits(now);
  const rootValue = createResolvers(workspace, createWebhookResolvers(workspace, webhooks));

  host.app.use("/graphql", limits.middleware, authenticate(workspace, oauth, seed.oauth));
  host.app.post("/graphql", createGraphqlRoute(rootValue, limits));
  await host.listen(port);

  const apiKey = workspace.users[0]?.apiKey ?? "";
  return {
    ...createPeople(workspace),
    url: host.url,
    authorization: apiKey,
    credentials: { apiKey },
    oauth,
    journal: host.journal,
    webhooks,
    workspace,
    setFaults: (faults) => host.setFaults(faults),
    setGate: (gate) => host.setGate(gate),
    limitRate: limits.limitRate,
    async close() {
      webhooks.close();
      await host.close();
      await webhooks.settled();
    },
  };
}
