import { createHmac, randomUUID } from "node:crypto";
import type { Express } from "express";
import type { EmulatorHost } from "../../../src/board/emulator.js";
import { pause } from "../../../src/board/http.js";
import { sign } from "../../../src/board/signature.js";
import { loginOf, permitted, refuse } from "./http.js";
import type { Render } from "./render.js";
import type { OAuthSeed } from "./seed.js";
import type { IssueEvent, Site } from "./site.js";

/** Both kinds of webhooks: their registration and their deliveries. */

const DYNAMIC_LIFE_MS = 30 * 24 * 3_600_000;
const TRIES = 3;
const RETRY_MS = 250;
const EVENT_NAMES = {
  created: "jira:issue_created",
  updated: "jira:issue_updated",
  deleted: "jira:issue_deleted",
};

interface Registered {
  readonly id: string;
  readonly kind: "admin" | "dynamic";
  name: string;
  url: string;
  events: readonly string[];
  jql: string;
  enabled: boolean;
  secret: string | undefined;
  expires: number | undefined;
}

export interface SentDelivery {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Webhooks {
  readonly registered: readonly Registered[];
  /** Everything sent so far, the oldest first. */
  readonly sent: readonly SentDelivery[];
  /** Registers by hand, as an administrator would in the settings. */
  add(url: string, secret: string | undefined): void;
  fire(event: IssueEvent): void;
  /** Gives up what is still to be tried again; resolves when no delivery is under way. */
  stop(): Promise<void>;
}

export function createWebhooks(
  host: EmulatorHost,
  site: () => Site,
  render: () => Render,
  oauth: OAuthSeed | undefined,
): Webhooks & { addRoutes(app: Express): void } {
  const registered: Registered[] = [];
  const sent: SentDelivery[] = [];
  const running = new Set<Promise<void>>();
  const stopping = new AbortController();
  let lastId = 0;

  function register(from: Omit<Registered, "id">): Registered {
    const webhook = { id: String(++lastId), ...from };
    registered.push(webhook);
    return webhook;
  }

  async function deliver(delivery: SentDelivery): Promise<void> {
    for (let attempt = 1; attempt <= TRIES; attempt++) {
      if ((await host.deliver(delivery)) || stopping.signal.aborted) return;
      await pause(RETRY_MS * attempt, stopping.signal);
    }
  }

  function fire(event: IssueEvent): void {
    const name = EVENT_NAMES[event.kind];
    for (const webhook of registered) {
      const expired = webhook.expires !== undefined && webhook.expires <= site().now().getTime();
      if (!webhook.enabled || expired || !webhook.events.includes(name) || !covers(webhook.jql, event))
        continue;
      const body = JSON.stringify(bodyOf(event, name, render()));
      const delivery = { url: webhook.url, headers: headersFor(webhook, body, oauth, site().now()), body };
      sent.push(delivery);
      const work: Promise<void> = deliver(delivery).finally(() => running.delete(work));
      running.add(work);
    }
  }

  return {
    registered,
    sent,
    add(url, secret) {
      const events = Object.values(EVENT_NAMES);
      register({
        kind: "admin",
        name: "By hand",
        url,
        events,
        jql: "",
        enabled: true,
        secret,
        expires: undefined,
      });
    },
    fire,
    async stop() {
      stopping.abort();
      while (running.size > 0) await Promise.all(running);
    },
    addRoutes(app) {
      addAdminRoutes(app, site(), registered, register);
      addDynamicRoutes(app, site(), registered, register);
    },
  };
}

function covers(jql: string, { issue }: IssueEvent): boolean {
  const project = /project\s*=\s*"?([A-Z0-9_]+)"?/i.exec(jql)?.[1];
  return project === undefined || project === issue.project.key || project === issue.project.id;
}

function bodyOf({ issue, by, items, kind }: IssueEvent, webhookEvent: string, render: Render) {
  return {
    timestamp: issue.updated.getTime(),
    webhookEvent,
    ...(kind === "updated" ? { issue_event_type_name: "issue_generic" } : {}),
    user: render.user(by),
    issue: {
      id: issue.id,
      self: render.api(`issue/${issue.id}`),
      key: issue.key,
      fields: render.issueFields(issue),
    },
    ...(items.length === 0
      ? {}
      : {
          changelog: {
            id: issue.changes.at(-1)?.id ?? "0",
            items: items.map((item) => ({ ...item, fieldtype: "jira", fieldId: item.field })),
          },
        }),
  };
}

function headersFor(
  webhook: Registered,
  body: string,
  oauth: OAuthSeed | undefined,
  now: Date,
): Record<string, string> {
  const headers: Record<string, string> = {
    "content-type": "application/json; charset=UTF-8",
    "x-atlassian-webhook-identifier": randomUUID(),
    "x-atlassian-webhook-flow": "Primary",
    "user-agent": "Atlassian Webhook HTTP Client",
  };
  if (webhook.secret !== undefined) {
    const signature = sign({ algorithm: "sha256", encoding: "hex", secret: webhook.secret, signed: [body] });
    headers["x-hub-signature"] = `sha256=${signature}`;
  }
  if (webhook.kind === "dynamic" && oauth !== undefined) headers.authorization = `Bearer ${jwt(oauth, now)}`;
  return headers;
}

/** As signed by Jira for an OAuth app's webhooks. */
export function jwt(oauth: OAuthSeed, now: Date, claims: Readonly<Record<string, unknown>> = {}): string {
  const iat = Math.floor(now.getTime() / 1000);
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const signed = `${part({ alg: "HS256", typ: "JWT" })}.${part({ iss: oauth.clientId, iat, exp: iat + 180, ...claims })}`;
  return `${signed}.${createHmac("sha256", oauth.clientSecret).update(signed).digest("base64url")}`;
}

type Register = (from: Omit<Registered, "id">) => Registered;

function addAdminRoutes(app: Express, site: Site, registered: Registered[], register: Register): void {
  const path = "/rest/webhooks/1.0/webhook";
  const adminOnly = "You do not have permission to manage webhooks.";
  const shown = (webhook: Registered, base: string) => ({
    name: webhook.name,
    url: webhook.url,
    excludeBody: false,
    filters: { "issue-related-events-section": webhook.jql },
    events: webhook.events,
    enabled: webhook.enabled,
    isSigned: webhook.secret !== undefined,
    self: `${base}${path}/${webhook.id}`,
  });
  const read = (body: Record<string, unknown>) => ({
    name: String(body.name ?? ""),
    url: String(body.url ?? ""),
    events: (body.events ?? []) as string[],
    jql: String(
      (body.filters as Record<string, unknown> | undefined)?.["issue-related-events-section"] ?? "",
    ),
    enabled: body.enabled !== false,
    secret: typeof body.secret === "string" ? body.secret : undefined,
  });

  app.use(path, (_request, response, next) => {
    if (permitted(site, response, ["ADMINISTER"], 403, adminOnly)) next();
  });
  app.get(path, (request, response) => {
    const base = `${request.protocol}://${request.headers.host}`;
    response.json(registered.filter(({ kind }) => kind === "admin").map((webhook) => shown(webhook, base)));
  });
  app.post(path, (request, response) => {
    const base = `${request.protocol}://${request.headers.host}`;
    const webhook = read(request.body ?? {});
    if (webhook.name === "" || webhook.url === "")
      return refuse(response, 400, ["A name and a URL are required."]);
    response.status(201).json(shown(register({ kind: "admin", expires: undefined, ...webhook }), base));
  });
  app.put(`${path}/:id`, (request, response) => {
    const webhook = registered.find(({ id, kind }) => id === request.params.id && kind === "admin");
    if (webhook === undefined) return refuse(response, 404, ["No such webhook."]);
    const next = read(request.body ?? {});
    Object.assign(webhook, next, { secret: next.secret ?? webhook.secret });
    response.json(shown(webhook, `${request.protocol}://${request.headers.host}`));
  });
}

function addDynamicRoutes(app: Express, site: Site, registered: Registered[], register: Register): void {
  const path = "/rest/api/3/webhook";
  const dynamic = () => registered.filter(({ kind }) => kind === "dynamic");

  app.use(path, (_request, response, next) => {
    if (loginOf(response).kind === "oauth") return next();
    refuse(response, 403, ["The caller is not a Connect or OAuth 2.0 app."]);
  });
  app.get(path, (request, response) => {
    const startAt = Number(request.query.startAt ?? 0);
    const maxResults = Math.min(Number(request.query.maxResults ?? 100), 100);
    const page = dynamic().slice(startAt, startAt + maxResults);
    const values = page.map((webhook) => ({
      id: Number(webhook.id),
      url: webhook.url,
      jqlFilter: webhook.jql,
      events: webhook.events,
      expirationDate: webhook.expires,
    }));
    const total = dynamic().length;
    response.json({ startAt, maxResults, total, isLast: startAt + page.length >= total, values });
  });
  app.post(path, (request, response) => {
    const { url, webhooks = [] } = (request.body ?? {}) as {
      url?: string;
      webhooks?: { events: string[]; jqlFilter: string }[];
    };
    const other = dynamic().find((webhook) => webhook.url !== url);
    const webhookRegistrationResult = webhooks.map(({ events, jqlFilter }) => {
      if (url === undefined || other !== undefined)
        return { errors: ["Only a single URL per app is allowed."] };
      if (!/^project\s*=/i.test(jqlFilter))
        return { errors: ["The clause is not supported in webhook filters."] };
      const expires = site.now().getTime() + DYNAMIC_LIFE_MS;
      const from = { kind: "dynamic" as const, name: "", url, events, jql: jqlFilter, enabled: true };
      return { createdWebhookId: Number(register({ ...from, secret: undefined, expires }).id) };
    });
    response.json({ webhookRegistrationResult });
  });
  app.get(`${path}/failed`, (_request, response) => {
    response.json({ maxResults: 100, values: [] });
  });
  app.delete(path, (request, response) => {
    const { webhookIds = [] } = (request.body ?? {}) as { webhookIds?: number[] };
    for (const webhook of dynamic()) {
      if (webhookIds.includes(Number(webhook.id))) registered.splice(registered.indexOf(webhook), 1);
    }
    response.status(202).end();
  });
  app.put(`${path}/refresh`, (request, response) => {
    const { webhookIds = [] } = (request.body ?? {}) as { webhookIds?: number[] };
    const expirationDate = site.now().getTime() + DYNAMIC_LIFE_MS;
    for (const webhook of dynamic())
      if (webhookIds.includes(Number(webhook.id))) webhook.expires = expirationDate;
    response.json({ expirationDate });
  });
}
