import { z } from "zod";
import { BoardwalkError } from "../errors.js";
import { parseJson } from "../parse.js";
import { parseRecord } from "../store/records.js";
import type { Store, TenantStore } from "../store/store.js";
import { createBelieved, type Recency } from "../tickets/recency.js";
import { createToken, hashToken } from "./tokens.js";

/** Who is calling the MCP endpoints: a person by a token of her tenant. */

export const tokenRecord = z.object({
  id: z.string(),
  name: z.string(),
  scopes: z.array(z.string()),
  createdAt: z.string(),
});
export type TokenRecord = z.infer<typeof tokenRecord>;

const keptToken = tokenRecord.extend({ hash: z.string() });

/** What a person's token may do when nothing else was said. */
export const DEFAULT_SCOPES = ["mcp:tools", "mcp:resources"];

export interface Caller {
  readonly tenant: TenantStore;
  readonly token: TokenRecord;
}

/** @throws BoardwalkError `unauthorized` for a missing, wrong or revoked token. */
export type CallerOf = (token: string | undefined) => Promise<Caller>;

/** What one look-up of a token, by its hash, said is believed for as long as `recency` says. */
export function createCallers(store: Store, recency: Pick<Recency, "ofHandles">): CallerOf {
  const believed = createBelieved<Caller>(recency.ofHandles);
  return async (token) => {
    if (token === undefined) throw unauthorized();
    const hash = hashToken(token);
    return await believed(hash, () => lookUp(store, hash));
  };
}

async function lookUp(store: Store, hash: string): Promise<Caller> {
  const handle = await store.findHandle("token", hash);
  if (handle === undefined) throw unauthorized();
  return {
    tenant: store.tenant(handle.tenant),
    token: parseRecord(tokenRecord, parseJson(handle.value), "token", handle.tenant),
  };
}

function unauthorized(): BoardwalkError {
  return new BoardwalkError(
    "unauthorized",
    "Send a valid token as `Authorization: Bearer`. An admin of your tenant can make one.",
  );
}

/** Makes a token; its text is in this answer and nowhere else. */
export async function issueToken(
  tenant: TenantStore,
  wanted: { readonly name: string; readonly scopes?: readonly string[] },
  at: Date,
): Promise<{ readonly id: string; readonly token: string }> {
  const { id, token, hash } = createToken();
  const record: TokenRecord = {
    id,
    name: wanted.name,
    scopes: [...(wanted.scopes ?? DEFAULT_SCOPES)],
    createdAt: at.toISOString(),
  };
  await tenant.saveDocument("token", id, { version: 0, value: { ...record, hash } });
  await tenant.link("token", hash, JSON.stringify(record));
  return { id, token };
}

export async function revokeToken(tenant: TenantStore, id: string): Promise<void> {
  const document = await tenant.getDocument("token", id);
  if (document === undefined) throw new BoardwalkError("not_found_or_hidden", "There is no such token.");
  await tenant.unlink("token", parseRecord(keptToken, document.value, "token", id).hash);
  await tenant.deleteDocument("token", id);
}

export async function listTokens(tenant: TenantStore): Promise<readonly TokenRecord[]> {
  return (await tenant.listDocuments("token")).map(({ id, value }) =>
    parseRecord(tokenRecord, value, "token", id),
  );
}
