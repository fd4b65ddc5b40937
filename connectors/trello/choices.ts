import type { Choice } from "../../src/board/connector.js";
import type { TrelloApi } from "./api.js";
import { boardChoicesShape } from "./shapes.js";

/** The open boards of the member whose token it is. */

const MOST = 500;

export async function listBoards(api: TrelloApi, signal: AbortSignal): Promise<readonly Choice[]> {
  const boards = await api.read(
    {
      path: "/members/{member}/boards",
      params: { member: "me" },
      query: { filter: "open", fields: "id,name,closed,shortLink" },
      reply: boardChoicesShape,
    },
    signal,
  );
  return boards
    .map(({ id, name, shortLink }) => ({ value: id, label: `${name} (${shortLink})` }))
    .sort((a, b) => (a.label < b.label ? -1 : 1))
    .slice(0, MOST);
}
