import type { components } from "@octokit/openapi-types";
import type { Response } from "express";
import { z } from "zod";
import { isBranchName } from "../branches.js";
import { invalid, notFound, problem } from "./replies.js";
import type { RepoRoutes } from "./repo-routes.js";
import { addCommit, type Commit, hash, type Repo } from "./repos.js";
import { commitBody, repoUrl } from "./shapes.js";

/** Commits, trees and files: what it takes to put work on a branch without Git. What is in a file is not kept. */

const sha = z.string().regex(/^[0-9a-f]{40}$/);
const newCommit = z.object({ message: z.string(), tree: sha, parents: z.array(sha).default([]) });
const newTree = z.object({
  base_tree: sha.optional(),
  tree: z.array(
    z.object({
      path: z.string(),
      mode: z.string(),
      type: z.string(),
      sha: sha.nullish(),
      content: z.string().optional(),
    }),
  ),
});
const newFile = z.object({
  message: z.string(),
  content: z.string(),
  branch: z.string().optional(),
  sha: sha.optional(),
});

export function addCommitRoutes({ on, api }: RepoRoutes): void {
  on("get", "/git/commits/:sha", "read", (repo, request, response) => {
    const commit = repo.commits.get(String(request.params.sha));
    return commit === undefined ? notFound(response) : response.json(commitBody(api(), repo, commit));
  });
  on("post", "/git/commits", "write", (repo, request, response) => {
    const body = newCommit.safeParse(request.body);
    if (!body.success)
      return invalid(response, [{ resource: "Commit", field: "tree", code: "missing_field" }]);
    if (!repo.trees.has(body.data.tree) || !body.data.parents.every((parent) => repo.commits.has(parent))) {
      return problem(response, 422, "Tree SHA or parent does not exist");
    }
    response.status(201).json(commitBody(api(), repo, addCommit(repo, body.data)));
  });
  on("post", "/git/trees", "write", (repo, request, response) => {
    const body = newTree.safeParse(request.body);
    if (!body.success) return invalid(response, [{ resource: "Tree", field: "tree", code: "missing_field" }]);
    response.status(201).json(treeBody(api(), repo, body.data));
  });
  on("put", "/contents/*path", "write", (repo, request, response) => {
    const body = newFile.safeParse(request.body);
    if (!body.success)
      return invalid(response, [{ resource: "Commit", field: "message", code: "missing_field" }]);
    const { path } = request.params;
    putFile(
      repo,
      { ...body.data, path: Array.isArray(path) ? path.join("/") : String(path) },
      api(),
      response,
    );
  });
}

function treeBody(
  api: string,
  repo: Repo,
  wanted: z.infer<typeof newTree>,
): components["schemas"]["git-tree"] {
  const tree = hash(JSON.stringify(wanted));
  repo.trees.add(tree);
  const entries = wanted.tree.map(({ path, mode, type, sha: blob, content }) => ({
    path,
    mode,
    type,
    sha: blob ?? hash(content ?? ""),
  }));
  return { sha: tree, url: `${repoUrl(api, repo)}/git/trees/${tree}`, truncated: false, tree: entries };
}

function putFile(
  repo: Repo,
  file: z.infer<typeof newFile> & { readonly path: string },
  api: string,
  response: Response,
): unknown {
  const branch = file.branch ?? repo.defaultBranch;
  const tip = repo.refs.get(branch);
  if (tip === undefined || !isBranchName(branch)) return problem(response, 404, `Branch ${branch} not found`);
  const tree = hash(`${tip}:${file.path}:${file.content}`);
  const commit = addCommit(repo, { message: file.message, tree, parents: [tip] });
  repo.refs.set(branch, commit.sha);
  return response.status(201).json(fileCommitBody(api, repo, file.path, commit));
}

function fileCommitBody(
  api: string,
  repo: Repo,
  path: string,
  commit: Commit,
): components["schemas"]["file-commit"] {
  const url = `${repoUrl(api, repo)}/contents/${path}`;
  const content = { name: path.split("/").at(-1) ?? path, path, sha: hash(commit.tree), type: "file", url };
  return { content, commit: commitBody(api, repo, commit) };
}
