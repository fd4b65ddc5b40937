import { LinearClient, type LinearError, parseLinearError } from "@linear/sdk";
import type { ConnectorKit } from "../../src/board/connector.js";
import { errorFromShape, retryRead } from "../../src/board/http.js";
import { type BoardReply, send } from "../../src/board/send.js";
import { BoardwalkError } from "../../src/errors.js";
import { parseJson, safeParse } from "../../src/parse.js";
import { errorFrom, isUnauthenticated } from "./answers.js";
import type { LinearAuth, LinearLogin } from "./auth.js";
import { type LinearDocument, operationName } from "./documents.js";
import { type Page, replyShape } from "./shapes.js";

/**
 * Sends our own documents as the client library would: its models fetch each related object by a request of its own,
 * and its `rawRequest` reads a reply of any size. Where to, as whom and what a refusal means is the library's to say.
 * Replies are checked before they are believed.
 */

export interface LinearApiOptions {
  readonly apiUrl: string;
  readonly auth: LinearAuth;
  readonly kit: ConnectorKit;
  readonly timeoutMs?: number;
}

export type Variables = Readonly<Record<string, unknown>>;

export interface LinearApi {
  /**
   * A query is tried again when its failure may pass. A mutation is sent once: whether one that went unanswered has
   * landed, only a read can tell.
   */
  run<T>(document: LinearDocument<T>, variables: Variables, signal: AbortSignal): Promise<T>;
  /** Every node of a list, page after page, whatever stands around the list. */
  pages<T, N>(
    document: LinearDocument<T>,
    variables: Variables,
    pageIn: (data: T) => Page<N>,
    signal: AbortSignal,
    after?: string,
  ): AsyncGenerator<N, void, undefined>;
}

export function createLinearApi(options: LinearApiOptions): LinearApi {
  const { auth, kit, timeoutMs } = options;
  const { reach } = kit;
  const timing = {
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(reach === undefined ? {} : { reach }),
  };
  const apiUrl = `${options.apiUrl}/graphql`;

  async function once(query: string, variables: Variables, login: LinearLogin, signal: AbortSignal) {
    const { headers } = createClient({ ...login, apiUrl }).options;
    const request = {
      method: "POST",
      url: apiUrl,
      headers: { ...Object.fromEntries(new Headers(headers)), "content-type": "application/json" },
      body: JSON.stringify({ query, variables }),
    };
    return dataOf(await send(request, { ...timing, signal }));
  }

  async function attempt<T>(document: LinearDocument<T>, variables: Variables, signal: AbortSignal) {
    signal.throwIfAborted();
    await kit.checkUrl(apiUrl);
    const login = auth.login();
    let data: unknown;
    try {
      data = await once(document.query, variables, login, signal);
    } catch (thrown) {
      // Not authenticated means not done, so this may be sent again even when it is a write.
      if (!isUnauthenticated(thrown) || !(await auth.refresh(login))) throw thrown;
      data = await once(document.query, variables, auth.login(), signal);
    }
    const parsed = safeParse(document.data, data);
    if (!parsed.success) throw errorFromShape("Linear", parsed.error);
    return parsed.data;
  }

  async function run<T>(document: LinearDocument<T>, variables: Variables, signal: AbortSignal) {
    const attempted = async () => {
      try {
        return await attempt(document, variables, signal);
      } catch (thrown) {
        throw errorFrom(thrown, { operation: operationName(document.query), signal, now: kit.now() });
      }
    };
    return document.kind === "mutation" ? attempted() : retryRead(attempted, signal);
  }

  return {
    run,
    async *pages(document, variables, pageIn, signal, start) {
      const seen = new Set<string>();
      let after = start;
      for (;;) {
        const { nodes, pageInfo } = pageIn(await run(document, { ...variables, after }, signal));
        yield* nodes;
        after = nextCursor(pageInfo, seen);
        if (after === undefined) return;
      }
    },
  };
}

type RawAnswer = NonNullable<NonNullable<LinearError["raw"]>["response"]>;

/** @throws LinearError for all but an answer with data and without errors. */
function dataOf({ status, header, body }: BoardReply): unknown {
  const reply = safeParse(replyShape, parseJson(body));
  const { data, errors } = reply.success ? reply.data : {};
  if (status >= 200 && status < 300 && data && errors === undefined) return data;
  const headers = { get: header };
  // The library's type promises what nobody has checked; whoever reads the error parses it.
  throw parseLinearError({ response: { status, headers, errors } as unknown as RawAnswer });
}

/** Where the next page begins. @throws BoardwalkError `unavailable` when the list would never end. */
function nextCursor(pageInfo: Page<unknown>["pageInfo"], seen: Set<string>): string | undefined {
  if (!pageInfo.hasNextPage) return undefined;
  const after = pageInfo.endCursor ?? "";
  if (after === "" || seen.has(after)) {
    throw new BoardwalkError("unavailable", "Linear's list goes in circles. Please try again in a moment.");
  }
  seen.add(after);
  return after;
}

function createClient(options: ConstructorParameters<typeof LinearClient>[0]): LinearClient {
  try {
    return new LinearClient(options);
  } catch (cause) {
    // The library's own rule, whatever the operator allows.
    throw new BoardwalkError(
      "invalid",
      "Linear can be called over https only. Please use an address that begins with https.",
      { cause },
    );
  }
}
