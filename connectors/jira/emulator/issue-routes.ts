import type { Express, Request, Response } from "express";
import { listOf, loginOf, numberOf, refuse, visibleIssue } from "./http.js";
import { findIssues, JqlError } from "./jql.js";
import type { Render } from "./render.js";
import { doTransition, isDocument, type TransitionRequest } from "./rules.js";
import type { Issue, Site } from "./site.js";

/** Issues, their transitions and comments, and the search. */

/** More per page is given only to those who ask for ids and keys alone. */
const MAX_PAGE = 100;
const MAX_ID_PAGE = 5_000;

export function addIssueRoutes(app: Express, site: Site, render: Render): void {
  app.get("/rest/api/3/issue/:issue", (request, response) => {
    const issue = visibleIssue(site, request, response);
    if (issue === undefined) return;
    const fields = listOf(request.query.fields);
    const chosen = fields.length === 0 ? ["*all"] : fields;
    response.json(render.issue(issue, loginOf(response).account, chosen, listOf(request.query.expand)));
  });

  app.get("/rest/api/3/issue/:issue/transitions", (request, response) => {
    const issue = visibleIssue(site, request, response);
    if (issue === undefined) return;
    const options = {
      fields: listOf(request.query.expand).includes("transitions.fields"),
      unavailable: request.query.includeUnavailableTransitions === "true",
    };
    const { transitionId } = request.query;
    const all = render.transitions(issue, loginOf(response).account, options);
    const transitions = transitionId === undefined ? all : all.filter((each) => each.id === transitionId);
    response.json({ expand: "transitions", transitions });
  });

  app.post("/rest/api/3/issue/:issue/transitions", (request, response) => {
    const issue = visibleIssue(site, request, response);
    if (issue === undefined) return;
    const wanted = transitionRequest(request.body);
    if (wanted === undefined) return refuse(response, 400, ["Invalid request payload."]);
    const refused = doTransition(site, issue, loginOf(response).account, wanted);
    if (refused === undefined) response.status(204).end();
    else response.status(400).json(refused);
  });

  app.post("/rest/api/3/issue/bulkfetch", (request, response) => {
    const body = (request.body ?? {}) as { issueIdsOrKeys?: unknown; fields?: unknown; expand?: unknown };
    const wanted = listOf(body.issueIdsOrKeys);
    if (wanted.length === 0 || wanted.length > 100)
      return refuse(response, 400, ["Between 1 and 100 issues."]);
    const found = wanted.flatMap((idOrKey) => site.issueOf(idOrKey) ?? []);
    const { account } = loginOf(response);
    const visible = site.may(account, "BROWSE_PROJECTS") ? found : [];
    response.json({
      issues: visible.map((issue) => render.issue(issue, account, listOf(body.fields), listOf(body.expand))),
      issueErrors: [],
    });
  });

  app.get("/rest/api/3/issue/:issue/changelog", (request, response) => {
    const issue = visibleIssue(site, request, response);
    if (issue === undefined) return;
    const startAt = numberOf(request.query.startAt, 0, Number.MAX_SAFE_INTEGER);
    const maxResults = numberOf(request.query.maxResults, 100, 100);
    const all = render.changelog(issue);
    const values = all.slice(startAt, startAt + maxResults);
    const isLast = startAt + values.length >= all.length;
    response.json({
      self: render.api(`issue/${issue.id}/changelog`),
      maxResults,
      startAt,
      total: all.length,
      isLast,
      values,
    });
  });

  addCommentRoutes(app, site, render);
  addSearchRoutes(app, site, render);
}

function transitionRequest(body: unknown): TransitionRequest | undefined {
  const { transition, fields = {}, update = {} } = (body ?? {}) as Record<string, unknown>;
  if (typeof fields !== "object" || typeof update !== "object" || fields === null || update === null)
    return undefined;
  const id = (transition as { id?: unknown } | undefined)?.id;
  return {
    id: typeof id === "string" ? id : undefined,
    fields: fields as TransitionRequest["fields"],
    update: update as TransitionRequest["update"],
  };
}

function addCommentRoutes(app: Express, site: Site, render: Render): void {
  app.get("/rest/api/3/issue/:issue/comment", (request, response) => {
    const issue = visibleIssue(site, request, response);
    if (issue === undefined) return;
    const comments = issue.comments.map((comment) => render.comment(comment, issue));
    response.json({ startAt: 0, maxResults: 50, total: comments.length, comments });
  });

  app.post("/rest/api/3/issue/:issue/comment", (request, response) => {
    const issue = visibleIssue(site, request, response);
    if (issue === undefined) return;
    const { account } = loginOf(response);
    const { body } = (request.body ?? {}) as { body?: unknown };
    if (!site.may(account, "ADD_COMMENTS")) {
      return refuse(response, 400, [], {
        comment: "You do not have the permission to comment on this issue.",
      });
    }
    if (!isDocument(body)) return refuse(response, 400, [], { comment: "Comment body is not valid!" });
    const comment = { id: site.nextId(), body, author: account, created: site.now() };
    issue.comments.push(comment);
    issue.updated = comment.created;
    response.status(201).json(render.comment(comment, issue));
  });
}

function addSearchRoutes(app: Express, site: Site, render: Render): void {
  const gone = (_request: Request, response: Response) =>
    refuse(response, 410, [
      "The requested API has been removed. Please migrate to the /rest/api/3/search/jql API. A full migration guideline is available at https://developer.atlassian.com/changelog/#CHANGE-2046",
    ]);
  app.get("/rest/api/3/search", gone);
  app.post("/rest/api/3/search", gone);
  app.get("/rest/api/3/search/jql", (request, response) => search(site, render, request.query, response));
  app.post("/rest/api/3/search/jql", (request, response) =>
    search(site, render, request.body ?? {}, response),
  );
}

function search(
  site: Site,
  render: Render,
  query: Readonly<Record<string, unknown>>,
  response: Response,
): unknown {
  const { account } = loginOf(response);
  const jql = String(query.jql ?? "");
  const start = startOf(query.nextPageToken, jql);
  if (start === undefined) return refuse(response, 400, ["Invalid next page token."]);
  let found: Issue[];
  try {
    found = findIssues(site, jql);
  } catch (error) {
    if (error instanceof JqlError) return refuse(response, 400, [error.message]);
    throw error;
  }
  if (!site.may(account, "BROWSE_PROJECTS")) found = [];
  const fields = listOf(query.fields);
  const idsOnly = fields.every((field) => field === "id" || field === "key");
  const size = numberOf(query.maxResults, 50, idsOnly ? MAX_ID_PAGE : MAX_PAGE);
  const page = found.slice(start, start + size);
  const isLast = start + page.length >= found.length;
  response.json({
    issues: page.map((issue) =>
      fields.length === 0 ? { id: issue.id } : render.issue(issue, account, fields, listOf(query.expand)),
    ),
    ...(isLast ? {} : { nextPageToken: tokenFor(jql, start + page.length) }),
    isLast,
  });
}

function tokenFor(jql: string, start: number): string {
  return Buffer.from(JSON.stringify([start, jql])).toString("base64url");
}

function startOf(token: unknown, jql: string): number | undefined {
  if (token === undefined || token === "") return 0;
  try {
    const [start, of] = JSON.parse(Buffer.from(String(token), "base64url").toString("utf8")) as unknown[];
    return of === jql && Number.isInteger(start) ? Number(start) : undefined;
  } catch {
    return undefined;
  }
}
