/** GitHub's GraphQL pages, and its errors. */

/** An error as GitHub types it. */
export class GithubFault extends Error {
  readonly type: string;
  constructor(type: string, message: string) {
    super(message);
    this.type = type;
  }
}

/** GitHub gives up on a page this large. */
export class HeavyQuery extends Error {}

export function fault(type: string, message: string): never {
  throw new GithubFault(type, message);
}

export function unresolved(id: string): never {
  return fault("NOT_FOUND", `Could not resolve to a node with the global id of '${id}'`);
}

export interface PageArgs {
  readonly first?: number | null;
  readonly last?: number | null;
  readonly after?: string | null;
  readonly before?: string | null;
}

/** A page as GitHub cuts it: `first` or `last` is required and at most a hundred. */
export function connection<T, V>(name: string, rows: readonly T[], args: PageArgs, view: (row: T) => V) {
  const size = args.first ?? args.last;
  if (size === undefined || size === null) {
    return fault(
      "MISSING_PAGINATION_BOUNDARIES",
      `You must provide a \`first\` or \`last\` value to properly paginate the \`${name}\` connection.`,
    );
  }
  if (size > 100) {
    return fault(
      "EXCESSIVE_PAGINATION",
      `Requesting ${size} records on the \`${name}\` connection exceeds the \`first\` limit of 100 records.`,
    );
  }
  const from = args.after
    ? Number(Buffer.from(args.after, "base64").toString().replace("cursor:v2:", ""))
    : 0;
  const page = args.first ? rows.slice(from, from + size) : rows.slice(-size);
  const cursor = (index: number) => Buffer.from(`cursor:v2:${index}`).toString("base64");
  const nodes = page.map(view);
  return {
    nodes,
    edges: nodes.map((node, index) => ({ node, cursor: cursor(from + index + 1) })),
    totalCount: rows.length,
    pageInfo: {
      hasNextPage: from + page.length < rows.length,
      hasPreviousPage: from > 0,
      startCursor: page.length > 0 ? cursor(from) : null,
      endCursor: page.length > 0 ? cursor(from + page.length) : null,
    },
  };
}
