import type { Express, Response } from "express";
import { listOf, loginOf, numberOf, permitted, refuse, visibleProject } from "./http.js";
import type { Render } from "./render.js";
import { renderWorkflows } from "./render-workflows.js";
import { PERMISSIONS, type Permission } from "./seed.js";
import type { Site } from "./site.js";

/** Projects, workflows, statuses, boards, and what an account may do. */

const NO_WORKFLOW = "You do not have permission to view these workflows.";

export interface WorkflowRouteOptions {
  /** How the workflow endpoints say "not allowed": the contract says 401, sites have been seen to say 403 and 404. */
  readonly denial: () => 401 | 403 | 404;
}

export function addWorkflowRoutes(
  app: Express,
  site: Site,
  render: Render,
  options: WorkflowRouteOptions,
): void {
  let reply = 0;

  app.post("/rest/api/3/workflows/preview", (request, response) => {
    const viewers: Permission[] = ["ADMINISTER_PROJECTS", "VIEW_READONLY_WORKFLOW"];
    if (!permitted(site, response, viewers, options.denial(), NO_WORKFLOW)) return;
    const body = (request.body ?? {}) as Record<string, unknown>;
    const project = site.projectOf(String(body.projectId));
    if (project === undefined) return refuse(response, 404, [NO_WORKFLOW]);
    const types = listOf(body.issueTypeIds);
    const [ids, names] = [listOf(body.workflowIds), listOf(body.workflowNames)];
    if (types.length + ids.length + names.length === 0 || types.length > 25) {
      return refuse(response, 400, [
        "Between 1 and 25 issue types, workflow ids or workflow names are required.",
      ]);
    }
    const wanted = project.workflows.filter(
      (each) =>
        ids.includes(each.id) ||
        names.includes(each.name) ||
        each.issueTypes.some((type) => types.includes(type)),
    );
    response.json(renderWorkflows(site, wanted, "preview", ++reply));
  });

  app.post("/rest/api/3/workflows", (request, response) => {
    if (!permitted(site, response, ["ADMINISTER"], options.denial(), NO_WORKFLOW)) return;
    const body = (request.body ?? {}) as {
      projectAndIssueTypes?: { projectId: string; issueTypeId: string }[];
    };
    const wanted = (body.projectAndIssueTypes ?? []).flatMap((pair) =>
      (site.projectOf(pair.projectId)?.workflows ?? []).filter((each) =>
        each.issueTypes.includes(pair.issueTypeId),
      ),
    );
    response.json(renderWorkflows(site, [...new Set(wanted)], "read", ++reply));
  });

  app.get("/rest/api/3/workflows/search", (request, response) => {
    if (!permitted(site, response, ["ADMINISTER"], options.denial(), NO_WORKFLOW)) return;
    const all = site.projects.flatMap((project) => project.workflows);
    const startAt = numberOf(request.query.startAt, 0, all.length);
    const maxResults = numberOf(request.query.maxResults, 50, 200);
    const page = all.slice(startAt, startAt + maxResults);
    const withTransitions = listOf(request.query.expand).includes("values.transitions");
    const { statuses, workflows } = renderWorkflows(site, page, "read", ++reply);
    const values = workflows.map(({ transitions, ...rest }) =>
      withTransitions ? { ...rest, transitions } : rest,
    );
    const isLast = startAt + page.length >= all.length;
    response.json({ startAt, maxResults, total: all.length, isLast, values, statuses });
  });

  addProjectRoutes(app, site, render);
  addBoardRoutes(app, site);
  addAccountRoutes(app, site, render);
}

function addProjectRoutes(app: Express, site: Site, render: Render): void {
  app.get("/rest/api/3/project/search", (request, response) => {
    const seen = site.may(loginOf(response).account, "BROWSE_PROJECTS") ? site.projects : [];
    const all = seen.filter(({ archived }) => !archived).toSorted((a, b) => (a.name < b.name ? -1 : 1));
    const startAt = numberOf(request.query.startAt, 0, all.length);
    const maxResults = numberOf(request.query.maxResults, 50, 100);
    const values = all.slice(startAt, startAt + maxResults).map(render.project);
    const isLast = startAt + values.length >= all.length;
    response.json({
      self: render.api("project/search"),
      startAt,
      maxResults,
      total: all.length,
      isLast,
      values,
    });
  });

  app.get("/rest/api/3/project/:project", (request, response) => {
    const project = visibleProject(site, request.params.project, response);
    if (project !== undefined) response.json(render.project(project));
  });

  app.get("/rest/api/3/project/:project/statuses", (request, response) => {
    const project = visibleProject(site, request.params.project, response);
    if (project === undefined) return;
    response.json(
      project.issueTypes.map((type) => {
        const workflow =
          project.workflows.find((each) => each.issueTypes.includes(type.id)) ?? project.workflows[0];
        return {
          self: render.api(`issuetype/${type.id}`),
          id: type.id,
          name: type.name,
          subtask: type.subtask ?? false,
          statuses: (workflow?.statuses ?? []).map(render.status),
        };
      }),
    );
  });
}

function addBoardRoutes(app: Express, site: Site): void {
  const mayNot = (response: Response) =>
    !permitted(site, response, ["BROWSE_PROJECTS"], 403, "You do not have permission to view boards.");

  app.get("/rest/agile/1.0/board", (request, response) => {
    if (mayNot(response)) return;
    const wanted = request.query.projectKeyOrId;
    const boards = site.projects.filter(
      (project) =>
        project.columns !== undefined &&
        (wanted === undefined || project.key === wanted || project.id === wanted),
    );
    const values = boards.map((project) => ({
      id: project.boardId,
      self: `${request.protocol}://${request.headers.host}/rest/agile/1.0/board/${project.boardId}`,
      name: `${project.name} board`,
      type: "kanban",
      location: { projectId: Number(project.id), projectKey: project.key, projectName: project.name },
    }));
    response.json({ maxResults: 50, startAt: 0, total: values.length, isLast: true, values });
  });

  app.get("/rest/agile/1.0/board/:board/configuration", (request, response) => {
    if (mayNot(response)) return;
    const project = site.projects.find((each) => String(each.boardId) === request.params.board);
    if (project?.columns === undefined)
      return refuse(response, 404, ["The requested board cannot be viewed."]);
    const self = `${request.protocol}://${request.headers.host}/rest`;
    response.json({
      id: project.boardId,
      name: `${project.name} board`,
      type: "kanban",
      self: `${self}/agile/1.0/board/${project.boardId}/configuration`,
      location: { type: "project", projectKeyOrId: project.key },
      filter: { id: "10001", self: `${self}/api/2/filter/10001` },
      columnConfig: {
        columns: project.columns.map((column) => ({
          name: column.name,
          statuses: column.statuses.map((id) => ({ id, self: `${self}/api/2/status/${id}` })),
        })),
        constraintType: "none",
      },
      ranking: { rankCustomFieldId: 10019 },
    });
  });
}

function addAccountRoutes(app: Express, site: Site, render: Render): void {
  app.get("/rest/api/3/myself", (_request, response) => {
    const { account } = loginOf(response);
    response.json({ ...render.user(account), emailAddress: account.email, locale: "en_US" });
  });

  app.get("/rest/api/3/mypermissions", (request, response) => {
    const { account } = loginOf(response);
    const asked = listOf(request.query.permissions);
    if (asked.length === 0) return refuse(response, 400, ["The 'permissions' query parameter is required."]);
    const unknown = asked.filter((key) => !PERMISSIONS.some((known) => known === key));
    if (unknown.length > 0) return refuse(response, 400, [`Unrecognized permissions: ${unknown.join(", ")}`]);
    const { projectKey } = request.query;
    if (projectKey !== undefined && visibleProject(site, String(projectKey), response) === undefined) return;
    const permissions = asked.map((key) => [
      key,
      {
        id: String(PERMISSIONS.indexOf(key as Permission) + 10),
        key,
        name: key,
        type: key === "ADMINISTER" ? "GLOBAL" : "PROJECT",
        description: "",
        havePermission: site.may(account, key as Permission),
      },
    ]);
    response.json({ permissions: Object.fromEntries(permissions) });
  });

  app.get("/rest/api/3/serverInfo", (request, response) => {
    response.json({
      baseUrl: `${request.protocol}://${request.headers.host}`,
      version: "1001.0.0-SNAPSHOT",
      versionNumbers: [1001, 0, 0],
      deploymentType: "Cloud",
      serverTitle: "Jira",
    });
  });
}
