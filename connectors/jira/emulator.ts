import type { Request } from "express";
import {
  createEmulatorHost,
  type EmulatorHost,
  type EmulatorHostOptions,
  type Faults,
  type Gate,
  type JournalEntry,
} from "../../src/board/emulator.js";
import { addChangeRoutes } from "./emulator/change-routes.js";
import { demoJiraSite } from "./emulator/demo.js";
import { authenticate, type Login, refuse } from "./emulator/http.js";
import { addIssueRoutes } from "./emulator/issue-routes.js";
import { createOAuth, type OAuthState } from "./emulator/oauth.js";
import { createPeople, type People } from "./emulator/people.js";
import { createRender } from "./emulator/render.js";
import type { JiraSiteSeed, OAuthSeed, Permission } from "./emulator/seed.js";
import { DEFAULT_ACCOUNT, Site } from "./emulator/site.js";
import { createWebhooks, type Webhooks } from "./emulator/webhooks.js";
import { addWorkflowRoutes } from "./emulator/workflow-routes.js";

export { type DemoJiraOptions, demoJiraSite, RESOLUTION } from "./emulator/demo.js";
export type * from "./emulator/seed.js";
export { jwt } from "./emulator/webhooks.js";

/** An HTTP server that speaks Jira Cloud's protocol about a site kept in memory. */

export interface JiraEmulatorOptions {
  /** @default a free one */
  readonly port?: number;
  /** @default demoJiraSite() */
  readonly site?: JiraSiteSeed;
  readonly now?: () => Date;
  readonly onExchange?: NonNullable<EmulatorHostOptions["onExchange"]>;
}

export interface JiraEmulator extends People {
  readonly url: string;
  /** The Authorization header of the site's first account. */
  readonly authorization: string;
  /** Of the site's first account, as the connector wants them. */
  readonly credentials: { readonly email: string; readonly apiToken: string };
  readonly oauth: OAuthState;
  readonly journal: readonly JournalEntry[];
  readonly webhooks: Webhooks;
  /** The state itself, to look into. */
  readonly site: Site;
  setFaults(faults: Faults): void;
  setGate(gate: Gate): void;
  /** The next `times` requests are answered 429. */
  limitRate(limit: {
    readonly times: number;
    readonly retryAfterSeconds?: number;
    readonly reason?: string;
  }): void;
  /** Takes permissions from the first account; an empty list gives all back. */
  withhold(permissions: readonly Permission[]): void;
  /** How the workflow endpoints say "not allowed" from now on. */
  denyWorkflowsWith(status: 401 | 403 | 404): void;
  close(): Promise<void>;
}

export async function startJiraEmulator(options: JiraEmulatorOptions = {}): Promise<JiraEmulator> {
  const { site: seed = demoJiraSite(), now = () => new Date(), onExchange } = options;
  // A workflow is read by POST, and so are tokens and many issues at once.
  const reads =
    /^\/rest\/api\/3\/(?:workflows|workflows\/preview|search\/jql|issue\/bulkfetch)$|^\/oauth\/token$/;
  const isWrite = (request: Request) =>
    !["GET", "HEAD"].includes(request.method) && !reads.test(request.path);
  const host = createEmulatorHost({ isWrite, ...(onExchange === undefined ? {} : { onExchange }) });
  const webhooks = createWebhooks(
    host,
    () => site,
    () => render,
    seed.oauth,
  );
  const site: Site = new Site(seed, now, (event) => webhooks.fire(event));
  const render = createRender(site, () => host.url);
  const oauth = createOAuth(host.app, seed.oauth);
  const account = site.accounts[0] ?? DEFAULT_ACCOUNT;
  let denial: 401 | 403 | 404 = 401;

  const limitRate = addRateLimit(host);
  host.app.use(
    "/rest",
    authenticate((header) => loginFrom(header, site, oauth, seed.oauth)),
  );
  addChangeRoutes(host.app, site, render);
  addIssueRoutes(host.app, site, render);
  addWorkflowRoutes(host.app, site, render, { denial: () => denial });
  webhooks.addRoutes(host.app);
  await host.listen(options.port);

  return {
    ...createPeople(site),
    url: host.url,
    authorization: basic(account.email, account.apiToken),
    credentials: { email: account.email, apiToken: account.apiToken },
    oauth,
    journal: host.journal,
    webhooks,
    site,
    setFaults: (faults) => host.setFaults(faults),
    setGate: (gate) => host.setGate(gate),
    limitRate,
    withhold(permissions) {
      site.accounts[0] = { ...account, lacks: permissions };
    },
    denyWorkflowsWith(status) {
      denial = status;
    },
    async close() {
      await webhooks.stop();
      await host.close();
    },
  };
}

function basic(email: string, token: string): string {
  return `Basic ${Buffer.from(`${email}:${token}`).toString("base64")}`;
}

function loginFrom(
  header: string,
  site: Site,
  oauth: OAuthState,
  seed: OAuthSeed | undefined,
): Login | undefined {
  if (seed !== undefined && header === `Bearer ${oauth.accessToken}`) {
    const account = site.accounts.find((each) => each.accountId === seed.accountId);
    return account && { account, kind: "oauth" };
  }
  const account = site.accounts.find((each) => header === basic(each.email, each.apiToken));
  return account && { account, kind: "api-token" };
}

function addRateLimit(host: EmulatorHost): JiraEmulator["limitRate"] {
  let left = 0;
  let headers: Record<string, string> = {};
  host.app.use("/rest", (_request, response, next) => {
    if (left === 0) return next();
    left -= 1;
    response.set(headers);
    refuse(response, 429, ["Rate limit exceeded."]);
  });
  return ({ times, retryAfterSeconds = 30, reason = "jira-burst-based" }) => {
    left = times;
    headers = {
      "retry-after": String(retryAfterSeconds),
      "ratelimit-reason": reason,
      "x-ratelimit-limit": "100",
      "x-ratelimit-remaining": "0",
      "x-ratelimit-reset": new Date(Date.now() + retryAfterSeconds * 1000).toISOString(),
    };
  };
}
