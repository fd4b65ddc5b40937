import { errorFromShape } from "../../src/board/http.js";
import { BoardwalkError } from "../../src/errors.js";
import type { GithubApi } from "./api.js";
import { itemDocument, itemsDocument, type ProjectItem, type SingleSelectField } from "./documents.js";
import { BOARD } from "./errors.js";
import { run } from "./graphql.js";
import type { ProjectBoard } from "./map.js";
import type { BoardKeeper } from "./project.js";

const PAGE = 100;
/** Smaller pages than this are not the reason why GitHub gives up. */
const SMALLEST_PAGE = 10;

/** One item with the field as it is now. `undefined`: gone, hidden, or of another project. */
export async function readItem(
  api: GithubApi,
  keeper: BoardKeeper,
  itemId: string,
  signal: AbortSignal,
): Promise<{ readonly item: ProjectItem; readonly field: SingleSelectField } | undefined> {
  return withField(keeper, signal, async ({ project, field: { id, name } }) => {
    const variables = { item: itemId, fieldId: id, fieldName: name };
    const { field, node } = await run(api, itemDocument, variables, signal);
    if (field?.name !== name) return "renamed";
    return node?.project.id === project.id ? { item: node, field } : undefined;
  });
}

/** Every item of the project, to the last page. */
export async function* readItems(
  api: GithubApi,
  keeper: BoardKeeper,
  signal: AbortSignal,
): AsyncIterable<{ readonly item: ProjectItem; readonly field: SingleSelectField }> {
  let first = PAGE;
  for (let after: string | null = null; ; ) {
    const page = await withField(keeper, signal, async (board) => {
      const read = await readPage(api, board, { first, after }, signal);
      first = read.first;
      return read.page;
    });
    for (const item of page.items) if (item !== null) yield { item, field: page.field };
    if (!page.next) return;
    // A cursor that leads to itself would have us read one page for ever, and call the rest missing.
    if (page.next === after) throw errorFromShape(BOARD);
    after = page.next;
  }
}

interface Page {
  readonly items: readonly (ProjectItem | null)[];
  readonly field: SingleSelectField;
  readonly next: string | undefined;
}

/** One page; GitHub gives up on heavy ones, so each failure halves it. */
async function readPage(
  api: GithubApi,
  { project, field }: ProjectBoard,
  from: { readonly first: number; readonly after: string | null },
  signal: AbortSignal,
): Promise<{ readonly page: Page | "renamed"; readonly first: number }> {
  for (let { first } = from; ; first = Math.floor(first / 2)) {
    const variables = {
      project: project.id,
      fieldId: field.id,
      fieldName: field.name,
      first,
      after: from.after,
    };
    const last = first < 2 * SMALLEST_PAGE;
    try {
      const reply = await run(api, itemsDocument, variables, signal, last ? {} : { attempts: 1 });
      return { page: pageFrom(reply, field), first };
    } catch (error) {
      const { code } = BoardwalkError.from(error);
      if (last || signal.aborted || (code !== "unavailable" && code !== "timeout")) throw error;
    }
  }
}

function pageFrom(
  { field, node }: { field: SingleSelectField | null; node: { items: ItemsPage } | null },
  asked: SingleSelectField,
): Page | "renamed" {
  if (field?.name !== asked.name) return "renamed";
  if (node === null) {
    throw new BoardwalkError(
      "not_found_or_hidden",
      "GitHub no longer has this project, or no longer shows it to us.",
    );
  }
  const { hasNextPage, endCursor } = node.items.pageInfo;
  // More, but nowhere to go on: what was read so far is not all there is.
  if (hasNextPage && !endCursor) throw errorFromShape(BOARD);
  return { items: node.items.nodes, field, next: hasNextPage ? (endCursor ?? undefined) : undefined };
}

interface ItemsPage {
  readonly nodes: readonly (ProjectItem | null)[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor?: string | null | undefined };
}

/**
 * Values are asked for by the field's name. When that was no longer its name, the answer says "No Status" of
 * everything: it is thrown away, and asked for again with the name of today.
 */
async function withField<T>(
  keeper: BoardKeeper,
  signal: AbortSignal,
  ask: (board: ProjectBoard) => Promise<T | "renamed">,
): Promise<T> {
  const answer = await ask(await keeper.known(signal));
  if (answer !== "renamed") return answer as T;
  const again = await ask(await keeper.fresh(signal));
  if (again !== "renamed") return again as T;
  throw new BoardwalkError(
    "stale_workflow",
    "The columns of this project are being changed. Please try again.",
  );
}
