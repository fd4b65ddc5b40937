import { Redis } from "ioredis";
import { BoardwalkError } from "../errors.js";
import { type ClientOptions, openRedis, type RedisClient } from "./open.js";

/** How long a call waits for a connection that was just lost or is being made. After that, calls fail at once. */
const GRACE_MS = 2_000;

/** A command without an answer for this long has failed; it may have been carried out. */
const COMMAND_TIMEOUT_MS = 5_000;

export const OWN_OPTIONS = {
  enableOfflineQueue: false,
  // A compare-and-set sent again after it landed would tell its own caller that somebody else was first.
  autoResendUnfulfilledCommands: false,
  // What was under way when the connection broke fails at once; else its caller would wait for the time-out below.
  maxRetriesPerRequest: 0,
  retryStrategy: (times: number) => Math.min(1_000, 50 * 2 ** Math.min(times, 10)),
  reconnectOnError: (error: Error) => error.message.startsWith("READONLY"),
  connectTimeout: GRACE_MS,
  commandTimeout: COMMAND_TIMEOUT_MS,
  // A connection that is silent with a command under way is given up, where TCP would wait a quarter of an hour.
  socketTimeout: 2 * COMMAND_TIMEOUT_MS,
} satisfies ClientOptions;

/** One connection, and the one place where its failures become BoardwalkErrors. */
export interface Connection<Client = RedisClient> {
  /**
   * Runs a command once the connection stands.
   * @throws BoardwalkError `unavailable` when it does not, within two seconds; `internal` when Redis refuses the command.
   */
  run<T>(command: (client: Client) => Promise<T>): Promise<T>;
  /** Stops watching; ends the connection too when we made it. */
  close(): Promise<void>;
}

/** A connection of our own, which comes back by itself whenever Redis does. */
export function openConnection(url: string): {
  readonly client: RedisClient;
  readonly connection: Connection;
} {
  const client = openRedis(url, OWN_OPTIONS);
  // Without a listener ioredis prints each failed attempt; callers hear of it through `run`.
  client.on("error", () => undefined);
  return { client, connection: watchConnection(client, true) };
}

export function watchConnection<Client extends RedisClient>(
  client: Client,
  ours: boolean,
): Connection<Client> {
  /** Since when it has been down, once that was seen. */
  let downSince: number | undefined;
  let waiting: Promise<void> | undefined;
  const onReady = () => {
    downSince = undefined;
  };
  const onClose = () => {
    // Sentinels that cannot be reached are told as errors only: there was nothing yet to close.
    if (client.status !== "ready") downSince ??= performance.now();
  };
  client.on("ready", onReady).on("close", onClose).on("error", onClose);

  function ready(): Promise<void> {
    // Only somebody who was told to stop or who has given up ends there; nobody will connect again.
    if (client.status === "end") return Promise.reject(unreachable());
    if (client.status === "wait") client.connect().catch(() => undefined);
    const leftMs = downSince === undefined ? GRACE_MS : downSince + GRACE_MS - performance.now();
    if (leftMs <= 0) return Promise.reject(unreachable());
    // Shared by all callers, because a listener for each would soon be thousands.
    waiting ??= whenReady(client, leftMs).finally(() => {
      waiting = undefined;
    });
    return waiting;
  }

  return {
    async run(command) {
      if (client.status !== "ready") await ready();
      if (client instanceof Redis) gather(client.stream);
      try {
        return await command(client);
      } catch (error) {
        throw storeError(error);
      }
    },
    async close() {
      client.off("ready", onReady).off("close", onClose).off("error", onClose);
      if (!ours) return;
      if (client.status === "ready") await client.quit().catch(() => undefined);
      client.disconnect();
    },
  };
}

/** What is asked within one turn of the event loop goes out in one write. */
function gather(stream: Redis["stream"]): void {
  if (stream.writableCorked > 0) return;
  stream.cork();
  setImmediate(() => stream.uncork());
}

function whenReady(client: RedisClient, timeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = () => {
      clearTimeout(timer);
      client.off("ready", settle).off("end", settle);
      if (client.status === "ready") resolve();
      else reject(unreachable());
    };
    // One turn later: after a blocked event loop the timer runs before the sockets are looked at.
    const timer = setTimeout(() => setImmediate(settle), timeoutMs);
    client.on("ready", settle).on("end", settle);
  });
}

/** Answers of Redis that pass without anybody changing the command. */
const PASSING =
  /^(LOADING|READONLY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|BUSY|UNKILLABLE|NOREPLICAS|MISCONF|OOM)\b/;

/** Whatever a command threw as a BoardwalkError. */
function storeError(error: unknown): BoardwalkError {
  if (error instanceof BoardwalkError) return error;
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  // Not the error itself: ioredis hangs the command's arguments on it, and those hold tickets and secrets.
  const cause = new Error(`${name}: ${message}`);
  if (name !== "ReplyError") return unreachable(cause);
  if (/^(OOM|MISCONF)\b/.test(message)) {
    return new BoardwalkError(
      "unavailable",
      "Our store takes no more data just now, so nothing was saved. Please tell whoever runs Boardwalk.",
      { cause },
    );
  }
  if (PASSING.test(message)) return unreachable(cause);
  return new BoardwalkError("internal", "Our store refused a request. Please tell whoever runs Boardwalk.", {
    cause,
  });
}

function unreachable(cause?: Error): BoardwalkError {
  return new BoardwalkError(
    "unavailable",
    "Our store cannot be reached right now. Please try again in a moment.",
    { cause },
  );
}
