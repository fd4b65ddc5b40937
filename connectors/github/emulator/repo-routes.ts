import type { Request, Response } from "express";
import type { Repo } from "./repos.js";

/** Registers `handle` for a path below one repository, with what it needs to be allowed. */
export interface RepoRoutes {
  on(
    method: "get" | "post" | "patch" | "put" | "delete",
    path: string,
    need: "read" | "write",
    handle: (repo: Repo, request: Request, response: Response) => unknown,
  ): void;
  /** Base of the links in replies. */
  readonly api: () => string;
}
