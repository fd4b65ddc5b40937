import { z } from "zod";
import { BoardwalkError } from "../errors.js";
import { safeParse } from "../parse.js";

/** Where Redis is, read from a URL: one server, a cluster, or a group that sentinels watch. */

export interface RedisNode {
  readonly host: string;
  readonly port: number;
}

interface Reach {
  /** One server, some servers of the cluster, or the sentinels. */
  readonly nodes: readonly RedisNode[];
  readonly username?: string;
  readonly password?: string;
  readonly tls: boolean;
  /** Of IP; both when left out. */
  readonly family?: 4 | 6;
}

export type RedisAddress = Reach &
  (
    | { readonly kind: "single"; readonly db: number }
    | { readonly kind: "cluster" }
    | {
        readonly kind: "sentinel";
        /** What the sentinels call the servers they watch. */
        readonly group: string;
        readonly db: number;
        readonly sentinelUsername?: string;
        readonly sentinelPassword?: string;
      }
  );

/** Scheme, kind, user and password, hosts, path, query. A password may hold `@`, but `/`, `?` and `#` only encoded. */
const FORM = /^(rediss?)(?:-(cluster|sentinel))?:\/\/(?:([^/?#]*)@)?([^@/?#]+)(?:\/([^?#]*))?(?:\?([^#]*))?$/;
const NODE = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:[\]]+))(?::(\d{1,5}))?$/;
export const PORTS = { single: 6379, cluster: 6379, sentinel: 26379 } as const;
type Kind = keyof typeof PORTS;

const query = z.strictObject({
  tls: z
    .enum(["1", "true", "0", "false"])
    .transform((value) => value === "1" || value === "true")
    .optional(),
  family: z
    .enum(["4", "6"])
    .transform((value) => (value === "4" ? 4 : 6))
    .optional(),
  sentinelUsername: z.string().optional(),
  sentinelPassword: z.string().optional(),
});

/** An address as REDIS_URL gives it; its faults say what must be different and nothing of what was there. */
export const redisAddress = z.string().transform((url, context): RedisAddress => {
  try {
    return read(url);
  } catch (fault) {
    if (!(fault instanceof Fault)) throw fault;
    context.addIssue({ code: "custom", message: fault.message });
    return z.NEVER;
  }
});

/** @throws BoardwalkError `invalid` */
export function parseRedisUrl(url: string): RedisAddress {
  const parsed = safeParse(redisAddress, url);
  if (parsed.success) return parsed.data;
  throw new BoardwalkError("invalid", `The address of Redis ${parsed.error.issues[0]?.message}.`);
}

/** The URL, fit to be shown. */
export function withoutRedisSecrets(url: string): string {
  return url.replace(/\/\/[^/?#]*@/, "//***@").replace(/(sentinelPassword=)[^&#]*/g, "$1***");
}

/** The passwords in it, as they are and as the URL writes them. */
export function secretsInRedisUrl(url: string): readonly string[] {
  const [, , , login = "", , , search = ""] = FORM.exec(url) ?? [];
  const address = parseRedisUrl(url);
  const sentinel = address.kind === "sentinel" ? address.sentinelPassword : undefined;
  const written = [login.slice(login.indexOf(":") + 1), /sentinelPassword=([^&]*)/.exec(search)?.[1]];
  const secrets = [address.password, sentinel, ...written];
  return secrets.filter((secret): secret is string => secret !== undefined && secret !== "");
}

class Fault extends Error {}

function read(url: string): RedisAddress {
  const [, scheme, kind = "single", login = "", hosts = "", path = "", search = ""] = FORM.exec(url) ?? [];
  if (scheme === undefined || !isKind(kind)) {
    throw new Fault(
      "must look like redis://host:6379, rediss://user:password@host:6379, redis-cluster://host1:6379,host2:6379 " +
        "or redis-sentinel://host1:26379,host2:26379/group",
    );
  }
  const { tls, family, sentinelUsername, sentinelPassword } = readQuery(search, kind);
  const reach: Reach = {
    nodes: readNodes(hosts, kind),
    ...readLogin(login),
    tls: tls ?? scheme === "rediss",
    ...(family === undefined ? {} : { family }),
  };
  switch (kind) {
    case "single":
      return { kind, ...reach, db: readDb(path) };
    case "cluster":
      if (readDb(path) !== 0) throw new Fault("names a database, and a cluster has none but 0");
      return { kind, ...reach };
    case "sentinel": {
      const [group = "", db = ""] = path.split("/", 2);
      if (group === "") throw new Fault("must name the group that the sentinels watch, as in .../mymaster");
      return {
        ...{ kind, ...reach, group: decoded(group), db: readDb(db) },
        ...(sentinelUsername === undefined ? {} : { sentinelUsername }),
        ...(sentinelPassword === undefined ? {} : { sentinelPassword }),
      };
    }
  }
}

function isKind(kind: string): kind is Kind {
  return kind in PORTS;
}

function readNodes(hosts: string, kind: Kind): RedisNode[] {
  const nodes = hosts.split(",").map((host) => {
    const [, v6, name, port] = NODE.exec(host) ?? [];
    const node = { host: v6 ?? name ?? "", port: port === undefined ? PORTS[kind] : Number(port) };
    if (node.host === "" || node.port < 1 || node.port > 65_535) {
      throw new Fault("must name each host as host or host:port, with commas between");
    }
    return node;
  });
  if (kind === "single" && nodes.length > 1) {
    throw new Fault("names several hosts, which only redis-cluster:// and redis-sentinel:// may");
  }
  return nodes;
}

function readLogin(login: string): Pick<Reach, "username" | "password"> {
  const colon = login.indexOf(":");
  const [username, password] = colon < 0 ? [login, ""] : [login.slice(0, colon), login.slice(colon + 1)];
  return {
    ...(username === "" ? {} : { username: decoded(username) }),
    ...(password === "" ? {} : { password: decoded(password) }),
  };
}

function readDb(path: string): number {
  if (/^\d{0,4}$/.test(path)) return Number(path);
  throw new Fault("must have the number of a database, or nothing, as its path");
}

function readQuery(search: string, kind: Kind): z.infer<typeof query> {
  const parsed = safeParse(query, Object.fromEntries(new URLSearchParams(search)));
  if (!parsed.success) {
    throw new Fault(
      "may have tls=1, tls=0, family=4, family=6, sentinelUsername and sentinelPassword, no more",
    );
  }
  const { sentinelUsername, sentinelPassword } = parsed.data;
  if (kind !== "sentinel" && (sentinelUsername ?? sentinelPassword) !== undefined) {
    throw new Fault(
      "may have sentinelUsername and sentinelPassword only when it begins with redis-sentinel://",
    );
  }
  return parsed.data;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Fault("has a % that does not begin an encoded letter; write %25 for it");
  }
}
