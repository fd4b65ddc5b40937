import type { z } from "zod";
import type { ConnectorKit } from "../../src/board/connector.js";
import { retryRead } from "../../src/board/http.js";
import { type BoardReply, send } from "../../src/board/send.js";
import { BoardwalkError } from "../../src/errors.js";
import { parseJson, safeParse } from "../../src/parse.js";
import { errorFrom, shapeError, transportError } from "./answers.js";
import { authorization, type TrelloCredentials } from "./auth.js";

/** One request to Trello, and nothing else. Every reply is checked before it is believed. */

export interface TrelloApiOptions {
  readonly apiUrl: string;
  readonly credentials: TrelloCredentials;
  readonly kit: ConnectorKit;
  readonly timeoutMs?: number;
}

export interface TrelloCall<T> {
  /** `/boards/{id}/lists`: the path below `/1`, its parameters named as in `params`. */
  readonly path: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly reply: z.ZodType<T>;
}

export interface TrelloApi {
  /** Tried again when its failure may pass. */
  read<T>(call: TrelloCall<T>, signal: AbortSignal): Promise<T>;
  /** Sent once: whether a write that went unanswered has landed, only a read can tell. */
  write<T>(method: "POST" | "PUT", call: TrelloCall<T>, signal: AbortSignal): Promise<T>;
}

export function createTrelloApi(options: TrelloApiOptions): TrelloApi {
  const { apiUrl, credentials, kit, timeoutMs } = options;
  const { reach } = kit;
  const headers = { accept: "application/json", authorization: authorization(credentials) };
  const timing = {
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(reach === undefined ? {} : { reach }),
  };

  async function request<T>(method: string, call: TrelloCall<T>, signal: AbortSignal): Promise<T> {
    const operation = `${method} ${call.path}`;
    let reply: BoardReply;
    try {
      signal.throwIfAborted();
      await kit.checkUrl(apiUrl);
      reply = await send({ method, url: urlOf(apiUrl, call), headers }, { ...timing, signal });
    } catch (thrown) {
      throw transportError(thrown, operation, signal);
    }
    if (reply.status < 200 || reply.status >= 300) throw errorFrom(reply, method, operation);
    const parsed = safeParse(call.reply, parseJson(reply.body));
    if (!parsed.success) throw shapeError(operation, parsed.error);
    return parsed.data;
  }

  return {
    read: (call, signal) => retryRead(() => request("GET", call, signal), signal),
    write: request,
  };
}

function urlOf(
  apiUrl: string,
  { path, params = {}, query = {} }: Omit<TrelloCall<unknown>, "reply">,
): string {
  const filled = path.replace(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(params[name] ?? ""));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) search.append(name, String(value));
  return `${apiUrl}/1${filled}${search.size === 0 ? "" : `?${search}`}`;
}

/** What a read found, or `undefined` where Trello does not have it or does not show it to this account. */
export async function unlessHidden<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (thrown) {
    if (BoardwalkError.from(thrown).code === "not_found_or_hidden") return undefined;
    throw thrown;
  }
}
