import type { Express } from "express";
import { listOf, loginOf, numberOf, permitted, refuse, visibleIssue, visibleProject } from "./http.js";
import type { Render } from "./render.js";
import { renderWorkflows } from "./render-workflows.js";
import type { StatusSeed, TransitionSeed } from "./seed.js";
import type { Site } from "./site.js";
import { changeWorkflow } from "./site.js";

/** Jira's own API for changing a site: issues made and edited, statuses, workflows and projects. */

const CATEGORY_KEYS = { TODO: "new", IN_PROGRESS: "indeterminate", DONE: "done" } as const;
type CategoryName = keyof typeof CATEGORY_KEYS;
const CATEGORY_NAMES = { new: "TODO", indeterminate: "IN_PROGRESS", done: "DONE" } as const;
const ADMIN_ONLY = "You must be a Jira administrator to do that.";

export function addChangeRoutes(app: Express, site: Site, render: Render): void {
  addIssueChanges(app, site, render);
  addStatusRoutes(app, site);
  addWorkflowChanges(app, site);
  addProjectChanges(app, site, render);
}

function addIssueChanges(app: Express, site: Site, render: Render): void {
  app.post("/rest/api/3/issue", (request, response) => {
    const fields =
      ((request.body ?? {}) as { fields?: Record<string, Record<string, string> | string> }).fields ?? {};
    const named = (field: string, ...by: string[]) => {
      const value = fields[field];
      return typeof value === "object"
        ? by.map((key) => value[key]).find((each) => each !== undefined)
        : undefined;
    };
    const project = site.projectOf(named("project", "id", "key") ?? "");
    const type = project?.issueTypes.find((each) =>
      [each.id, each.name].includes(named("issuetype", "id", "name") ?? ""),
    );
    const { summary } = fields;
    const errors = {
      ...(project === undefined ? { project: "Specify a valid project ID or key" } : {}),
      ...(type === undefined ? { issuetype: "Specify a valid issue type" } : {}),
      ...(typeof summary !== "string" || summary.trim() === ""
        ? { summary: "You must specify a summary of the issue." }
        : {}),
    };
    if (
      project === undefined ||
      type === undefined ||
      typeof summary !== "string" ||
      Object.keys(errors).length > 0
    ) {
      return refuse(response, 400, [], errors);
    }
    const status = project.workflows.find((each) => each.issueTypes.includes(type.id))?.initial;
    if (status === undefined) return refuse(response, 400, ["This issue type has no workflow."]);
    const issue = site.addIssue(
      { title: summary, status, type: type.id },
      project,
      loginOf(response).account,
    );
    response.status(201).json({ id: issue.id, key: issue.key, self: render.api(`issue/${issue.id}`) });
  });

  app.put("/rest/api/3/issue/:issue", (request, response) => {
    const issue = visibleIssue(site, request, response);
    if (issue === undefined) return;
    const { fields = {} } = (request.body ?? {}) as { fields?: Record<string, unknown> };
    const foreign = Object.keys(fields).filter((id) => id !== "summary");
    if (foreign.length > 0 || typeof fields.summary !== "string") {
      const errors = foreign.map((id) => [
        id,
        `Field '${id}' cannot be set. It is not on the appropriate screen, or unknown.`,
      ]);
      return refuse(response, 400, [], Object.fromEntries(errors));
    }
    site.retitle(issue, fields.summary, loginOf(response).account);
    response.status(204).end();
  });

  app.delete("/rest/api/3/issue/:issue", (request, response) => {
    const issue = visibleIssue(site, request, response);
    if (issue === undefined) return;
    site.remove(issue, loginOf(response).account);
    response.status(204).end();
  });
}

function addStatusRoutes(app: Express, site: Site): void {
  const shown = (status: StatusSeed) => ({
    id: status.id,
    name: status.name,
    statusCategory: CATEGORY_NAMES[status.category],
    scope: { type: "GLOBAL" },
    description: "",
  });

  app.use("/rest/api/3/statuses", (_request, response, next) => {
    if (permitted(site, response, ["ADMINISTER"], 401, ADMIN_ONLY)) next();
  });
  app.get("/rest/api/3/statuses", (request, response) => {
    response.json(
      listOf(request.query.id)
        .flatMap((id) => site.statuses.get(id) ?? [])
        .map(shown),
    );
  });
  app.get("/rest/api/3/statuses/search", (request, response) => {
    const words = String(request.query.searchString ?? "").toLowerCase();
    const all = [...site.statuses.values()].filter((status) => status.name.toLowerCase().includes(words));
    const startAt = numberOf(request.query.startAt, 0, all.length);
    const maxResults = numberOf(request.query.maxResults, 200, 200);
    const values = all.slice(startAt, startAt + maxResults).map(shown);
    const isLast = startAt + values.length >= all.length;
    response.json({ startAt, maxResults, total: all.length, isLast, values });
  });
  app.post("/rest/api/3/statuses", (request, response) => {
    const { statuses = [] } = (request.body ?? {}) as {
      statuses?: { name: string; statusCategory: CategoryName }[];
    };
    const taken = statuses.find(({ name }) =>
      [...site.statuses.values()].some((status) => status.name === name),
    );
    if (taken !== undefined)
      return refuse(response, 409, [`The status name "${taken.name}" is already taken.`]);
    const made = statuses.map(({ name, statusCategory }) => {
      const status = { id: site.nextId(), name, category: CATEGORY_KEYS[statusCategory] };
      site.statuses.set(status.id, status);
      return shown(status);
    });
    response.json(made);
  });
  app.put("/rest/api/3/statuses", (request, response) => {
    const { statuses = [] } = (request.body ?? {}) as {
      statuses?: { id: string; name: string; statusCategory: CategoryName }[];
    };
    for (const { id, name, statusCategory } of statuses) {
      const known = site.statuses.get(id);
      const category = CATEGORY_KEYS[statusCategory];
      if (known === undefined || !name || category === undefined) {
        return refuse(response, 400, [`Status ${id} cannot be updated.`]);
      }
      site.statuses.set(id, { ...known, name, category });
    }
    response.status(204).end();
  });
  app.delete("/rest/api/3/statuses", (request, response) => {
    const ids = listOf(request.query.id);
    const used = site.projects.flatMap((project) =>
      project.workflows.flatMap((workflow) => workflow.statuses),
    );
    if (ids.some((id) => used.includes(id)))
      return refuse(response, 400, ["The status is used in a workflow."]);
    for (const id of ids) site.statuses.delete(id);
    response.status(204).end();
  });
}

interface WorkflowUpdate {
  readonly id: string;
  readonly version?: { readonly versionNumber: number };
  readonly statuses: readonly { readonly statusReference: string }[];
  readonly transitions: readonly {
    readonly id: string;
    readonly name: string;
    readonly type: "INITIAL" | "GLOBAL" | "DIRECTED";
    readonly toStatusReference?: string;
    readonly links?: readonly { readonly fromStatusReference?: string }[];
  }[];
}

function addWorkflowChanges(app: Express, site: Site): void {
  app.post("/rest/api/3/workflows/update", (request, response) => {
    if (!permitted(site, response, ["ADMINISTER"], 401, ADMIN_ONLY)) return;
    const body = (request.body ?? {}) as {
      statuses?: { id: string; statusReference: string }[];
      workflows?: WorkflowUpdate[];
    };
    const references = new Map((body.statuses ?? []).map((status) => [status.statusReference, status.id]));
    const changed = [];
    for (const update of body.workflows ?? []) {
      const workflow = site.projects
        .flatMap((project) => project.workflows)
        .find(({ id }) => id === update.id);
      if (workflow === undefined) return refuse(response, 400, [`No workflow with id ${update.id}.`]);
      if (update.version !== undefined && update.version.versionNumber !== workflow.version) {
        return refuse(response, 409, ["The workflow was changed by someone else."]);
      }
      const statusOf = (reference: string | undefined) => references.get(reference ?? "") ?? "";
      const statuses = update.statuses.map((status) => statusOf(status.statusReference));
      if (statuses.some((id) => !site.statuses.has(id)))
        return refuse(response, 400, ["A status is not known."]);
      const initial = update.transitions.find(({ type }) => type === "INITIAL")?.toStatusReference;
      const transitions = update.transitions
        .filter(({ type }) => type !== "INITIAL")
        .map((each): TransitionSeed => {
          const screens = workflow.transitions.find(({ id }) => id === each.id);
          const from =
            each.type === "GLOBAL"
              ? "*"
              : (each.links ?? []).map((link) => statusOf(link.fromStatusReference));
          const { to: _to, ...kept } = screens ?? { id: each.id };
          const to = each.toStatusReference === undefined ? {} : { to: statusOf(each.toStatusReference) };
          return { ...kept, name: each.name, from, ...to };
        });
      changeWorkflow(workflow, { statuses, transitions, ...(initial ? { initial: statusOf(initial) } : {}) });
      changed.push(workflow);
    }
    response.json(renderWorkflows(site, changed, "read", Date.now()));
  });

  app.get("/rest/api/3/workflowscheme/project", (request, response) => {
    if (!permitted(site, response, ["ADMINISTER"], 403, ADMIN_ONLY)) return;
    const projects = listOf(request.query.projectId).flatMap((id) => site.projectOf(id) ?? []);
    response.json({
      values: projects.map((project) => ({
        projectIds: [project.id],
        workflowScheme: {
          id: 20_000 + project.boardId,
          name: `${project.key} workflow scheme`,
          description: "",
          defaultWorkflow: project.workflows[0]?.name ?? "jira",
          issueTypeMappings: Object.fromEntries(
            project.workflows.flatMap((workflow) => workflow.issueTypes.map((type) => [type, workflow.name])),
          ),
        },
      })),
    });
  });
}

function addProjectChanges(app: Express, site: Site, render: Render): void {
  app.get("/rest/api/3/project/search", (request, response) => {
    const visible = site.may(loginOf(response).account, "BROWSE_PROJECTS") ? site.projects : [];
    const keys = listOf(request.query.keys);
    const words = String(request.query.query ?? "").toLowerCase();
    const all = visible.filter(
      ({ key, name }) =>
        (keys.length === 0 || keys.includes(key)) && `${key} ${name}`.toLowerCase().includes(words),
    );
    const startAt = numberOf(request.query.startAt, 0, all.length);
    const maxResults = numberOf(request.query.maxResults, 50, 100);
    const values = all.slice(startAt, startAt + maxResults).map(render.project);
    const isLast = startAt + values.length >= all.length;
    response.json({ startAt, maxResults, total: all.length, isLast, values });
  });

  app.put("/rest/api/3/project/:project", (request, response) => {
    const project = visibleProject(site, request.params.project, response);
    if (project === undefined) return;
    if (!permitted(site, response, ["ADMINISTER_PROJECTS", "ADMINISTER"], 403, ADMIN_ONLY)) return;
    const { name, key } = (request.body ?? {}) as { name?: string; key?: string };
    if (name !== undefined) project.name = name;
    if (key !== undefined) site.rekey(project, key);
    response.json(render.project(project));
  });
}
