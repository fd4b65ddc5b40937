import type { Request } from "express";
import { z } from "zod";
import { isBranchName } from "../branches.js";
import { notFound, problem, sendPage } from "./replies.js";
import type { RepoRoutes } from "./repo-routes.js";
import { isAncestor, type Repo } from "./repos.js";
import { branchBody, refBody } from "./shapes.js";

/** Branches and refs. */

const sha = z.string().regex(/^[0-9a-f]{40}$/);

export function addRefRoutes({ on, api }: RepoRoutes): void {
  const ref = (repo: Repo, name: string) => refBody(api(), repo, name, repo.refs.get(name) ?? "");
  on("get", "/branches", "read", (repo, request, response) => {
    const names = [...repo.refs].sort(([a], [b]) => (a < b ? -1 : 1));
    sendPage(
      request,
      response,
      names.map(([name, tip]) => branchBody(api(), repo, name, tip)),
    );
  });
  on("get", "/git/matching-refs/*ref", "read", (repo, request, response) => {
    const prefix = `refs/${wildcard(request)}`;
    const names = [...repo.refs.keys()].filter((name) => `refs/heads/${name}`.startsWith(prefix)).sort();
    response.json(names.map((name) => ref(repo, name)));
  });
  on("get", "/git/ref/*ref", "read", (repo, request, response) => {
    const name = headName(wildcard(request));
    if (name === undefined || !repo.refs.has(name)) return notFound(response);
    response.json(ref(repo, name));
  });
  on("post", "/git/refs", "write", (repo, request, response) => {
    const body = z.object({ ref: z.string(), sha }).safeParse(request.body);
    const name = body.success ? headName(body.data.ref.replace(/^refs\//, "")) : undefined;
    if (!body.success || name === undefined || !isBranchName(name)) {
      return problem(response, 422, "Reference name must start with 'refs/' and be well-formed");
    }
    if (repo.refs.has(name)) return problem(response, 422, "Reference already exists");
    if (!repo.commits.has(body.data.sha)) return problem(response, 422, "Object does not exist");
    repo.refs.set(name, body.data.sha);
    response.status(201).json(ref(repo, name));
  });
  on("patch", "/git/refs/*ref", "write", (repo, request, response) => {
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
  });
  on("delete", "/git/refs/*ref", "write", (repo, request, response) => {
    const name = headName(wildcard(request));
    if (name === undefined || !repo.refs.delete(name))
      return problem(response, 422, "Reference does not exist");
    response.status(204).end();
  });
}

function wildcard(request: Request): string {
  const { ref } = request.params;
  return Array.isArray(ref) ? ref.join("/") : String(ref ?? "");
}

function headName(ref: string): string | undefined {
  return ref.startsWith("heads/") ? ref.slice("heads/".length) : undefined;
}
