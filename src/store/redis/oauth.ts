import { openConnection } from "../../redis/connection.js";
import { decodeContent, encodeContent } from "../format.js";

/**
 * What an OAuth server has to remember: codes, tokens, clients, sign-ins under way. They belong to no tenant before
 * someone has signed in, so they lie beside the tenants' data, under a hash tag that no tenant's id can make.
 */

/** How long a set of links outlives what it links to, at most: the longest life of a grant, and a day. */
const LINKS_MS = 401 * 86_400_000;

/**
 * KEYS[1] the record, [2] its grant's record or "", [3] the grant's links or "", [4] the owner's links or "".
 * ARGV: value, milliseconds to keep it, milliseconds to keep links, the grant.
 * Returns 1 when saved, 0 when it has a grant that is no more.
 */
const SAVE = `
if KEYS[2] ~= KEYS[1] and redis.call('EXISTS', KEYS[2]) == 0 then return 0 end
redis.call('HSET', KEYS[1], 'value', ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
if KEYS[3] ~= KEYS[1] then
  redis.call('SADD', KEYS[3], KEYS[1])
  redis.call('PEXPIRE', KEYS[3], ARGV[3])
  if redis.call('SCARD', KEYS[3]) > 100 then
    for _, key in ipairs(redis.call('SMEMBERS', KEYS[3])) do
      if redis.call('EXISTS', key) == 0 then redis.call('SREM', KEYS[3], key) end
    end
  end
end
if KEYS[4] ~= KEYS[1] then
  redis.call('SADD', KEYS[4], ARGV[4])
  redis.call('PEXPIRE', KEYS[4], ARGV[3])
end
return 1
`;

/** KEYS[1] the record. Returns 1 for the first to use it, 0 for everyone later, and when there is no such record. */
const USE = `
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
return redis.call('HSETNX', KEYS[1], 'used', '1')
`;

export function createRedisOauthRecords(url: string, prefix = "bw") {
  const { client, connection } = openConnection(url);
  const base = `${prefix}:{:oauth}:`;
  const recordKey = (kind: string, id: string) => `${base}record:${kind}:${id}`;
  const grantLinks = (grant: string) => `${base}grant:${grant}`;
  const ownerLinks = (owner: string) => `${base}owner:${owner}`;

  const deleteGrant = async (grant: string): Promise<void> => {
    await connection.run(async (redis) => {
      // The grant's own record first: from then on nothing can be saved under it.
      await redis.del(recordKey("Grant", grant));
      const keys = await redis.smembers(grantLinks(grant));
      await redis.del(grantLinks(grant), ...keys);
    });
  };

  return {
    /** One round trip. */
    async get(kind: string, id: string): Promise<{ value: unknown; used: boolean } | undefined> {
      const key = recordKey(kind, id);
      const [value, used] = await connection.run((redis) => redis.hmget(key, "value", "used"));
      if (value === null || value === undefined) return undefined;
      return { value: decodeContent("sign-in", kind, value), used: used !== null };
    },
    /**
     * Keeps a record for `ttlMs`. With a `grant` it goes when the grant does, and is not saved, which the answer
     * tells, when the grant has gone already; a grant's record with an `owner` goes with `deleteOwner`.
     */
    async save(
      kind: string,
      id: string,
      value: unknown,
      ttlMs: number,
      { grant, owner }: { readonly grant?: string; readonly owner?: string } = {},
    ): Promise<boolean> {
      const key = recordKey(kind, id);
      const keys = [
        key,
        grant === undefined ? key : recordKey("Grant", grant),
        grant === undefined ? key : grantLinks(grant),
        owner === undefined ? key : ownerLinks(owner),
      ];
      const kept = Math.max(1, Math.floor(ttlMs));
      const answer = await connection.run((redis) =>
        redis.eval(SAVE, keys.length, ...keys, encodeContent("sign-in", value), kept, LINKS_MS, id),
      );
      return answer === 1;
    },
    /** True for the first caller, who alone may act on the record. */
    async use(kind: string, id: string): Promise<boolean> {
      return (await connection.run((redis) => redis.eval(USE, 1, recordKey(kind, id)))) === 1;
    },
    async delete(kind: string, id: string): Promise<void> {
      await connection.run((redis) => redis.del(recordKey(kind, id)));
    },
    /** Deletes a grant and all that was saved under it. */
    deleteGrant,
    /** Deletes an owner's grants, each with all that was saved under it. */
    async deleteOwner(owner: string): Promise<void> {
      const grants = await connection.run((redis) => redis.smembers(ownerLinks(owner)));
      for (const grant of grants) await deleteGrant(grant);
      await connection.run((redis) => redis.del(ownerLinks(owner)));
    },
    async close(): Promise<void> {
      await connection.close();
      client.disconnect();
    },
  };
}
