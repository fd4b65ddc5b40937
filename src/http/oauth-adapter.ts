import type { Adapter, AdapterPayload } from "oidc-provider";
import { z } from "zod";
import { parseRecord } from "../store/records.js";
import type { Sealer } from "../sync/seal.js";
import { hashed, type OauthRecords, ownerOf } from "./oauth-records.js";

/** What `oidc-provider` remembers, as records. */

/** Clients that registered themselves and were not used for this long have to do it again. */
const CLIENT_MS = 180 * 86_400_000;
const TOUCH_AFTER_MS = 86_400_000;
/** An access token is known for so long after it has expired: who comes with one is to renew it, and guesses nothing. */
const KNOWN_AFTER_MS = 3_600_000;

/** Makes the library's own error for a grant that is no good: it is loaded late, so it comes along with it. */
type Refuse = (why: string) => Error;

/** The adapter that `oidc-provider` asks for, one for each kind of thing. */
export function createAdapter(
  records: OauthRecords,
  sealer: Sealer,
  refuse: Refuse,
): (kind: string) => Adapter {
  const tokensOf = (kind: string) => tokens(records, kind, refuse);
  return (kind) => (kind === "Client" ? clients(records, sealer, tokensOf(kind)) : tokensOf(kind));
}

function tokens(records: OauthRecords, kind: string, refuse: Refuse): Adapter {
  return {
    async upsert(id, payload, expiresIn = 0) {
      const { jti: _kept, ...value } = payload;
      const { grantId, accountId } = payload;
      const links = {
        ...(grantId === undefined ? {} : { grant: hashed(grantId) }),
        ...(kind === "Grant" && accountId !== undefined ? { owner: ownerOf(accountId) } : {}),
      };
      const keptMs = expiresIn * 1_000 + (kind === "AccessToken" ? KNOWN_AFTER_MS : 0);
      const saved = await records.save(kind, hashed(id), value, keptMs, links);
      // It was taken back while this was being made.
      if (!saved) throw refuse("grant not found");
    },
    async find(id) {
      const found = await records.get(kind, hashed(id));
      if (found === undefined) return undefined;
      const payload: AdapterPayload = parseRecord(z.looseObject({}), found.value, "sign-in", kind);
      return { ...payload, jti: id, ...(found.used ? { consumed: true } : {}) };
    },
    // Neither is of use here: there is no device flow, and no token ends with the browser's session.
    findByUserCode: async () => undefined,
    findByUid: async () => undefined,
    async consume(id) {
      // Two that come at once are one too many, whichever was read as fresh.
      if (!(await records.use(kind, hashed(id)))) throw refuse("already used");
    },
    async destroy(id) {
      if (kind === "Grant") await records.deleteGrant(hashed(id));
      else await records.delete(kind, hashed(id));
    },
    revokeByGrantId: (grantId) => records.deleteGrant(hashed(grantId)),
  };
}

const keptClient = z.looseObject({ sealed: z.string().optional(), savedAt: z.number() });

/** Clients that registered themselves; a secret of theirs is sealed, as whoever has it may act as them. */
function clients(records: OauthRecords, sealer: Sealer, rest: Adapter): Adapter {
  const contextOf = (id: string) => JSON.stringify(["oauth-client", id]);
  const save = async (id: string, payload: AdapterPayload) => {
    const { client_secret: secret, ...open } = payload;
    const sealed = secret === undefined ? {} : { sealed: sealer.seal(secret, contextOf(id)) };
    await records.save("Client", hashed(id), { ...open, ...sealed, savedAt: Date.now() }, CLIENT_MS);
  };
  return {
    ...rest,
    upsert: save,
    async find(id) {
      const found = await records.get("Client", hashed(id));
      if (found === undefined) return undefined;
      const { sealed, savedAt, ...open } = parseRecord(keptClient, found.value, "sign-in", "Client");
      const secret = sealed === undefined ? {} : { client_secret: sealer.open(sealed, contextOf(id)) };
      const payload = { ...open, ...secret };
      const stale = sealed !== undefined && sealer.stale(sealed);
      if (stale || Date.now() - savedAt > TOUCH_AFTER_MS) await save(id, payload);
      return payload;
    },
  };
}
