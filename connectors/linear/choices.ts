import type { Choice } from "../../src/board/connector.js";
import type { LinearApi } from "./api.js";
import { TEAMS } from "./documents.js";
import { isRetired } from "./team.js";

/** The teams that these credentials show, retired ones left out. */

const MOST = 500;

export async function listTeams(api: LinearApi, signal: AbortSignal): Promise<readonly Choice[]> {
  const found: Choice[] = [];
  for (let after: string | null = null; found.length < MOST; ) {
    const { teams }: { teams: Awaited<ReturnType<typeof page>> } = { teams: await page(api, after, signal) };
    const live = teams.nodes.filter((team) => !isRetired(team));
    found.push(...live.map(({ key, name }) => ({ value: key, label: `${name} (${key})` })));
    if (!teams.pageInfo.hasNextPage || teams.pageInfo.endCursor === null) break;
    after = teams.pageInfo.endCursor ?? null;
  }
  return found.sort((a, b) => (a.label < b.label ? -1 : 1)).slice(0, MOST);
}

async function page(api: LinearApi, after: string | null, signal: AbortSignal) {
  return (await api.run(TEAMS, { after }, signal)).teams;
}
