import { type Request, type Response, Router } from "express";
import { z } from "zod";
import { isBranchName } from "../branches.js";
import { addCommit, addPull, closePull, commitsBetween, isAncestor, type Pull, type Repo } from "./repos.js";
import { branchBody, commitBody, pullBody, pullSimpleBody, refBody, repositoryBody } from "./shapes.js";

/** GitHub's REST paths for repositories, refs, commits and pull requests. */

export interface RestWorld {
  readonly repo: (owner: string, name: string) => Repo | undefined;
  /** Base of the links in replies. */
  readonly api: () => string;
}

interface Fault {
  readonly resource: string;
  readonly code: string;
  readonly field?: string;
  readonly message?: string;
}

export function createRestRoutes(world: RestWorld): Router {
  const routes = Router();
  const within = (
    need: "read" | "write",
    handle: (repo: Repo, request: Request, response: Response) => unknown,
  ) => {
    return (request: Request, response: Response) => {
      const repo = world.repo(String(request.params.owner), String(request.params.repo));
      if (repo === undefined || repo.access === "none") return notFound(response);
      if (need === "write" && repo.access === "read") {
        return problem(response, 403, "Resource not accessible by personal access token");
      }
      handle(repo, request, response);
    };
  };
  const base = "/repos/:owner/:repo";
  routes.get(
    base,
    within("read", (repo, _request, response) => response.json(repositoryBody(world.api(), repo))),
  );
  addRefRoutes(routes, base, within, world);
  addCommitRoutes(routes, base, within, world);
  addPullRoutes(routes, base, within, world);
  return routes;
}

type Within = (
  need: "read" | "write",
  handle: (repo: Repo, request: Request, response: Response) => unknown,
) => (request: Request, response: Response) => void;

const sha = z.string().regex(/^[0-9a-f]{40}$/);

function addRefRoutes(routes: Router, base: string, within: Within, world: RestWorld): void {
  const ref = (repo: Repo, name: string) => refBody(world.api(), repo, name, repo.refs.get(name) ?? "");
  routes.get(
    `${base}/branches`,
    within("read", (repo, request, response) => {
      const names = [...repo.refs].sort(([a], [b]) => (a < b ? -1 : 1));
      sendPage(
        request,
        response,
        names.map(([name, tip]) => branchBody(world.api(), repo, name, tip)),
      );
    }),
  );
  routes.get(
    `${base}/git/matching-refs/*ref`,
    within("read", (repo, request, response) => {
      const prefix = `refs/${wildcard(request)}`;
      const names = [...repo.refs.keys()].filter((name) => `refs/heads/${name}`.startsWith(prefix)).sort();
      response.json(names.map((name) => ref(repo, name)));
    }),
  );
  routes.get(
    `${base}/git/ref/*ref`,
    within("read", (repo, request, response) => {
      const name = headName(wildcard(request));
      if (name === undefined || !repo.refs.has(name)) return notFound(response);
      response.json(ref(repo, name));
    }),
  );
  routes.post(
    `${base}/git/refs`,
    within("write", (repo, request, response) => {
      const body = z.object({ ref: z.string(), sha }).safeParse(request.body);
      const name = body.success ? headName(body.data.ref.replace(/^refs\//, "")) : undefined;
      if (!body.success || name === undefined || !isBranchName(name)) {
        return problem(response, 422, "Reference name must start with 'refs/' and be well-formed");
      }
      if (repo.refs.has(name)) return problem(response, 422, "Reference already exists");
      if (!repo.commits.has(body.data.sha)) return problem(response, 422, "Object does not exist");
      repo.refs.set(name, body.data.sha);
      response.status(201).json(ref(repo, name));
    }),
  );
  routes.patch(
    `${base}/git/refs/*ref`,
    within("write", (repo, request, response) => {
      const body = z.object({ sha, force: z.boolean().default(false) }).safeParse(request.body);
      const name = headName(wildcard(request));
      const tip = name === undefined ? undefined : repo.refs.get(name);
      if (name === undefined || tip === undefined) return problem(response, 422, "Reference does not exist");
      if (!body.success || !repo.commits.has(body.data.sha))
        return problem(response, 422, "Object does not exist");
      if (!body.data.force && !isAncestor(repo, tip, body.data.sha)) {
        return problem(response, 422, "Update is not a fast forward");
      }
      repo.refs.set(name, body.data.sha);
      response.json(ref(repo, name));
    }),
  );
}

function addCommitRoutes(routes: Router, base: string, within: Within, world: RestWorld): void {
  const wanted = z.object({ message: z.string(), tree: sha, parents: z.array(sha).default([]) });
  routes.get(
    `${base}/git/commits/:sha`,
    within("read", (repo, request, response) => {
      const commit = repo.commits.get(String(request.params.sha));
      return commit === undefined ? notFound(response) : response.json(commitBody(world.api(), repo, commit));
    }),
  );
  routes.post(
    `${base}/git/commits`,
    within("write", (repo, request, response) => {
      const body = wanted.safeParse(request.body);
      if (!body.success)
        return invalid(response, [{ resource: "Commit", field: "tree", code: "missing_field" }]);
      const known = [...repo.commits.values()].some((commit) => commit.tree === body.data.tree);
      if (!known || !body.data.parents.every((parent) => repo.commits.has(parent))) {
        return problem(response, 422, "Tree SHA or parent does not exist");
      }
      response.status(201).json(commitBody(world.api(), repo, addCommit(repo, body.data)));
    }),
  );
}

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

function addPullRoutes(routes: Router, base: string, within: Within, world: RestWorld): void {
  const one =
    (handle: (repo: Repo, pull: Pull, request: Request, response: Response) => unknown) =>
    (repo: Repo, request: Request, response: Response) => {
      const pull = repo.pulls.find(({ number }) => String(number) === request.params.number);
      return pull === undefined ? notFound(response) : handle(repo, pull, request, response);
    };
  routes.get(
    `${base}/pulls`,
    within("read", (repo, request, response) => {
      const found = selectPulls(repo, request.query);
      sendPage(
        request,
        response,
        found.map((pull) => pullSimpleBody(world.api(), repo, pull)),
      );
    }),
  );
  routes.post(
    `${base}/pulls`,
    within("write", (repo, request, response) => {
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
      response.status(201).json(pullBody(world.api(), repo, pull));
    }),
  );
  routes.get(
    `${base}/pulls/:number`,
    within(
      "read",
      one((repo, pull, _request, response) => response.json(pullBody(world.api(), repo, pull))),
    ),
  );
  routes.patch(
    `${base}/pulls/:number`,
    within(
      "write",
      one((repo, pull, request, response) => {
        const change = pullChange.safeParse(request.body);
        if (!change.success)
          return invalid(response, [{ resource: "PullRequest", field: "state", code: "invalid" }]);
        applyChange(pull, change.data);
        response.json(pullBody(world.api(), repo, pull));
      }),
    ),
  );
}

function applyChange(pull: Pull, change: z.infer<typeof pullChange>): void {
  if (change.title !== undefined) pull.title = change.title;
  if (change.body !== undefined) pull.body = change.body;
  if (change.base !== undefined) pull.base = change.base;
  if (change.state === "closed" && pull.state === "open") closePull(pull, false);
  if (change.state === "open" && pull.mergedAt === null)
    Object.assign(pull, { state: "open", closedAt: null });
}

function faultsOfNewPull(repo: Repo, wanted: { head: string; base: string }): readonly Fault[] {
  const resource = "PullRequest";
  if (!repo.refs.has(wanted.head)) return [{ resource, field: "head", code: "invalid" }];
  if (!repo.refs.has(wanted.base)) return [{ resource, field: "base", code: "invalid" }];
  const custom = (message: string): readonly Fault[] => [{ resource, code: "custom", message }];
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
  const branch =
    typeof head === "string" && head.includes(":") ? head.slice(head.indexOf(":") + 1) : undefined;
  return repo.pulls
    .filter((pull) => state === "all" || pull.state === state)
    .filter((pull) => branch === undefined || pull.head === branch)
    .filter((pull) => base === undefined || pull.base === base)
    .sort((a, b) => (query.direction === "asc" ? a.number - b.number : b.number - a.number));
}

/** One page of `rows`, with the `Link` header that leads to the others. */
export function sendPage(request: Request, response: Response, rows: readonly unknown[]): void {
  const perPage = Math.min(100, Math.max(1, Number(request.query.per_page) || 30));
  const page = Math.max(1, Number(request.query.page) || 1);
  const last = Math.max(1, Math.ceil(rows.length / perPage));
  const to = (number: number, rel: string) => {
    const url = new URL(request.originalUrl, `${request.protocol}://${request.get("host")}`);
    url.searchParams.set("page", String(number));
    return `<${url}>; rel="${rel}"`;
  };
  const links: string[] = [];
  if (page > 1) links.push(to(page - 1, "prev"), to(1, "first"));
  if (page < last) links.push(to(page + 1, "next"), to(last, "last"));
  if (links.length > 0) response.setHeader("link", links.join(", "));
  response.json(rows.slice((page - 1) * perPage, page * perPage));
}

export function problem(response: Response, status: number, message: string): void {
  const documentation_url = "https://docs.github.com/rest";
  response.status(status).json({ message, documentation_url, status: String(status) });
}

export function notFound(response: Response): void {
  problem(response, 404, "Not Found");
}

function invalid(response: Response, errors: readonly Fault[]): void {
  const documentation_url = "https://docs.github.com/rest/pulls/pulls#create-a-pull-request";
  response.status(422).json({ message: "Validation Failed", errors, documentation_url, status: "422" });
}

function wildcard(request: Request): string {
  const { ref } = request.params;
  return Array.isArray(ref) ? ref.join("/") : String(ref ?? "");
}

function headName(ref: string): string | undefined {
  return ref.startsWith("heads/") ? ref.slice("heads/".length) : undefined;
}
