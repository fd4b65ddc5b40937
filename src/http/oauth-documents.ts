import { z } from "zod";
import type { Reach } from "../board/connector.js";
import { BoardwalkError } from "../errors.js";
import { parseJson, safeParse } from "../parse.js";

/** Documents that clients keep at their ids, as the OAuth server fetches them. */

export interface DocumentDeps {
  /** May this address, which a stranger gave, be called? @throws BoardwalkError */
  checkUrl(url: string): Promise<void>;
  readonly reach?: Reach;
  /** @default Node's own */
  readonly fetch?: typeof fetch;
}

/** Only what a checked address answers itself, and only what can be a client's document. */
export function guardedFetch({ checkUrl, reach, fetch: given = fetch }: DocumentDeps): typeof fetch {
  const way = reach === undefined ? {} : { dispatcher: reach.dispatcher };
  return async (input, init) => {
    await checkUrl(String(input));
    const response = await given(input, { ...init, ...way, redirect: "manual" });
    return response.ok ? await documentOf(response) : response;
  };
}

const MOST_OF_A_DOCUMENT = 64 * 1024;

/** The library takes these for texts. What is otherwise is passed on as no document at all, for it to refuse. */
const ADDRESSES = [
  "client_uri",
  "jwks_uri",
  "logo_uri",
  "policy_uri",
  "sector_identifier_uri",
  "tos_uri",
] as const;
const OTHER_ADDRESSES = [
  "backchannel_client_notification_endpoint",
  "backchannel_logout_uri",
  "initiate_login_uri",
] as const;
const clientDocument = z.looseObject(
  Object.fromEntries([...ADDRESSES, ...OTHER_ADDRESSES].map((name) => [name, z.string().optional()])),
);

async function documentOf(response: Response): Promise<Response> {
  const chunks: Uint8Array[] = [];
  let read = 0;
  for await (const chunk of response.body ?? []) {
    read += chunk.byteLength;
    if (read > MOST_OF_A_DOCUMENT) throw new BoardwalkError("invalid", "That client's document is too long.");
    chunks.push(chunk);
  }
  const document = safeParse(clientDocument, parseJson(Buffer.concat(chunks)));
  return new Response(document.success ? JSON.stringify(document.data) : "null", response);
}
