import { type Request, type Response, Router } from "express";
import { addCommitRoutes } from "./commits-routes.js";
import { addPullRoutes } from "./pulls-routes.js";
import { addRefRoutes } from "./refs-routes.js";
import { notFound, problem } from "./replies.js";
import type { RepoRoutes } from "./repo-routes.js";
import type { Repo } from "./repos.js";
import { repositoryBody } from "./shapes.js";

/** GitHub's REST paths for repositories, refs, commits and pull requests. */

export interface RestWorld {
  readonly repo: (owner: string, name: string) => Repo | undefined;
  /** Base of the links in replies. */
  readonly api: () => string;
}

export function createRestRoutes(world: RestWorld): Router {
  const routes = Router();
  const on: RepoRoutes["on"] = (method, path, need, handle) => {
    routes[method](`/repos/:owner/:repo${path}`, (request: Request, response: Response) => {
      const repo = world.repo(String(request.params.owner), String(request.params.repo));
      if (repo === undefined || repo.access === "none") return notFound(response);
      if (need === "write" && repo.access === "read") {
        return problem(response, 403, "Resource not accessible by personal access token");
      }
      handle(repo, request, response);
    });
  };
  on("get", "", "read", (repo, _request, response) => response.json(repositoryBody(world.api(), repo)));
  const parts = { on, api: world.api };
  addRefRoutes(parts);
  addCommitRoutes(parts);
  addPullRoutes(parts);
  return routes;
}
