import type { Request, RequestHandler, Response } from "express";
import { refusal } from "./rules.js";
import type { AccountSeed, Permission } from "./seed.js";
import type { Issue, Project, Site } from "./site.js";

/** What the emulator's routes share: who is asking, what she may see, and how Jira says no. */

export interface Login {
  readonly account: AccountSeed;
  readonly kind: "api-token" | "oauth";
}

/** Answers with Jira's error body. */
export function refuse(
  response: Response,
  status: number,
  messages: readonly string[],
  errors: Readonly<Record<string, string>> = {},
): void {
  response.status(status).json(refusal(messages, errors));
}

export function authenticate(loginOf: (header: string) => Login | undefined): RequestHandler {
  return (request, response, next) => {
    const login = loginOf(request.headers.authorization ?? "");
    if (login === undefined) {
      response.setHeader("www-authenticate", 'OAuth realm="jira"');
      response.setHeader("x-seraph-loginreason", "AUTHENTICATED_FAILED");
      refuse(response, 401, ["Client must be authenticated to access this resource."]);
      return;
    }
    response.locals.login = login;
    next();
  };
}

export function loginOf(response: Response): Login {
  return response.locals.login as Login;
}

/** Refuses and answers false when the account lacks the permission. */
export function permitted(
  site: Site,
  response: Response,
  permission: readonly Permission[],
  status: number,
  message: string,
): boolean {
  const { account } = loginOf(response);
  if (permission.some((each) => site.may(account, each))) return true;
  refuse(response, status, [message]);
  return false;
}

/** The issue of the path, or a 404 that does not tell missing from hidden. */
export function visibleIssue(site: Site, request: Request, response: Response): Issue | undefined {
  const issue = site.issueOf(String(request.params.issue));
  if (issue !== undefined && site.may(loginOf(response).account, "BROWSE_PROJECTS")) return issue;
  refuse(response, 404, ["Issue does not exist or you do not have permission to see it."]);
  return undefined;
}

export function visibleProject(site: Site, idOrKey: string, response: Response): Project | undefined {
  const project = site.projectOf(idOrKey);
  if (project !== undefined && site.may(loginOf(response).account, "BROWSE_PROJECTS")) return project;
  refuse(response, 404, [`No project could be found with key '${idOrKey}'.`]);
  return undefined;
}

/** A query parameter that is a list: repeated, or separated by commas. */
export function listOf(value: unknown): string[] {
  return [value]
    .flat()
    .filter((part): part is string => typeof part === "string")
    .flatMap((part) => part.split(","))
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

export function numberOf(value: unknown, otherwise: number, most: number): number {
  const parsed = Number(value ?? otherwise);
  return Number.isInteger(parsed) && parsed >= 0 ? Math.min(parsed, most) : otherwise;
}
