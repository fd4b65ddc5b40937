import type { RedisClient } from "../../redis/open.js";
import { type Connection, openConnection } from "./connection.js";

type Listener = (message: string) => void;

interface Topic {
  readonly listeners: Set<Listener>;
  readonly subscribed: Promise<unknown>;
}

export interface Subscriber {
  subscribe(channel: string, listener: Listener): Promise<() => Promise<void>>;
  /** Tells the names of channels that fit one of the patterns, with each message on them. */
  watch(patterns: readonly string[], listener: (channel: string) => void): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

/** Listens on a connection of its own, made at the first `subscribe`; after a loss it listens on by itself. */
export function createSubscriber(to: string | RedisClient): Subscriber {
  const topics = new Map<string, Topic>();
  /** All for the same patterns: one prefix has one set of them. */
  const watchers = new Set<(channel: string) => void>();
  let connection: Connection | undefined;

  function open(): Connection {
    const opened = openConnection(to);
    opened.client.on("message", (channel: string, message: string) => {
      for (const listener of topics.get(channel)?.listeners ?? []) listener(message);
    });
    opened.client.on("pmessage", (_pattern: string, channel: string) => {
      for (const watcher of watchers) watcher(channel);
    });
    return opened.connection;
  }

  async function leave(channel: string, topic: Topic, listener: Listener): Promise<void> {
    topic.listeners.delete(listener);
    if (topic.listeners.size > 0 || topics.get(channel) !== topic) return;
    topics.delete(channel);
    // When it cannot be told to Redis, messages still come in and are dropped here.
    await connection?.run((client) => client.unsubscribe(channel)).catch(() => undefined);
  }

  return {
    async subscribe(channel, listener) {
      connection ??= open();
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
      connection ??= open();
      const own = (channel: string) => listener(channel);
      await connection.run((client) => client.psubscribe(...patterns));
      watchers.add(own);
      return async () => {
        watchers.delete(own);
      };
    },
    async close() {
      topics.clear();
      watchers.clear();
      await connection?.close();
      connection = undefined;
    },
  };
}
