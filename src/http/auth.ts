import { z } from "zod";
import { BoardwalkError } from "../errors.js";
import type { Store, TenantStore } from "../store/store.js";
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
export async function callerOf(store: Store, token: string | undefined): Promise<Caller> {
  const handle = token === undefined ? undefined : await store.findHandle("token", hashToken(token));
  if (handle === undefined) {
    throw new BoardwalkError(
      "unauthorized",
      "Send a valid token as `Authorization: Bearer`. An admin of your tenant can make one.",
    );
  }
  return { tenant: store.tenant(handle.tenant), token: tokenRecord.parse(JSON.parse(handle.value)) };
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
  await tenant.unlink("token", keptToken.parse(document.value).hash);
  await tenant.deleteDocument("token", id);
}

export async function listTokens(tenant: TenantStore): Promise<readonly TokenRecord[]> {
  return (await tenant.listDocuments("token")).map((document) => tokenRecord.parse(document.value));
}
