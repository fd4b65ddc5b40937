import { randomUUID } from "node:crypto";
import type { components } from "@octokit/openapi-types";
import { Router } from "express";
import { z } from "zod";
import type { EmulatorHost } from "../../../src/board/emulator.js";
import { sign } from "../../../src/board/signature.js";
import type { ItemState, OptionState, ProjectEvent, ProjectState } from "./projects.js";
import { notFound, problem, sendPage } from "./replies.js";
import { now, takeId } from "./repos.js";
import { userBody } from "./shapes.js";

/** Webhooks of organizations: registering them, and telling them what happened, signed. */

type Schemas = components["schemas"];

interface HookState {
  readonly id: number;
  readonly org: string;
  active: boolean;
  events: string[];
  config: { url: string; content_type: string; insecure_ssl: string; secret?: string };
  readonly createdAt: string;
  updatedAt: string;
}

export interface OrgHooks {
  readonly routes: Router;
  /** Tells every hook that listens; GitHub does not try again, nor does it wait. */
  tell(event: ProjectEvent): void;
  /** Resolves when all that was told has been answered or given up. */
  delivered(): Promise<void>;
  readonly all: readonly HookState[];
  /** Whether the token may see and change hooks. */
  setAccess(allowed: boolean): void;
}

const configBody = z.object({
  url: z.url(),
  content_type: z.enum(["json", "form"]).default("form"),
  insecure_ssl: z.coerce.string().default("0"),
  secret: z.string().optional(),
});
const newHook = z.object({
  name: z.literal("web"),
  active: z.boolean().default(true),
  events: z.array(z.string()).default(["push"]),
  config: configBody,
});
const hookChange = newHook.partial();

export interface OrgHooksOptions {
  readonly isOrg: (login: string) => boolean;
  /** Whether a new hook is greeted with a ping, as GitHub does. */
  readonly pings: boolean;
}

export function createOrgHooks(host: EmulatorHost, { isOrg, pings }: OrgHooksOptions): OrgHooks {
  const hooks: HookState[] = [];
  const pending = new Set<Promise<unknown>>();
  let allowed = true;

  const deliver = (hook: HookState, event: string, payload: object) => {
    const sent = host.deliver(signedDelivery(hook, event, payload)).finally(() => pending.delete(sent));
    pending.add(sent);
  };

  const routes = hookRoutes(host, {
    hooks,
    isAllowed: (org) => allowed && isOrg(org),
    greet: (hook) => pings && deliver(hook, "ping", { zen: "Design for failure.", hook_id: hook.id }),
  });

  return {
    routes,
    all: hooks,
    setAccess(may) {
      allowed = may;
    },
    tell(event) {
      const project = event.kind === "item" ? event.item.project : event.project;
      const name = event.kind === "item" ? "projects_v2_item" : "projects_v2";
      for (const hook of hooks) {
        const listens = hook.events.includes(name) || hook.events.includes("*");
        if (!hook.active || hook.org !== project.owner || !listens) continue;
        deliver(hook, name, payloadOf(host.url, event, project));
      }
    },
    async delivered() {
      while (pending.size > 0) await Promise.all(pending);
    },
  };
}

interface HookParts {
  readonly hooks: HookState[];
  readonly isAllowed: (org: string) => boolean;
  greet(hook: HookState): void;
}

function hookRoutes(host: EmulatorHost, { hooks, isAllowed, greet }: HookParts): Router {
  const routes = Router();
  routes.use("/orgs/:org/hooks", (request, response, next) => {
    if (!isAllowed(request.params.org)) return notFound(response);
    next();
  });
  routes.get("/orgs/:org/hooks", (request, response) => {
    const own = hooks.filter(({ org }) => org === request.params.org);
    sendPage(
      request,
      response,
      own.map((hook) => hookBody(host.url, hook)),
    );
  });
  routes.post("/orgs/:org/hooks", (request, response) => {
    const body = newHook.safeParse(request.body);
    if (!body.success) return problem(response, 422, "Validation Failed");
    const org = request.params.org;
    if (hooks.some((hook) => hook.org === org && hook.config.url === body.data.config.url)) {
      return problem(response, 422, "Hook already exists on this organization");
    }
    const { active, events, config } = body.data;
    const at = now();
    const hook = {
      id: takeId(),
      org,
      active,
      events,
      config: asConfig(config),
      createdAt: at,
      updatedAt: at,
    };
    hooks.push(hook);
    response.status(201).json(hookBody(host.url, hook));
    greet(hook);
  });
  routes.patch("/orgs/:org/hooks/:id", (request, response) => {
    const hook = hooks.find(({ id }) => String(id) === request.params.id);
    const body = hookChange.safeParse(request.body);
    if (hook === undefined) return notFound(response);
    if (!body.success) return problem(response, 422, "Validation Failed");
    const { active = hook.active, events = hook.events, config } = body.data;
    Object.assign(hook, { active, events, updatedAt: now() });
    if (config !== undefined) hook.config = asConfig(config);
    response.json(hookBody(host.url, hook));
  });
  routes.delete("/orgs/:org/hooks/:id", (request, response) => {
    const index = hooks.findIndex(({ id }) => String(id) === request.params.id);
    if (index < 0) return notFound(response);
    hooks.splice(index, 1);
    response.status(204).end();
  });
  return routes;
}

function asConfig({ secret, ...config }: z.infer<typeof configBody>): HookState["config"] {
  return { ...config, ...(secret === undefined ? {} : { secret }) };
}

function hookBody(api: string, hook: HookState): Schemas["org-hook"] {
  const url = `${api}/orgs/${hook.org}/hooks/${hook.id}`;
  return {
    id: hook.id,
    type: "Organization",
    name: "web",
    url,
    ping_url: `${url}/pings`,
    deliveries_url: `${url}/deliveries`,
    active: hook.active,
    events: hook.events,
    config: { ...hook.config, ...(hook.config.secret === undefined ? {} : { secret: "********" }) },
    created_at: hook.createdAt,
    updated_at: hook.updatedAt,
  };
}

function signedDelivery(hook: HookState, event: string, payload: object) {
  const json = JSON.stringify(payload);
  const isJson = hook.config.content_type === "json";
  const body = Buffer.from(isJson ? json : new URLSearchParams({ payload: json }).toString());
  const { secret } = hook.config;
  const signature = secret && sign({ algorithm: "sha256", encoding: "hex", secret, signed: [body] });
  return {
    url: hook.config.url,
    body,
    headers: {
      "content-type": isJson ? "application/json" : "application/x-www-form-urlencoded",
      "user-agent": "GitHub-Hookshot/emulator",
      "x-github-event": event,
      "x-github-delivery": randomUUID(),
      "x-github-hook-id": String(hook.id),
      "x-github-hook-installation-target-type": "organization",
      ...(signature ? { "x-hub-signature-256": `sha256=${signature}` } : {}),
    },
  };
}

function payloadOf(api: string, event: ProjectEvent, project: ProjectState): object {
  const common = { organization: organizationBody(api, project.owner), sender: userBody(api, event.by) };
  if (event.kind === "project")
    return { action: event.action, projects_v2: projectBody(api, project), ...common };
  return {
    action: event.action,
    projects_v2_item: itemBody(api, event.item),
    ...changesOf(event),
    ...common,
  };
}

type Changes = Pick<Schemas["webhook-projects-v2-item-edited"], "changes">;

function changesOf(event: Extract<ProjectEvent, { kind: "item" }>): Changes {
  if (event.draftBody !== undefined) return { changes: { body: event.draftBody } };
  if (event.change === undefined) return {};
  const { field, from, to } = event.change;
  const option = (state: OptionState | null) =>
    state && { id: state.id, name: state.name, color: "GRAY", description: "" };
  const field_value = {
    field_node_id: field.id,
    field_type: "single_select",
    field_name: field.name,
    project_number: event.item.project.number,
    from: option(from),
    to: option(to),
  };
  return { changes: { field_value } };
}

function itemBody(api: string, item: ItemState): Schemas["projects-v2-item"] {
  return {
    id: item.databaseId,
    node_id: item.id,
    project_node_id: item.project.id,
    content_node_id: item.content.id,
    content_type: ({ ISSUE: "Issue", PULL_REQUEST: "PullRequest", DRAFT_ISSUE: "DraftIssue" } as const)[
      item.type
    ],
    creator: userBody(api, item.project.owner),
    created_at: item.createdAt,
    updated_at: item.updatedAt,
    archived_at: item.archivedAt,
  };
}

function projectBody(api: string, project: ProjectState): Schemas["projects-v2"] {
  const at = now();
  return {
    id: project.databaseId,
    node_id: project.id,
    owner: userBody(api, project.owner, project.ownerType),
    creator: userBody(api, project.owner),
    title: project.title,
    description: null,
    public: false,
    closed_at: project.closed ? at : null,
    created_at: at,
    updated_at: at,
    number: project.number,
    short_description: null,
    deleted_at: null,
    deleted_by: null,
  };
}

function organizationBody(api: string, login: string): Schemas["organization-simple-webhooks"] {
  const url = `${api}/orgs/${login}`;
  return {
    login,
    id: 1,
    node_id: Buffer.from(`O_${login}`).toString("base64url"),
    url,
    repos_url: `${url}/repos`,
    events_url: `${url}/events`,
    hooks_url: `${url}/hooks`,
    issues_url: `${url}/issues`,
    members_url: `${url}/members{/member}`,
    public_members_url: `${url}/public_members{/member}`,
    avatar_url: `${api}/avatars/${login}`,
    description: null,
  };
}
