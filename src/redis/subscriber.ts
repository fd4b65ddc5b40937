import type { Redis } from "ioredis";
import { type Connection, OWN_OPTIONS, watchConnection } from "./connection.js";
import { openListener } from "./open.js";

type Listener = (message: string) => void;

interface Topic {
  readonly listeners: Set<Listener>;
  readonly subscribed: Promise<unknown>;
}

export interface Subscriber {
  subscribe(channel: string, listener: Listener): Promise<() => Promise<void>>;
  /** Tells each message on the channels that fit one of the patterns. */
  watch(
    patterns: readonly string[],
    listener: (channel: string, message: string) => void,
  ): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

interface Opened {
  readonly client: Redis;
  readonly connection: Connection<Redis>;
  readonly beating: NodeJS.Timeout;
}

/** Nothing is under way on a connection that only listens, so nobody else would notice that it is dead. */
const BEAT_MS = 5_000;

/**
 * Listens on a connection of its own, made at the first `subscribe`. After a loss it listens on by itself, and tells
 * that something may have gone unheard.
 */
export function createSubscriber(main: Connection, unheard: () => void): Subscriber {
  const topics = new Map<string, Topic>();
  /** All for the same patterns: one prefix has one set of them. */
  const watchers = new Set<(channel: string, message: string) => void>();
  let watched: readonly string[] = [];
  let opened: Promise<Opened> | undefined;

  async function open(): Promise<Opened> {
    // What was subscribed to is asked for again here, where it is noticed when that fails.
    const options = { ...OWN_OPTIONS, autoResubscribe: false };
    const client = await main.run(async (redis) => openListener(redis, options));
    client.on("error", () => undefined);
    client.on("message", (channel: string, message: string) => {
      for (const listener of topics.get(channel)?.listeners ?? []) listener(message);
    });
    client.on("pmessage", (_pattern: string, channel: string, message: string) => {
      for (const watcher of watchers) watcher(channel, message);
    });
    const again = () =>
      void subscribeTo(client, [...topics.keys()], watched).then(unheard, () => client.disconnect(true));
    // The first time, those who subscribe do it themselves.
    client.once("ready", () => client.on("ready", again));
    const beating = setInterval(() => void beat(client), BEAT_MS).unref();
    return { client, connection: watchConnection(client, true), beating };
  }

  async function listening(): Promise<Connection<Redis>> {
    opened ??= open().catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return (await opened).connection;
  }

  async function leave(channel: string, topic: Topic, listener: Listener): Promise<void> {
    topic.listeners.delete(listener);
    if (topic.listeners.size > 0 || topics.get(channel) !== topic) return;
    topics.delete(channel);
    // When it cannot be told to Redis, messages still come in and are dropped here.
    await (await opened)?.connection.run((client) => client.unsubscribe(channel)).catch(() => undefined);
  }

  return {
    async subscribe(channel, listener) {
      const connection = await listening();
      const own: Listener = (message) => listener(message);
      let topic = topics.get(channel);
      if (topic === undefined) {
        topic = { listeners: new Set(), subscribed: connection.run((client) => client.subscribe(channel)) };
        topics.set(channel, topic);
      }
      const joined = topic;
      joined.listeners.add(own);
      try {
        await joined.subscribed;
      } catch (error) {
        await leave(channel, joined, own);
        throw error;
      }
      return () => leave(channel, joined, own);
    },
    async watch(patterns, listener) {
      const own = (channel: string, message: string) => listener(channel, message);
      await (await listening()).run((client) => client.psubscribe(...patterns));
      watched = patterns;
      watchers.add(own);
      return async () => {
        watchers.delete(own);
      };
    },
    async close() {
      topics.clear();
      watchers.clear();
      watched = [];
      const { connection, beating } = (await opened?.catch(() => undefined)) ?? {};
      clearInterval(beating);
      await connection?.close();
      opened = undefined;
    },
  };
}

async function subscribeTo(client: Redis, channels: readonly string[], patterns: readonly string[]) {
  if (channels.length > 0) await client.subscribe(...channels);
  if (patterns.length > 0) await client.psubscribe(...patterns);
}

async function beat(client: Redis): Promise<void> {
  if (client.status === "ready") await client.ping().catch(() => client.disconnect(true));
}
