import { createHmac, randomBytes, randomInt } from "node:crypto";
import type { Request, Router } from "express";
import { z } from "zod";
import { BoardwalkError } from "../errors.js";
import { parseRecord } from "../store/records.js";
import type { Store, TenantStore } from "../store/store.js";
import { type OauthRecords, ownerOf } from "./oauth-records.js";
import { parseBody } from "./problems.js";

/**
 * People of a tenant. An admin adds one and gets a short pairing code; with it she signs in once at the consent page
 * of whatever app she links, and the app acts in her name from then on.
 */

const member = z.object({ name: z.string(), id: z.string(), createdAt: z.string() });
type MemberRecord = z.infer<typeof member>;

export const newMember = z.object({
  name: z
    .string()
    .trim()
    .regex(
      /^[\p{L}\p{N}][\p{L}\p{N}\p{M} .'_-]{0,59}$/u,
      "must be 1 to 60 letters, digits, spaces or . ' _ -",
    )
    .transform((name) => name.normalize("NFC")),
});

/** A person as her tokens know her. */
export interface Member {
  readonly tenant: string;
  readonly name: string;
  /** Made anew when she is removed and added again: what was hers before stays gone. */
  readonly id: string;
}

const CODE_MS = 15 * 60_000;
/** Without letters and digits that look or sound alike. */
const CODE_LETTERS = "23456789ABCDEFGHJKMNPQRSTVWXYZ";
const CODE_LENGTH = 8;
const PAIRING = "PairingCode";

export interface Pairing {
  readonly code: string;
  readonly expiresAt: string;
}

export interface Members {
  /** Adds her if she is new; a new code either way. Earlier codes of hers stay good until they expire. */
  pair(tenant: TenantStore, name: string): Promise<Pairing & { readonly name: string }>;
  list(tenant: TenantStore): Promise<readonly MemberRecord[]>;
  /** She, her tokens and what her apps were granted are gone. @throws BoardwalkError `not_found_or_hidden` */
  remove(tenant: TenantStore, name: string): Promise<void>;
  /** The person whose code this is, once; nobody when it is wrong, used, expired, or for another tenant than wanted. */
  redeem(code: string, wantedTenant: string | undefined): Promise<Member | undefined>;
  find(accountId: string): Promise<Member | undefined>;
  /** Is she still a member, and not another of the same name? */
  isMember(who: Member): Promise<boolean>;
}

export interface MembersDeps {
  readonly store: Pick<Store, "tenant">;
  readonly records: OauthRecords;
  /** Codes are short, so what is kept of them is made with a secret. */
  readonly codeKey: Uint8Array;
  /** Ends what is open for the tenant's clients: who may still come, comes again. */
  removed?(tenantId: string): Promise<void>;
  now(): Date;
}

/** `tenant/name/id`, each part encoded. */
export function accountOf({ tenant, name, id }: Member): string {
  return [tenant, name, id].map(encodeURIComponent).join("/");
}

export function accountMember(accountId: string): Member | undefined {
  const [tenant, name, id, ...more] = accountId.split("/").map(decoded);
  if (tenant === undefined || name === undefined || id === undefined || more.length > 0) return undefined;
  return { tenant, name, id };
}

/** Nothing for what no encoder makes. */
function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

export function createMembers({ store, records, codeKey, now, removed }: MembersDeps): Members {
  const keptCode = (code: string) =>
    createHmac("sha256", codeKey).update(plainCode(code)).digest("base64url");
  const recordOf = async (tenant: TenantStore, name: string): Promise<MemberRecord | undefined> => {
    const document = await tenant.getDocument("member", name);
    return document === undefined ? undefined : parseRecord(member, document.value, "member", name);
  };
  const isMember = async ({ tenant, name, id }: Member) =>
    (await recordOf(store.tenant(tenant), name))?.id === id;

  return {
    async pair(tenant, name) {
      const record = (await recordOf(tenant, name)) ?? (await add(tenant, name, now()));
      const code = newCode();
      const expiresAt = new Date(now().getTime() + CODE_MS).toISOString();
      const who: Member = { tenant: tenant.id, name, id: record.id };
      await records.save(PAIRING, keptCode(code), { ...who, expiresAt }, CODE_MS);
      return { name, code, expiresAt };
    },
    list: async (tenant) =>
      (await tenant.listDocuments("member")).map(({ id, value }) => parseRecord(member, value, "member", id)),
    async remove(tenant, name) {
      const record = await recordOf(tenant, name);
      if (record === undefined)
        throw new BoardwalkError(
          "not_found_or_hidden",
          "There is nobody of that name. Look at the list of members.",
        );
      await tenant.deleteDocument("member", name);
      await records.deleteOwner(ownerOf(accountOf({ tenant: tenant.id, name, id: record.id })));
      await removed?.(tenant.id);
    },
    async redeem(code, wantedTenant) {
      const key = keptCode(code);
      const found = await records.get(PAIRING, key);
      if (found === undefined || found.used) return undefined;
      const { expiresAt, ...who } = parseRecord(pairing, found.value, "sign-in", PAIRING);
      if (wantedTenant !== undefined && wantedTenant !== who.tenant) return undefined;
      if (Date.parse(expiresAt) <= now().getTime() || !(await records.use(PAIRING, key))) return undefined;
      return (await isMember(who)) ? who : undefined;
    },
    async find(accountId) {
      const who = accountMember(accountId);
      return who !== undefined && (await isMember(who)) ? who : undefined;
    },
    isMember,
  };
}

const pairing = z.object({ tenant: z.string(), name: z.string(), id: z.string(), expiresAt: z.string() });

async function add(tenant: TenantStore, name: string, at: Date): Promise<MemberRecord> {
  const record = { name, id: randomBytes(9).toString("base64url"), createdAt: at.toISOString() };
  try {
    await tenant.saveDocument("member", name, { version: 0, value: record });
    return record;
  } catch (error) {
    const document = await tenant.getDocument("member", name);
    if (BoardwalkError.from(error).code !== "conflict" || document === undefined) throw error;
    return parseRecord(member, document.value, "member", name);
  }
}

function newCode(): string {
  const letters = Array.from({ length: CODE_LENGTH }, () => CODE_LETTERS[randomInt(CODE_LETTERS.length)]);
  return `${letters.slice(0, 4).join("")}-${letters.slice(4).join("")}`;
}

/** As it was meant, however it was typed. */
function plainCode(code: string): string {
  return code.toUpperCase().replace(/[^0-9A-Z]/g, "");
}

export function addMemberRoutes(
  router: Router,
  members: Members,
  tenantOf: (request: Request) => Promise<TenantStore>,
): void {
  router.post("/tenants/:tenant/members", async (request, response) => {
    const { name } = parseBody(newMember, request.body);
    response.status(201).json(await members.pair(await tenantOf(request), name));
  });
  router.get("/tenants/:tenant/members", async (request, response) => {
    const list = await members.list(await tenantOf(request));
    response.json({ members: list.map(({ name, createdAt }) => ({ name, createdAt })) });
  });
  router.delete("/tenants/:tenant/members/:name", async (request, response) => {
    await members.remove(await tenantOf(request), String(request.params.name));
    response.status(204).end();
  });
}
