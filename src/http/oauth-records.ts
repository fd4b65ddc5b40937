import { createHash } from "node:crypto";

/** What the OAuth server remembers, kept by the store. Ids are hashed: what lies there opens nothing. */

/** Where it is kept; see `store/redis/oauth.ts` for what each promises. */
export interface OauthRecords {
  get(kind: string, id: string): Promise<{ readonly value: unknown; readonly used: boolean } | undefined>;
  save(
    kind: string,
    id: string,
    value: unknown,
    ttlMs: number,
    links?: { readonly grant?: string; readonly owner?: string },
  ): Promise<boolean>;
  use(kind: string, id: string): Promise<boolean>;
  delete(kind: string, id: string): Promise<void>;
  deleteGrant(grant: string): Promise<void>;
  deleteOwner(owner: string): Promise<void>;
}

/** A handle as it lies in the store: nobody who reads it there can present it. */
export function hashed(id: string): string {
  return createHash("sha256").update(id).digest("base64url");
}

/** Under which a person's grants are found, to take them back. */
export function ownerOf(accountId: string): string {
  return hashed(`account ${accountId}`);
}
