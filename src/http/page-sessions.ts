import { randomBytes } from "node:crypto";
import type { Request } from "express";
import { z } from "zod";
import { BoardwalkError } from "../errors.js";
import { parseRecord } from "../store/records.js";
import type { Store } from "../store/store.js";
import { type Knocks, tooOften } from "./knocks.js";
import type { Member, Members } from "./members.js";
import { hashed, type OauthRecords } from "./oauth-records.js";

/** A person's look at the page: she signs in with a pairing code and gets a token that her tab keeps, for a while. */

/** A working day; after it she asks for another code. */
const SESSION_MS = 10 * 3_600_000;
const SESSION = "PageSession";
const PREFIX = "bwp_";

const kept = z.object({ tenant: z.string(), name: z.string(), id: z.string(), expiresAt: z.string() });

export interface PageSession {
  readonly token: string;
  readonly tenant: string;
  readonly person: string;
  readonly expiresAt: string;
}

export interface PageSessions {
  /** @throws BoardwalkError `unauthorized` for a code that is wrong, used or expired; `rate_limited` for too many tries. */
  open(request: Request, code: string): Promise<PageSession>;
  /** Whose token this is: nobody's once it has expired, was signed out, or she was removed. */
  find(token: string): Promise<Member | undefined>;
  close(token: string): Promise<void>;
}

export interface PageSessionsDeps {
  readonly knocks: Pick<Knocks, "tried" | "wrong">;
  readonly store: Pick<Store, "tenant">;
  readonly records: OauthRecords;
  readonly members: Pick<Members, "redeem" | "isMember">;
  now(): Date;
}

export function createPageSessions(deps: PageSessionsDeps): PageSessions {
  const { store, records, members, knocks, now } = deps;
  return {
    async open(request, code) {
      const waitMs = await knocks.tried("signIn", request);
      if (waitMs > 0) throw tooOften(waitMs);
      const who = await members.redeem(code, undefined);
      if (who === undefined) {
        await knocks.wrong("sign_in", request);
        throw new BoardwalkError(
          "unauthorized",
          "That code is not right, was used already, or has expired. Please ask for a new one.",
        );
      }
      const token = `${PREFIX}${randomBytes(32).toString("base64url")}`;
      const at = now();
      const expiresAt = new Date(at.getTime() + SESSION_MS).toISOString();
      await records.save(SESSION, hashed(token), { ...who, expiresAt }, SESSION_MS);
      const { tenant, name: person } = who;
      const by = { person, client: "page" };
      await store.tenant(tenant).audit({ at: at.toISOString(), action: "sign-in", by, outcome: "done" });
      return { token, tenant, person, expiresAt };
    },
    async find(token) {
      if (!token.startsWith(PREFIX)) return undefined;
      const found = await records.get(SESSION, hashed(token));
      if (found === undefined) return undefined;
      const { expiresAt, ...who } = parseRecord(kept, found.value, "sign-in", SESSION);
      if (Date.parse(expiresAt) <= now().getTime()) return undefined;
      return (await members.isMember(who)) ? who : undefined;
    },
    close: (token) => records.delete(SESSION, hashed(token)),
  };
}
