import { DOCUMENT_KINDS, type RecordKind } from "../records.js";
import type { DocumentKind, HandleKind, Revisions } from "../store.js";

/** A tenant's id as it stands in keys: without `:`, `{`, `}` or space, and never the same for two tenants. */
export function encodeTenant(id: string): string {
  return encodeURIComponent(id);
}

export function decodeTenantId(encoded: string): string {
  return decodeURIComponent(encoded);
}

/** Of a channel that anybody may use; none where it is not one of ours. */
function tenantIn(encoded: string): string | undefined {
  try {
    return decodeTenantId(encoded);
  } catch {
    return undefined;
  }
}

/** As it stands in a pattern that means itself. */
function literal(text: string): string {
  return text.replace(/[*?[\]\\]/g, "\\$&");
}

/** Every Redis key there is. One tenant's keys share a hash tag, so that a cluster keeps them on one slot. */
export function redisKeys(prefix: string) {
  return {
    tenants: `${prefix}:tenants`,
    handles: (kind: HandleKind) => `${prefix}:handles:${kind}`,
    /** A change is published on the channel called like the key that it shows in. */
    changes: [`${literal(prefix)}:{*}:revisions`, `${literal(prefix)}:handles:*`],
    /** The tenant that such a channel is about; none for handles. */
    changedTenant(channel: string) {
      const encoded = channel.slice(prefix.length).match(/^:\{(.*)\}:revisions$/)?.[1];
      return encoded === undefined ? undefined : tenantIn(encoded);
    },
    channel: (name: string) => `${prefix}:channel:${name}`,
    tenant(id: string) {
      const base = `${prefix}:{${encodeTenant(id)}}:`;
      return {
        actors: `${base}actors`,
        /** Ticket ids by the revision of their latest change. */
        changes: `${base}changes`,
        /** Counters: `actors`, and one for each kind of document. */
        revisions: `${base}revisions`,
        /** Ids of tickets with something pending or owed, by the revision of their latest save. */
        unsettled: `${base}unsettled`,
        audit: `${base}audit`,
        history: (ticket: string) => `${base}history:${ticket}`,
        documents: (kind: DocumentKind) => `${base}documents:${kind}`,
        remembered: (key: string) => `${base}remember:${key}`,
        notes: (key: string) => `${base}notes:${key}`,
        claimed: (key: string) => `${base}claim:${key}`,
      };
    },
  };
}

/** A pattern for every key, and which kind of record one of them holds; none for what is no record. */
export function recordKeys(prefix: string) {
  const inTenant: Readonly<Record<string, RecordKind>> = {
    actors: "ticket",
    history: "history",
    audit: "audit",
    remember: "memory",
    notes: "note",
  };
  return {
    all: `${literal(prefix)}:*`,
    kindOf(key: string): RecordKind | undefined {
      const rest = key.slice(prefix.length);
      if (rest === ":tenants") return "tenant";
      if (rest.startsWith(":{:oauth}:record:")) return "sign-in";
      const [, name = "", kind] = /^:\{[^}]*\}:([a-z]+)(?::([^:]*))?/.exec(rest) ?? [];
      return name === "documents" ? DOCUMENT_KINDS.find((known) => known === kind) : inTenant[name];
    },
  };
}

export type RedisKeys = ReturnType<typeof redisKeys>;
export type TenantKeys = ReturnType<RedisKeys["tenant"]>;

/** What was published of a change: which revision has grown, and to what; neither, as of earlier releases. */
export function readChange(message: string): [kind?: keyof Revisions, revision?: number] {
  const [field, number] = message.split(" ");
  const kind = REVISED.find((known) => field === (known === "actors" ? known : revisionField(known)));
  if (kind === undefined) return [];
  const revision = Number(number ?? Number.NaN);
  return Number.isSafeInteger(revision) ? [kind, revision] : [kind];
}

const REVISED = ["actors", ...DOCUMENT_KINDS] as const;

/** The field of a kind of document in the hash of revisions; `actors` is taken by the change feed. */
export function revisionField(kind: DocumentKind): string {
  return `document:${kind}`;
}
