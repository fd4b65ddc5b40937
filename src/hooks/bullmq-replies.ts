import { randomUUID } from "node:crypto";
import { z } from "zod";
import { BoardwalkError } from "../errors.js";
import { parseJson, safeParse } from "../parse.js";
import { watchConnection } from "../redis/connection.js";
import type { RedisClient } from "../redis/open.js";
import { createSubscriber } from "../redis/subscriber.js";
import type { BullmqSettings } from "./bullmq-connection.js";
import type { JobReply } from "./hooks.js";
import { parseReply } from "./run-job.js";

/**
 * How the reply of a job comes to the process that put it, when another does it: whoever does it publishes it to the
 * address in the job. The queue's own events would tell every process of every step of every job. What is published may
 * be lost, so whoever waits also looks for itself.
 */
export interface Replies {
  /** Where this process is told; goes into the jobs that it puts. */
  readonly address: string;
  /** From when it resolves, what is published to our address is heard. */
  ensure(): Promise<void>;
  publish(address: string, id: string, reply: JobReply): Promise<void>;
  close(): Promise<void>;
}

export interface RepliesParts {
  readonly settings: BullmqSettings;
  readonly redis: RedisClient;
  readonly connected: () => Promise<void>;
  heard(id: string, reply: JobReply): void;
  /** Replies may have gone unheard. */
  unheard(): void;
}

const messageShape = z.object({ id: z.string(), reply: z.unknown() });

/** What was published to an address of ours; `undefined` for what nobody of us would publish. */
export function readMessage(text: string): { readonly id: string; readonly reply: JobReply } | undefined {
  const message = safeParse(messageShape, parseJson(text));
  return message.success ? { id: message.data.id, reply: parseReply(message.data.reply) } : undefined;
}

export function createReplies({ settings, redis, connected, heard, unheard }: RepliesParts): Replies {
  const address = randomUUID();
  const channelOf = (to: string) => `${settings.prefix}:${settings.queue}:replies:${to}`;
  const connection = watchConnection(redis, false);
  const subscriber = createSubscriber(connection, unheard);
  let listening: Promise<unknown> | undefined;

  function take(text: string): void {
    const message = readMessage(text);
    if (message !== undefined) heard(message.id, message.reply);
  }

  async function ensure(): Promise<void> {
    listening ??= connected()
      .then(() => subscriber.subscribe(channelOf(address), take))
      .catch((error: unknown) => {
        listening = undefined;
        throw error;
      });
    await listening;
  }

  // Early, so that the first to ask need not wait for it; a failure is met again when somebody asks, and its cause is told
  // now where it will not pass, as when the user of Redis may not listen here.
  void ensure().catch((error: unknown) => {
    if (error instanceof BoardwalkError && !error.retryable) settings.onError(error);
  });

  return {
    address,
    ensure,
    async publish(to, id, reply) {
      await redis.publish(channelOf(to), JSON.stringify({ id, reply }));
    },
    async close() {
      await listening?.catch(() => {});
      await subscriber.close();
      await connection.close();
    },
  };
}
