import type { Choice } from "../../src/board/connector.js";
import { BoardwalkError } from "../../src/errors.js";
import type { GithubApi } from "./api.js";
import { projectsDocument } from "./documents.js";
import { run } from "./graphql.js";

/** The open projects of an owner. */

const MOST = 500;

/** @throws BoardwalkError `not_found_or_hidden` when GitHub shows no such owner. */
export async function listProjects(
  api: GithubApi,
  owner: string,
  signal: AbortSignal,
): Promise<readonly Choice[]> {
  const found: Choice[] = [];
  for (let after: string | null = null; found.length < MOST; ) {
    const page: Page = await pageOf(api, owner, after, signal);
    for (const project of page.nodes)
      if (project !== null && !project.closed)
        found.push({ value: String(project.number), label: `${project.title} (#${project.number})` });
    if (!page.pageInfo.hasNextPage || !page.pageInfo.endCursor) break;
    after = page.pageInfo.endCursor;
  }
  return found.sort((a, b) => (a.label < b.label ? -1 : 1)).slice(0, MOST);
}

type Page = Awaited<ReturnType<typeof pageOf>>;

async function pageOf(api: GithubApi, owner: string, after: string | null, signal: AbortSignal) {
  const { repositoryOwner } = await run(api, projectsDocument, { owner, after }, signal);
  if (repositoryOwner?.projectsV2 !== undefined) return repositoryOwner.projectsV2;
  throw new BoardwalkError(
    "not_found_or_hidden",
    `GitHub has nobody called ${owner}, or shows this account nothing of theirs.`,
  );
}
