import type { Problem } from "../../src/board/connector.js";
import { BoardwalkError } from "../../src/errors.js";
import type { GithubApi } from "./api.js";
import {
  chooseField,
  type FoundProject,
  fieldQuestion,
  findProject,
  type ProjectAddress,
} from "./project.js";
import type { GithubCredentials } from "./settings.js";

const TOKENS =
  "An organization's project needs an App with the organization permission Projects (write), a fine-grained token " +
  "with it, or a classic token with the scopes project and repo. A person's own project needs the classic token.";

/** What these credentials can and cannot do with the project, each with what to do about it. */
export async function probeProject(
  api: GithubApi,
  address: ProjectAddress,
  credentials: GithubCredentials,
  signal: AbortSignal,
): Promise<readonly Problem[]> {
  try {
    return problemsOf(await findProject(api, address, signal), address, credentials);
  } catch (thrown) {
    const error = BoardwalkError.from(thrown);
    const fix = fixFor(error);
    // Trouble that passes says nothing about the credentials.
    if (fix === undefined) throw error;
    return [{ code: error.code, message: error.message, fix }];
  }
}

function fixFor(error: BoardwalkError): string | undefined {
  if (error.code === "auth_expired") return "Reconnect with a new token.";
  if (error.code === "not_found_or_hidden") return `Check the owner and the project's number. ${TOKENS}`;
  if (error.code !== "forbidden") return undefined;
  const scopes = error.data?.scopes;
  if (!Array.isArray(scopes) || scopes.length === 0) return TOKENS;
  return `Give the token the scope project (it lacks ${scopes.join(" or ")}), or make a new one with it, and reconnect.`;
}

function problemsOf(
  { project, fields, owner }: FoundProject,
  { statusField }: ProjectAddress,
  credentials: GithubCredentials,
): readonly Problem[] {
  const problems: Problem[] = [];
  if (chooseField(fields, { setting: statusField }) === undefined) {
    problems.push({
      code: "status_field",
      message: fieldQuestion(fields, statusField),
      fix: "Say which field holds the columns: set statusField to its name.",
    });
  }
  if (project.closed) {
    problems.push({
      code: "project_closed",
      message: "This project is closed, so its items cannot be moved.",
      fix: "Reopen the project on GitHub.",
    });
  }
  if (project.template) {
    problems.push({
      code: "project_template",
      message: "This project is a template, so its items cannot be moved.",
      fix: "Connect a project made from the template instead.",
    });
  }
  if (!project.viewerCanUpdate) {
    const app = owner === "User" && "appId" in credentials;
    problems.push({
      code: "read_only",
      message: "These credentials may read this project but not move its items.",
      fix: app
        ? "An App cannot write to a person's own project. Connect it with a classic token that has the scope project."
        : `Give this account write access to the project. ${TOKENS}`,
    });
  }
  return problems;
}
