import { randomBytes } from "node:crypto";
import { forbidden, invalidArgument, notFound } from "./faults.js";
import type { Login } from "./gate.js";
import { connection, type PageArguments, viewTeam } from "./views.js";
import type { createWebhooks, Registered } from "./webhooks.js";
import type { Workspace } from "./workspace.js";

/** Registering webhooks, which is for admins. */

interface WebhookInput {
  readonly url?: string | null;
  readonly enabled?: boolean | null;
  readonly label?: string | null;
  readonly resourceTypes?: readonly string[] | null;
  readonly secret?: string | null;
  readonly teamId?: string | null;
  readonly allPublicTeams?: boolean | null;
}

export function createWebhookResolvers(workspace: Workspace, webhooks: ReturnType<typeof createWebhooks>) {
  const view = ({ id, url, enabled, resourceTypes, allPublicTeams, team }: Registered) => ({
    id,
    url,
    enabled,
    resourceTypes,
    allPublicTeams,
    team: () => (team === undefined ? null : viewTeam(workspace, team)),
  });
  const payload = (webhook: Registered) => ({ success: true, lastSyncId: 1, webhook: view(webhook) });

  return {
    webhooks(page: PageArguments, login: Login) {
      adminOnly(login);
      return connection(webhooks.registered, page, view);
    },
    webhookCreate({ input }: { input: WebhookInput }, login: Login) {
      adminOnly(login);
      const { url = "", teamId, allPublicTeams, resourceTypes } = input;
      if (!URL.canParse(url ?? "")) throw invalidArgument("url must be a URL address.");
      if (!teamId && !allPublicTeams) throw invalidArgument("teamId or allPublicTeams must be set.");
      const team = teamId ? workspace.teamOf(teamId) : undefined;
      if (teamId && team === undefined) throw notFound("Team");
      return payload(
        webhooks.register({
          url: url ?? "",
          enabled: input.enabled ?? true,
          label: input.label ?? "",
          resourceTypes: resourceTypes ?? [],
          allPublicTeams: allPublicTeams === true,
          team,
          secret: input.secret ?? `lin_wh_${randomBytes(20).toString("hex")}`,
        }),
      );
    },
    webhookUpdate({ id, input }: { id: string; input: WebhookInput }, login: Login) {
      adminOnly(login);
      const webhook = webhooks.registered.find((each) => each.id === id);
      if (webhook === undefined) throw notFound("Webhook");
      webhook.url = input.url ?? webhook.url;
      webhook.enabled = input.enabled ?? webhook.enabled;
      webhook.label = input.label ?? webhook.label;
      webhook.resourceTypes = input.resourceTypes ?? webhook.resourceTypes;
      webhook.secret = input.secret ?? webhook.secret;
      return payload(webhook);
    },
  };
}

function adminOnly({ admin }: Login): void {
  if (!admin) throw forbidden("manage webhooks");
}
