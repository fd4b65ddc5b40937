import { z } from "zod";
import type { Connector, ConnectorKind, ConnectorKit } from "../../src/board/connector.js";
import { createLinearApi } from "./api.js";
import { createLinearAuth, type LinearCredentials, linearCredentials } from "./auth.js";
import { listTeams } from "./choices.js";
import { VIEWER } from "./documents.js";
import { graphFromTeam } from "./graph.js";
import { linearSite } from "./keys.js";
import { probeLinear } from "./probe.js";
import { createTeamKeeper } from "./team.js";
import { createTicketCalls } from "./tickets.js";
import { createWebhookCalls } from "./webhook.js";

export const linearSettings = z.object({
  /** A team's key, name or UUID. */
  team: z.string().trim().min(1).max(255),
  /** The base below which `/graphql` is. */
  apiUrl: z
    .url({ protocol: /^https?$/ })
    .default("https://api.linear.app")
    .transform((url) => url.replace(/\/+$/, "")),
  /** Time for one request. @default 10000 */
  timeoutMs: z.number().int().min(100).max(60_000).optional(),
});
export type LinearSettings = z.infer<typeof linearSettings>;

/** Linear. */
export const linear: ConnectorKind<LinearSettings, LinearCredentials> = {
  provider: "linear",
  settings: linearSettings,
  credentials: linearCredentials,
  create: createLinearConnector,
  choices: {
    setting: "team",
    settings: linearSettings.omit({ team: true }),
    list: ({ apiUrl = "" }, credentials, kit, signal) =>
      listTeams(createLinearApi({ apiUrl, auth: createLinearAuth(credentials, kit, apiUrl), kit }), signal),
  },
};

function createLinearConnector(
  settings: LinearSettings,
  credentials: LinearCredentials,
  kit: ConnectorKit,
): Connector {
  const { apiUrl, timeoutMs } = settings;
  const site = linearSite(apiUrl);
  const auth = createLinearAuth(credentials, kit, apiUrl);
  const api = createLinearApi({ apiUrl, auth, kit, ...(timeoutMs === undefined ? {} : { timeoutMs }) });
  const team = createTeamKeeper(api, settings.team);
  let us: string | undefined;
  return {
    async account(signal) {
      us ??= (await api.run(VIEWER, {}, signal)).viewer.id;
      return us;
    },
    async pullWorkflows(signal) {
      return [graphFromTeam(site, await team.readWorkflow(signal))];
    },
    ...createTicketCalls({ api, site, team }),
    probe: (signal) => probeLinear(api, settings.team, team, signal),
    webhooks: createWebhookCalls({ api, auth, site, team }),
  };
}
