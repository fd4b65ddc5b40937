import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import express, { type Express, type NextFunction, type Request, type Response } from "express";
import { z } from "zod";
import { pause } from "./http.js";
import { send } from "./send.js";

/** What every board's emulator has beside the board's own API: a journal, faults, and webhook delivery. */

export interface JournalEntry {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly at: string;
  /** Sent along for GraphQL boards, where every request has the same path. */
  readonly operation?: string;
}

const faultsSchema = z.object({
  latencyMs: z.number().min(0).max(60_000).optional(),
  /** Answered instead of doing the work. */
  status: z.number().int().min(400).max(599).optional(),
  /** How many requests `status` is for; left out, all of them. */
  times: z.number().int().min(1).optional(),
  /** Do the work, then answer `status`: the write landed, the answer did not. */
  afterWork: z.boolean().optional(),
  /** Only requests that change something. */
  writesOnly: z.boolean().optional(),
  /** Body of a faulty answer; an HTML page by default, as proxies send. */
  body: z.string().optional(),
  dropWebhooks: z.number().int().min(0).optional(),
  duplicateWebhooks: z.number().int().min(0).optional(),
});
export type Faults = z.infer<typeof faultsSchema>;

export interface WebhookTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  /** Told how the receiver answered, for boards that act on more than taken or not taken. */
  readonly onStatus?: (status: number) => void;
}

/**
 * Holds one request, so that a test knows where a client stands when it ends it. What is held goes on when the promise
 * resolves, whether or not its client still listens; `"lost"` means that the board never saw it.
 */
export interface Hold {
  /** It has arrived, and nothing is done yet. */
  readonly before?: () => Promise<"lost" | undefined>;
  /** Its work is done, and the answer is not sent. */
  readonly after?: () => Promise<undefined>;
}

export type Gate = (request: Request) => Hold | undefined;

export interface EmulatorHost {
  readonly app: Express;
  readonly journal: readonly JournalEntry[];
  /** Where it listens, once `listen` has resolved. */
  readonly url: string;
  setFaults(faults: Faults): void;
  /** Asked about every request from now on. */
  setGate(gate: Gate): void;
  /** Sends a webhook as the board would, with the faults that are on; answers whether the receiver took it. */
  deliver(target: WebhookTarget): Promise<boolean>;
  listen(port?: number, host?: string): Promise<void>;
  close(): Promise<void>;
}

export interface EmulatorHostOptions {
  /** Does this request change something? By default every method but GET and HEAD does. */
  readonly isWrite?: (request: Request) => boolean;
  /** For the journal of GraphQL boards. */
  readonly operationOf?: (request: Request) => string | undefined;
  /** Told of every request and its reply, to hold them against the board's published contract. */
  readonly onExchange?: (exchange: Exchange) => void;
}

export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, unknown>>;
  readonly requestBody: unknown;
  readonly status: number;
  readonly contentType: string;
  readonly responseBody: string;
  /** The reply was made by `faults`, not by the emulated board. */
  readonly faulty: boolean;
}

/** An Express app with `/__emulator/journal` and `/__emulator/faults`; the caller adds the board's own routes. */
export function createEmulatorHost(options: EmulatorHostOptions = {}): EmulatorHost {
  const journal: JournalEntry[] = [];
  const app = express().disable("x-powered-by").disable("etag");
  const server: Server = createServer(app);
  let faults: Faults = {};
  let current: Faults = {};
  let gate: Gate = () => undefined;
  let url = "";
  const isWrite = options.isWrite ?? ((request) => request.method !== "GET" && request.method !== "HEAD");

  app.use(express.json({ limit: "5mb", type: ["application/json", "application/*+json"] }));
  app.get("/__emulator/journal", (_request, response) => void response.json(journal));
  addFaultRoutes(app, (next) => {
    faults = next;
  });
  app.use(async (request: Request, response: Response, next: NextFunction) => {
    const entry = { method: request.method, path: request.originalUrl, at: new Date().toISOString() };
    const hold = gate(request);
    // When it is answered, not when the answer is out: a client that is gone never takes it, and the work is done.
    onEnd(response, () => {
      const operation = options.operationOf?.(request);
      const about = operation === undefined ? entry : { ...entry, operation };
      journal.push({ ...about, status: response.statusCode });
      return hold?.after?.();
    });
    const told = options.onExchange && recordReply(request, response, options.onExchange);
    if ((await hold?.before?.()) === "lost") return void response.destroy();
    if (faults.latencyMs) await pause(faults.latencyMs);
    if (!takeFault(isWrite(request))) return next();
    told?.markFaulty();
    const { status = 500, body = "<html><body><h1>Fault</h1></body></html>", afterWork } = current;
    if (!afterWork) return void response.status(status).type("html").send(body);
    loseAnswer(response, status, body);
    next();
  });

  function takeFault(write: boolean): boolean {
    if (faults.status === undefined || (faults.writesOnly === true && !write)) return false;
    current = faults;
    faults = spend(faults);
    return true;
  }

  return {
    app,
    journal,
    get url() {
      return url;
    },
    setFaults(next) {
      faults = next;
    },
    setGate(next) {
      gate = next;
    },
    async deliver(target) {
      if (faults.dropWebhooks) {
        faults = { ...faults, dropWebhooks: faults.dropWebhooks - 1 };
        // Lost on the way: the board believes it arrived.
        return true;
      }
      const copies = faults.duplicateWebhooks ? 2 : 1;
      if (faults.duplicateWebhooks) faults = { ...faults, duplicateWebhooks: faults.duplicateWebhooks - 1 };
      let taken = false;
      for (let i = 0; i < copies; i++) taken = (await post(target)) || taken;
      return taken;
    },
    async listen(port = 0, host = "127.0.0.1") {
      server.listen(port, host);
      await once(server, "listening");
      url = `http://${host}:${(server.address() as AddressInfo).port}`;
    },
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** What is left of the faults once one request has met them. */
function spend(faults: Faults): Faults {
  const { status: _status, times, ...rest } = faults;
  if (times === undefined) return faults;
  return times > 1 ? { ...faults, times: times - 1 } : rest;
}

function addFaultRoutes(app: Express, set: (faults: Faults) => void): void {
  app.post("/__emulator/faults", (request, response) => {
    const parsed = faultsSchema.safeParse(request.body);
    if (!parsed.success) return void response.status(400).json({ error: z.prettifyError(parsed.error) });
    set(parsed.data);
    response.json(parsed.data);
  });
  app.delete("/__emulator/faults", (_request, response) => {
    set({});
    response.status(204).end();
  });
}

/** The work is done, its answer thrown away: replaces what the route sends. */
function loseAnswer(response: Response, status: number, body: string): void {
  const end = response.end.bind(response);
  response.end = (() => {
    response.statusCode = status;
    response.setHeader("content-type", "text/html");
    response.removeHeader("content-length");
    return end(body);
  }) as typeof response.end;
}

const TAKEN_WITHIN_MS = 5_000;

async function post({ url, headers, body, onStatus }: WebhookTarget): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(TAKEN_WITHIN_MS);
    const { status } = await send({ method: "POST", url, headers, body }, { signal });
    onStatus?.(status);
    return status >= 200 && status < 300;
  } catch {
    // A receiver that is down simply misses it, as with the real board once its retries are spent.
    return false;
  }
}

/** Calls `told` once the reply is made, and sends it when that has resolved. */
function onEnd(response: Response, told: () => Promise<undefined> | undefined): void {
  const end = response.end.bind(response) as (...args: unknown[]) => Response;
  response.end = ((...args: unknown[]) => {
    const held = told();
    if (held === undefined) return end(...args);
    void held.then(() => end(...args));
    return response;
  }) as typeof response.end;
}

/** Keeps what is sent as the reply, and tells it when the reply is done. */
function recordReply(request: Request, response: Response, tell: (exchange: Exchange) => void) {
  const { method, path, query } = request;
  let faulty = false;
  let sent = "";
  const end = response.end.bind(response) as (...args: unknown[]) => Response;
  response.end = ((chunk?: unknown, ...rest: unknown[]) => {
    if (typeof chunk === "string" || Buffer.isBuffer(chunk)) sent = chunk.toString();
    return end(chunk, ...rest);
  }) as typeof response.end;
  response.on("finish", () => {
    const contentType = String(response.getHeader("content-type") ?? "");
    const requestBody: unknown = request.body;
    tell({
      method,
      path,
      query,
      requestBody,
      status: response.statusCode,
      contentType,
      responseBody: sent,
      faulty,
    });
  });
  return {
    markFaulty() {
      faulty = true;
    },
  };
}
