import { BoardwalkError } from "../../src/errors.js";
import type { LinearApi } from "./api.js";
import { FIND_TEAMS, MORE_STATES, TEAM_BY_ID, WORKFLOW } from "./documents.js";
import { isUuid } from "./keys.js";
import type { LinearState, LinearTeam, LinearWorkflow, Page } from "./shapes.js";

/** The team of a connection, found by what a person calls it and held by its UUID: its key and name may change. */

export interface TeamKeeper {
  /** Found once, then known. */
  id(signal: AbortSignal): Promise<string>;
  /** As Linear tells it now. */
  read(signal: AbortSignal): Promise<LinearTeam>;
  /** With all its states, archived ones included. */
  readWorkflow(signal: AbortSignal): Promise<LinearWorkflow>;
  /** What is known without asking. */
  readonly known: { readonly id: string | undefined; readonly states: ReadonlySet<string> | undefined };
}

export function createTeamKeeper(api: LinearApi, setting: string): TeamKeeper {
  let id: string | undefined;
  let states: ReadonlySet<string> | undefined;

  async function read(signal: AbortSignal): Promise<LinearTeam> {
    const wanted = id ?? (isUuid(setting) ? setting : undefined);
    const team =
      wanted === undefined
        ? await findTeam(api, setting, signal)
        : (await api.run(TEAM_BY_ID, { id: wanted }, signal)).team;
    id = team.id;
    return team;
  }

  const idOf = async (signal: AbortSignal) => id ?? (await read(signal)).id;

  return {
    id: idOf,
    read,
    async readWorkflow(signal) {
      const { team } = await api.run(WORKFLOW, { id: await idOf(signal) }, signal);
      const all = await allStates(api, team.id, team.states, signal);
      states = new Set(all.map((state) => state.id));
      return { ...team, states: { ...team.states, nodes: all } };
    },
    get known() {
      return { id, states };
    },
  };
}

export function isRetired({ retiredAt, archivedAt }: LinearTeam): boolean {
  return Boolean(retiredAt) || Boolean(archivedAt);
}

/** The rest of a team's states behind the first page of them. */
export async function allStates(
  api: LinearApi,
  teamId: string,
  first: Page<LinearState>,
  signal: AbortSignal,
): Promise<LinearState[]> {
  const all = [...first.nodes];
  if (!first.pageInfo.hasNextPage) return all;
  const after = first.pageInfo.endCursor ?? undefined;
  for await (const state of api.pages(MORE_STATES, { id: teamId }, ({ team }) => team.states, signal, after))
    all.push(state);
  return all;
}

/** A key is one team's alone; a name may be several's. Among living teams first, for a retired one may share either. */
async function findTeam(api: LinearApi, text: string, signal: AbortSignal): Promise<LinearTeam> {
  const { nodes: all } = (await api.run(FIND_TEAMS, { text }, signal)).teams;
  const live = all.filter((team) => !isRetired(team));
  const nodes = live.length > 0 ? live : all;
  const byKey = nodes.find((team) => team.key.toLowerCase() === text.toLowerCase());
  if (byKey !== undefined) return byKey;
  const [only, ...others] = nodes;
  if (only === undefined) {
    throw new BoardwalkError(
      "not_found_or_hidden",
      `Linear does not have a team "${text}", or does not show it to this account.`,
    );
  }
  if (others.length > 0) {
    const keys = nodes.map((team) => team.key).join(", ");
    throw new BoardwalkError(
      "invalid",
      `Several Linear teams are called "${text}". Please give one's key: ${keys}.`,
    );
  }
  return only;
}
