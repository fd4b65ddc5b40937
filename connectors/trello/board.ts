import { z } from "zod";
import type { ConnectorKit } from "../../src/board/connector.js";
import type { TrelloApi } from "./api.js";
import { isTrelloId } from "./keys.js";
import { boardShape, listShape, type TrelloBoard, type TrelloList } from "./shapes.js";

/** The board of a connection, found by its id or short link and held by its id, and the lists as last read. */

export interface BoardKeeper {
  /** Found once, then known. */
  id(signal: AbortSignal): Promise<string>;
  /** As Trello tells it now. */
  read(signal: AbortSignal): Promise<TrelloBoard>;
  /** Archived ones included, read not long ago. */
  lists(boardId: string, signal: AbortSignal): Promise<readonly TrelloList[]>;
  /** The same, read now. */
  freshLists(boardId: string, signal: AbortSignal): Promise<readonly TrelloList[]>;
  /** Something did not fit: the lists are read anew next time. */
  forgetLists(): void;
  /** What is known without asking. */
  readonly known: { readonly id: string | undefined; readonly lists: ReadonlySet<string> | undefined };
}

/** Long enough for a conversation about one card, short enough that a new list is offered soon without webhooks. */
const FRESH_MS = 30_000;

export function createBoardKeeper(
  api: TrelloApi,
  setting: string,
  kit: Pick<ConnectorKit, "now">,
): BoardKeeper {
  let id = isTrelloId(setting) ? setting : undefined;
  let kept:
    | { readonly boardId: string; readonly lists: readonly TrelloList[]; readonly at: number }
    | undefined;

  async function read(signal: AbortSignal): Promise<TrelloBoard> {
    const call = {
      path: "/boards/{id}",
      params: { id: id ?? setting },
      query: { fields: "id,name,closed" },
      reply: boardShape,
    };
    const board = await api.read(call, signal);
    id = board.id;
    return board;
  }

  async function freshLists(boardId: string, signal: AbortSignal): Promise<readonly TrelloList[]> {
    const call = {
      path: "/boards/{id}/lists",
      params: { id: boardId },
      query: { filter: "all", fields: Object.keys(listShape.shape).join(",") },
      reply: z.array(listShape),
    };
    const lists = await api.read(call, signal);
    kept = { boardId, lists, at: kit.now().getTime() };
    return lists;
  }

  return {
    id: async (signal) => id ?? (await read(signal)).id,
    read,
    freshLists,
    async lists(boardId, signal) {
      const usable = kept?.boardId === boardId && kit.now().getTime() - kept.at < FRESH_MS;
      return usable && kept !== undefined ? kept.lists : freshLists(boardId, signal);
    },
    forgetLists() {
      kept = undefined;
    },
    get known() {
      return { id, lists: kept && new Set(kept.lists.map((list) => list.id)) };
    },
  };
}
