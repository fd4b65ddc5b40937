import type { components } from "@octokit/openapi-types";
import type { Request, Response } from "express";
import { z } from "zod";
import { invalid, notFound, problem, type RestFault, sendPage } from "./replies.js";
import type { RepoRoutes } from "./repo-routes.js";
import { addCommit, addPull, closePull, commitsBetween, hash, type Pull, type Repo } from "./repos.js";
import { pullBody, pullSimpleBody } from "./shapes.js";

/** Pull requests. */

const newPull = z.object({
  title: z.string().min(1),
  head: z.string(),
  base: z.string(),
  body: z.string().nullish(),
  draft: z.boolean().default(false),
});
const pullChange = z.object({
  title: z.string().min(1).optional(),
  body: z.string().nullish(),
  base: z.string().optional(),
  state: z.enum(["open", "closed"]).optional(),
});

export function addPullRoutes({ on, api }: RepoRoutes): void {
  const one =
    (handle: (repo: Repo, pull: Pull, request: Request, response: Response) => unknown) =>
    (repo: Repo, request: Request, response: Response) => {
      const pull = repo.pulls.find(({ number }) => String(number) === request.params.number);
      return pull === undefined ? notFound(response) : handle(repo, pull, request, response);
    };
  on("get", "/pulls", "read", (repo, request, response) => {
    const found = selectPulls(repo, request.query);
    sendPage(
      request,
      response,
      found.map((pull) => pullSimpleBody(api(), repo, pull)),
    );
  });
  on("post", "/pulls", "write", (repo, request, response) => {
    const body = newPull.safeParse(request.body);
    if (!body.success) {
      const field = String(body.error.issues[0]?.path[0] ?? "title");
      return invalid(response, [{ resource: "PullRequest", field, code: "missing_field" }]);
    }
    const wanted = { ...body.data, head: body.data.head.replace(`${repo.owner}:`, "") };
    if (wanted.draft && !repo.draftsSupported) {
      return problem(response, 422, "Draft pull requests are not supported in this repository.");
    }
    const faults = faultsOfNewPull(repo, wanted);
    if (faults.length > 0) return invalid(response, faults);
    const pull = addPull(repo, { ...wanted, body: wanted.body ?? null });
    response.status(201).json(pullBody(api(), repo, pull));
  });
  on(
    "get",
    "/pulls/:number",
    "read",
    one((repo, pull, _request, response) => response.json(pullBody(api(), repo, pull))),
  );
  on(
    "patch",
    "/pulls/:number",
    "write",
    one((repo, pull, request, response) => {
      const change = pullChange.safeParse(request.body);
      if (!change.success)
        return invalid(response, [{ resource: "PullRequest", field: "state", code: "invalid" }]);
      applyChange(pull, change.data);
      response.json(pullBody(api(), repo, pull));
    }),
  );
  on(
    "put",
    "/pulls/:number/merge",
    "write",
    one((repo, pull, _request, response) => {
      if (pull.state === "closed" || pull.draft)
        return problem(response, 405, "Pull Request is not mergeable");
      response.json(mergePull(repo, pull));
    }),
  );
}

function mergePull(repo: Repo, pull: Pull): components["schemas"]["pull-request-merge-result"] {
  const parents = [pull.base, pull.head].flatMap((name) => repo.refs.get(name) ?? []);
  const tree = repo.commits.get(parents.at(-1) ?? "")?.tree ?? hash(`tree:${pull.id}`);
  const { sha } = addCommit(repo, { message: `Merge pull request #${pull.number}`, tree, parents });
  repo.refs.set(pull.base, sha);
  closePull(pull, true);
  return { sha, merged: true, message: "Pull Request successfully merged" };
}

function applyChange(pull: Pull, change: z.infer<typeof pullChange>): void {
  if (change.title !== undefined) pull.title = change.title;
  if (change.body !== undefined) pull.body = change.body;
  if (change.base !== undefined) pull.base = change.base;
  if (change.state === "closed" && pull.state === "open") closePull(pull, false);
  if (change.state === "open" && pull.mergedAt === null)
    Object.assign(pull, { state: "open", closedAt: null });
}

function faultsOfNewPull(repo: Repo, wanted: { head: string; base: string }): readonly RestFault[] {
  const resource = "PullRequest";
  if (!repo.refs.has(wanted.head)) return [{ resource, field: "head", code: "invalid" }];
  if (!repo.refs.has(wanted.base)) return [{ resource, field: "base", code: "invalid" }];
  const custom = (message: string): readonly RestFault[] => [{ resource, code: "custom", message }];
  const open = repo.pulls.some(
    ({ state, head, base }) => state === "open" && head === wanted.head && base === wanted.base,
  );
  if (open) return custom(`A pull request already exists for ${repo.owner}:${wanted.head}.`);
  if (commitsBetween(repo, wanted.base, wanted.head) === 0) {
    return custom(`No commits between ${wanted.base} and ${wanted.head}`);
  }
  return [];
}

function selectPulls(repo: Repo, query: Request["query"]): readonly Pull[] {
  const { head, base, state = "open" } = query;
  // Without an owner before the colon GitHub does not filter at all.
  const [owner, branch] = typeof head === "string" && head.includes(":") ? head.split(/:(.*)/s) : [];
  return repo.pulls
    .filter((pull) => state === "all" || pull.state === state)
    .filter((pull) => branch === undefined || (pull.head === branch && owner === repo.owner))
    .filter((pull) => base === undefined || pull.base === base)
    .sort((a, b) => (query.direction === "asc" ? a.number - b.number : b.number - a.number));
}
