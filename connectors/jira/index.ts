import { z } from "zod";
import type { Connector, ConnectorKind, ConnectorKit } from "../../src/board/connector.js";
import { createJiraApi } from "./api.js";
import { createJiraAuth, type JiraCredentials, jiraCredentials } from "./auth.js";
import { listProjects } from "./choices.js";
import { graphsFrom } from "./graph.js";
import { jiraSite, PROJECT_PATTERN } from "./keys.js";
import { readColumns, readWorkflows } from "./ladder.js";
import { probeJira } from "./probe.js";
import { createRoutes } from "./routes.js";
import type { JiraProject } from "./shapes.js";
import { createTicketCalls } from "./tickets.js";
import { createWebhookCalls } from "./webhook.js";

export const jiraSettings = z.object({
  /** The site, or for scoped tokens and OAuth `https://api.atlassian.com/ex/jira/{cloudId}`. */
  baseUrl: z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, "")),
  /** A project's key or id. */
  project: z.string().regex(PROJECT_PATTERN, "must be a Jira project key such as ENG"),
  /** Time for one request. @default 10000 */
  timeoutMs: z.number().int().min(100).max(60_000).optional(),
});
export type JiraSettings = z.infer<typeof jiraSettings>;

/** Jira Cloud. */
export const jira: ConnectorKind<JiraSettings, JiraCredentials> = {
  provider: "jira",
  settings: jiraSettings,
  credentials: jiraCredentials,
  create: createJiraConnector,
  choices: {
    setting: "project",
    settings: jiraSettings.omit({ project: true }),
    list: ({ baseUrl = "" }, credentials, kit, signal) =>
      listProjects(createJiraApi({ baseUrl, auth: createJiraAuth(credentials, kit), kit }), signal),
  },
};

function createJiraConnector(
  settings: JiraSettings,
  credentials: JiraCredentials,
  kit: ConnectorKit,
): Connector {
  const site = jiraSite(settings.baseUrl);
  const auth = createJiraAuth(credentials, kit);
  const { baseUrl, timeoutMs } = settings;
  const api = createJiraApi({ baseUrl, auth, kit, ...(timeoutMs === undefined ? {} : { timeoutMs }) });
  const routes = createRoutes(
    api,
    site,
    (keyOrId, signal) => api.project(keyOrId, signal),
    () => kit.now(),
  );
  let ours: JiraProject | undefined;
  let us: string | undefined;

  async function project(signal: AbortSignal): Promise<JiraProject> {
    ours ??= await api.project(settings.project, signal);
    return ours;
  }

  return {
    async pullWorkflows(signal) {
      // Read anew: its name, key and issue types may have changed. By its id, once known, since a key may change too.
      ours = await api.project(ours?.id ?? settings.project, signal);
      const [reading, boards] = await Promise.all([
        readWorkflows(api, ours, signal),
        readColumns(api, ours, signal),
      ]);
      routes.learn(ours.id, reading.workflows);
      return graphsFrom(reading, ours, site, boards);
    },
    ...createTicketCalls({ api, site, routes, kit, project }),
    async account(signal) {
      us ??= (await api.myself(signal)).accountId;
      return us;
    },
    probe: (signal) => probeJira(api, settings.project, project, signal),
    webhooks: createWebhookCalls({
      api,
      auth,
      site,
      now: () => kit.now(),
      projectKey: async (signal) => (await project(signal)).key,
    }),
  };
}
