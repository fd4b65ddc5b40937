import { decodeContent, encodeContent } from "./format.js";

/** The memory twin of `store/redis/oauth.ts`: what it promises is written there. */

interface Kept {
  readonly json: string;
  readonly until: number;
  readonly grant: string | undefined;
  readonly owner: string | undefined;
  used: boolean;
}

const SWEEP_EVERY = 1_000;

export function createMemoryOauthRecords(now: () => number = Date.now) {
  const records = new Map<string, Kept>();
  let saves = 0;
  const keyOf = (kind: string, id: string) => `${kind} ${id}`;
  const live = (key: string): Kept | undefined => {
    const kept = records.get(key);
    if (kept === undefined || kept.until > now()) return kept;
    records.delete(key);
    return undefined;
  };
  const sweep = () => {
    if (++saves % SWEEP_EVERY === 0) for (const key of [...records.keys()]) live(key);
  };
  const deleteWhere = (matches: (kept: Kept, key: string) => boolean) => {
    for (const [key, kept] of [...records]) if (matches(kept, key)) records.delete(key);
  };

  return {
    async get(kind: string, id: string) {
      const kept = live(keyOf(kind, id));
      if (kept === undefined) return undefined;
      return { value: decodeContent("sign-in", kind, kept.json), used: kept.used };
    },
    async save(
      kind: string,
      id: string,
      value: unknown,
      ttlMs: number,
      { grant, owner }: { readonly grant?: string; readonly owner?: string } = {},
    ): Promise<boolean> {
      sweep();
      if (grant !== undefined && live(keyOf("Grant", grant)) === undefined) return false;
      const key = keyOf(kind, id);
      const used = live(key)?.used ?? false;
      records.set(key, { json: encodeContent("sign-in", value), until: now() + ttlMs, grant, owner, used });
      return true;
    },
    async use(kind: string, id: string): Promise<boolean> {
      const kept = live(keyOf(kind, id));
      if (kept === undefined || kept.used) return false;
      kept.used = true;
      return true;
    },
    async delete(kind: string, id: string): Promise<void> {
      records.delete(keyOf(kind, id));
    },
    async deleteGrant(grant: string): Promise<void> {
      deleteWhere((kept, key) => kept.grant === grant || key === keyOf("Grant", grant));
    },
    async deleteOwner(owner: string): Promise<void> {
      const grants = [...records]
        .filter(([, kept]) => kept.owner === owner)
        .map(([key]) => key.slice("Grant ".length));
      deleteWhere(
        (kept) => kept.owner === owner || (kept.grant !== undefined && grants.includes(kept.grant)),
      );
    },
    async close(): Promise<void> {},
  };
}
