import { once } from "node:events";
import { Agent, createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import express from "express";
import fc from "fast-check";
import { afterAll, beforeAll } from "vitest";
import type { z } from "zod";
import { OPERATIONS } from "../../src/http/openapi.js";
import { notFound, parseBody, problemHandler, refuseDepth } from "../../src/http/problems.js";
import { readJson } from "../../src/mcp/body.js";
import { isTooDeep } from "../../src/tickets/depth.js";
import { type Fuzzed, fuzz, fuzzed } from "../support/fuzz.js";
import { jsonOf, jsonText } from "../support/hostile.js";
import { keysOf } from "../support/schema-keys.js";

/** Bodies as they come over the wire, and what is made of them. */

const agent = new Agent({ keepAlive: true });
let server: Server;
let port = 0;

beforeAll(async () => {
  const app = express();
  // As the admin API has it.
  app.use(express.json({ limit: "1mb" }), refuseDepth);
  app.post("/", (incoming, response) => void response.json({ value: incoming.body ?? null }));
  app.use(notFound);
  app.use(problemHandler(() => {}));
  server = createServer((incoming, response) => {
    if (incoming.url !== "/mcp") return app(incoming, response);
    void readJson(incoming).then((body) => {
      response
        .writeHead(body.ok ? 200 : body.status)
        .end(JSON.stringify(body.ok ? { value: body.value } : body));
    });
  });
  // Or it might hang up just when another request is sent.
  server.keepAliveTimeout = 0;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  ({ port } = server.address() as AddressInfo);
});
afterAll(async () => {
  agent.destroy();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

interface Sent {
  readonly bytes: Buffer;
  readonly type: string;
  /** Where it is cut into pieces. */
  readonly cuts: readonly number[];
  readonly zipped: boolean;
}

/** In pieces, as a network does it. @returns what was answered */
function send(path: string, { bytes, type, cuts, zipped }: Sent): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const body = zipped ? gzipSync(bytes, { level: 1 }) : bytes;
    const headers = { "content-type": type, ...(zipped ? { "content-encoding": "gzip" } : {}) };
    const outgoing = request(
      { port, path, agent, method: "POST", headers, host: "127.0.0.1" },
      (incoming) => {
        const heard: Buffer[] = [];
        incoming.on("data", (chunk: Buffer) => heard.push(chunk));
        incoming.on("end", () =>
          resolve({ status: incoming.statusCode ?? 0, body: Buffer.concat(heard).toString("utf8") }),
        );
        incoming.on("error", reject);
      },
    );
    outgoing.on("error", reject);
    const ends = [...new Set(cuts.map((cut) => cut % (body.length + 1)))].sort((a, b) => a - b);
    for (const [i, end] of ends.entries()) outgoing.write(body.subarray(ends[i - 1] ?? 0, end));
    outgoing.end(body.subarray(ends.at(-1) ?? 0));
  });
}

const MOST_BYTES = 1024 * 1024;
const bytes = fc.oneof(
  {
    weight: 6,
    arbitrary: jsonText(jsonOf(["jsonrpc", "id", "method", "params"])).map((json) => Buffer.from(json)),
  },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 500 }).map((raw) => Buffer.from(raw)) },
);
const types = [
  "application/json",
  "application/json; charset=utf-8",
  "application/json; charset=utf-16",
  "text/plain",
  "",
  "a/b; =;;",
];
const sent: fc.Arbitrary<Sent> = fc.record({
  bytes,
  type: fc.oneof(
    { weight: 6, arbitrary: fc.constant("application/json") },
    { weight: 1, arbitrary: fc.constantFrom(...types) },
  ),
  cuts: fc.array(fc.nat(300_000), { maxLength: 3 }),
  zipped: fc.boolean(),
});

/** Read as JSON of our own reading is, or turned away with a sentence: too large, too deep, no JSON. */
async function read(path: string, given: Sent): Promise<unknown> {
  const { status, body } = await send(path, given);
  const said = JSON.parse(body) as { value?: unknown; message?: unknown; detail?: unknown };
  if (status === 200) {
    if (said.value !== null && (given.bytes.length > MOST_BYTES || isTooDeep(said.value)))
      throw new Error("it should have been turned away");
    return said.value;
  }
  if (status < 400 || status >= 500 || typeof (said.message ?? said.detail) !== "string")
    throw new Error(`answered with ${status}: ${body.slice(0, 500)}`);
  return undefined;
}

fuzz("JSON bodies", {
  "of MCP": fuzzed(sent, (given) => read("/mcp", { ...given, zipped: false })),
  "of the admin API": fuzzed(sent, (given) => read("/", given)),
});

const takes = Object.entries(OPERATIONS).flatMap(([name, { body, query, headers }]) =>
  Object.entries({ body, query, headers }).flatMap(([part, schema]) =>
    schema === undefined ? [] : [[`${name} ${part}`, schema] as const],
  ),
);
const parsed = (schema: z.ZodType): Fuzzed =>
  fuzzed(jsonOf(keysOf(schema)), (value) => parseBody(schema, value));
fuzz(
  "bodies and queries of the admin API",
  Object.fromEntries(takes.map(([name, schema]) => [name, parsed(schema)])),
);
