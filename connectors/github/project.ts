import { BoardwalkError } from "../../src/errors.js";
import type { GithubApi } from "./api.js";
import { type ProjectFacts, projectDocument, type SingleSelectField } from "./documents.js";
import { run } from "./graphql.js";
import type { ProjectBoard } from "./map.js";

export interface ProjectAddress {
  readonly owner: string;
  readonly project: number;
  /** Name or node id of the field whose options are the columns. */
  readonly statusField?: string | undefined;
}

/** A project as found, before its field of columns is chosen. */
export interface FoundProject {
  readonly owner: "Organization" | "User";
  readonly viewer: string;
  readonly project: ProjectFacts;
  readonly fields: readonly SingleSelectField[];
}

/** @throws BoardwalkError `not_found_or_hidden`: GitHub does not say which. */
export async function findProject(
  api: GithubApi,
  address: ProjectAddress,
  signal: AbortSignal,
): Promise<FoundProject> {
  const fields: SingleSelectField[] = [];
  for (let after: string | undefined; ; ) {
    const variables = { owner: address.owner, number: address.project, after: after ?? null };
    const { viewer, repositoryOwner } = await run(api, projectDocument, variables, signal);
    const found = repositoryOwner?.projectV2;
    if (!repositoryOwner || !found) {
      throw new BoardwalkError(
        "not_found_or_hidden",
        `GitHub does not have project ${address.project} of ${address.owner}, or does not show it to this account.`,
      );
    }
    const { fields: page, ...project } = found;
    for (const field of page.nodes) if (field !== null) fields.push(field);
    const next = page.pageInfo.hasNextPage ? (page.pageInfo.endCursor ?? undefined) : undefined;
    if (next === undefined || next === after) {
      const owner = repositoryOwner.__typename === "Organization" ? "Organization" : "User";
      return { owner, viewer: viewer.login, project, fields };
    }
    after = next;
  }
}

/**
 * The field whose options are the columns: the one we already know by id, else the one the tenant named, else the one
 * called "Status". Any other single-select field might be "Priority", so it is asked for rather than guessed.
 */
export function chooseField(
  fields: readonly SingleSelectField[],
  wanted: { readonly id?: string | undefined; readonly setting?: string | undefined },
): SingleSelectField | undefined {
  const known = fields.find(({ id }) => id === wanted.id);
  if (known !== undefined) return known;
  const { setting = "Status" } = wanted;
  const exact = fields.find(({ id, name }) => id === setting || name === setting);
  return exact ?? fields.find(({ name }) => name.trim().toLowerCase() === setting.trim().toLowerCase());
}

/** What to say when {@link chooseField} found none. */
export function fieldQuestion(fields: readonly SingleSelectField[], setting: string | undefined): string {
  const missing = setting === undefined ? 'no field called "Status"' : `no single-select field "${setting}"`;
  const names = fields.map(({ name }) => `"${name}"`).join(", ");
  const offer = names === "" ? "It has no single-select field at all." : `It has ${names}.`;
  return `This project has ${missing}. ${offer}`;
}

/** Finds the project and its field once, and again when told that it changed. */
export interface BoardKeeper {
  /** As last seen; read when it never was. */
  known(signal: AbortSignal): Promise<ProjectBoard>;
  fresh(signal: AbortSignal): Promise<ProjectBoard>;
  /** As last seen, without asking. */
  readonly last: ProjectBoard | undefined;
}

export function createBoardKeeper(api: GithubApi, address: ProjectAddress): BoardKeeper {
  let last: ProjectBoard | undefined;
  async function fresh(signal: AbortSignal): Promise<ProjectBoard> {
    const { fields, ...found } = await findProject(api, address, signal);
    const field = chooseField(fields, { id: last?.field.id, setting: address.statusField });
    if (field === undefined) throw new BoardwalkError("invalid", fieldQuestion(fields, address.statusField));
    last = { ...found, field };
    return last;
  }
  return {
    fresh,
    known: async (signal) => last ?? (await fresh(signal)),
    get last() {
      return last;
    },
  };
}
