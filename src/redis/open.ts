import { Cluster, type ClusterOptions, Redis, type RedisOptions } from "ioredis";
import { PORTS, parseRedisUrl, type RedisAddress } from "./address.js";
import { LastingSentinelConnector } from "./sentinel-connector.js";

/** The one place that opens a client, of whichever kind the address names. */

export type RedisClient = Redis | Cluster;

/** How a client takes it when Redis is away, alike for every kind. */
export type ClientOptions = Pick<
  RedisOptions,
  | "autoResendUnfulfilledCommands"
  | "autoResubscribe"
  | "commandTimeout"
  | "connectTimeout"
  | "enableOfflineQueue"
  | "lazyConnect"
  | "maxRetriesPerRequest"
  | "reconnectOnError"
  | "retryStrategy"
  | "socketTimeout"
>;

/** A sentinel that does not answer for this long is passed over. */
const SENTINEL_TIMEOUT_MS = 2_000;
/** How long a connection that is given up may take to close; one to a primary that stands still never does. */
const CLOSE_MS = 200;
/** How soon a cluster is asked again while it says that it is down. */
const RETRY_MS = 100;

/** @throws BoardwalkError `invalid` when the URL cannot be read. */
export function openRedis(url: string, options: ClientOptions = {}): RedisClient {
  const address = parseRedisUrl(url);
  const reach = reachOf(address);
  switch (address.kind) {
    case "single":
      return new Redis({ ...reach, ...address.nodes[0], db: address.db, ...options });
    case "sentinel":
      return new Redis({ ...reach, ...sentinelOptions(address), db: address.db, ...options });
    case "cluster": {
      const like = clusterOptions(options);
      return new Cluster([...address.nodes], {
        ...like,
        redisOptions: { ...reach, ...like.redisOptions },
        // Certificates are for names, and a name that was looked up is an address.
        ...(address.tls ? { dnsLookup: (host, callback) => callback(null, host) } : {}),
      });
    }
  }
}

/**
 * A client beside this one, to listen with. Of a cluster to any of its nodes, since each tells what is published on any;
 * the library's own way does not say when it has changed to another, nor when it listens no more.
 * @throws Error while no node of a cluster is known.
 */
export function openListener(client: RedisClient, options: ClientOptions): Redis {
  if (client instanceof Redis) return client.duplicate(options);
  const node = anyNodeOf(client);
  if (node === undefined) throw new Error("no node of the cluster is known");
  const { host, port = PORTS.cluster, username, password, tls, family } = node;
  const listener = new Redis({
    ...{ host, port, username, password, tls, family },
    ...options,
    retryStrategy: (times: number) => {
      // That node may be gone for good.
      const { host, port } = anyNodeOf(client) ?? listener.options;
      Object.assign(listener.options, { host, port });
      return options.retryStrategy?.(times);
    },
  });
  return listener;
}

function anyNodeOf(cluster: Cluster): Redis["options"] | undefined {
  const nodes = cluster.nodes("all");
  return nodes[Math.floor(Math.random() * nodes.length)]?.options;
}

/** Whether a key's place is told by its hash tag, so that keys used together must share one. */
export function isCluster(url: string): boolean {
  return parseRedisUrl(url).kind === "cluster";
}

function reachOf({ username, password, tls, family }: RedisAddress) {
  return {
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(family === undefined ? {} : { family }),
    ...(tls ? { tls: {} } : {}),
  };
}

function sentinelOptions(address: RedisAddress & { readonly kind: "sentinel" }) {
  const { nodes, group, tls, sentinelUsername, sentinelPassword } = address;
  return {
    Connector: LastingSentinelConnector,
    sentinels: [...nodes],
    name: group,
    // Sentinels tell of a fail-over; without it a connection to the old primary may stay until that is reached again.
    failoverDetector: true,
    sentinelCommandTimeout: SENTINEL_TIMEOUT_MS,
    disconnectTimeout: CLOSE_MS,
    ...(sentinelUsername === undefined ? {} : { sentinelUsername }),
    ...(sentinelPassword === undefined ? {} : { sentinelPassword }),
    ...(tls ? { enableTLSForSentinelMode: true, sentinelTLS: {} } : {}),
  } satisfies RedisOptions;
}

function clusterOptions(options: ClientOptions) {
  const { enableOfflineQueue = true, lazyConnect, retryStrategy, ...redisOptions } = options;
  return {
    // Commands also wait in it for a node that is just being connected. Who may not wait for a cluster that is away
    // looks at the client's status first.
    enableOfflineQueue: true,
    ...(lazyConnect === undefined ? {} : { lazyConnect }),
    ...(retryStrategy === undefined ? {} : { clusterRetryStrategy: retryStrategy }),
    // 0: what was under way when a node went is not sent again, since it may have landed.
    retryDelayOnFailover: enableOfflineQueue ? RETRY_MS : 0,
    retryDelayOnClusterDown: RETRY_MS,
    redisOptions,
  } satisfies ClusterOptions;
}
