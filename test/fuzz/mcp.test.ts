import type { IncomingMessage } from "node:http";
import { ProtocolError } from "@modelcontextprotocol/server";
import fc from "fast-check";
import { z } from "zod";
import { parseArguments } from "../../src/bridge/arguments.js";
import { callerAddress } from "../../src/http/caller-address.js";
import { bearerOf } from "../../src/http/tokens.js";
import { type Call, callTool } from "../../src/mcp/call.js";
import { type Catalogue, coreCatalogue, FROZEN, generatedCatalogue } from "../../src/mcp/catalogue.js";
import { createGuard } from "../../src/mcp/guard.js";
import {
  complete,
  readResource,
  resourceExists,
  TICKET_TEMPLATE,
  WORKFLOW_TEMPLATE,
} from "../../src/mcp/resources.js";
import { NO_NAMES } from "../../src/mcp/tool-names.js";
import { clientOf, idOf, requests, standardHeaders, subscriptionsOf } from "../../src/mcp/wire.js";
import { createMemoryStore } from "../../src/store/memory.js";
import { isTooDeep } from "../../src/tickets/depth.js";
import { fuzz, fuzzed } from "../support/fuzz.js";
import { jsonOf, like, text } from "../support/hostile.js";
import { actorOf, FakeTickets, WEB } from "../support/mcp.js";

/** What MCP clients send, once their JSON was read. */

const guard = createGuard({ allowedHosts: ["a.example"], allowedOrigins: ["https://b.example"] });
const headed = (headers: Record<string, string>) =>
  ({ headers, socket: { remoteAddress: "192.0.2.1" } }) as unknown as IncomingMessage;
const proxied = { publicUrl: () => "https://a.example" };

fuzz("envelopes and headers of MCP", {
  envelopes: fuzzed(
    like({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "x", notifications: { resourceSubscriptions: ["a"] }, _meta: {} },
    }),
    (body) => [
      isTooDeep(body),
      requests(body).length,
      subscriptionsOf(body),
      idOf(body),
      typeof body === "object" && body !== null ? clientOf(body) : undefined,
    ],
  ),
  authorization: fuzzed(
    fc.oneof(
      text,
      text.map((token) => `Bearer ${token}`),
    ),
    (header) => bearerOf(header),
  ),
  "host and origin": fuzzed(
    fc.tuple(
      text,
      fc.oneof(
        text,
        text.map((host) => `https://${host}`),
      ),
    ),
    ([host, origin]) => guard(headed({ host, origin })),
  ),
  "protocol headers": fuzzed(fc.tuple(text, text, text), ([version, method, name]) =>
    standardHeaders(headed({ "mcp-protocol-version": version, "mcp-method": method, "mcp-name": name })),
  ),
  "the caller's address": fuzzed(
    fc.oneof(
      text,
      fc.ipV6(),
      fc.ipV4(),
      fc.tuple(text, fc.ipV6()).map((parts) => parts.join(",")),
      fc.ipV6().map((address) => `[${address}]:443`),
    ),
    (from) => callerAddress(headed({ "x-forwarded-for": from }), proxied),
  ),
});

const kept = [{ graph: WEB, connection: "eng", version: 1 }];
const tickets = new FakeTickets();
tickets.setGraphs("acme", WEB);
tickets.addTicket("acme", "jira.x.10", "Fix the login page", "1");
const tenant = createMemoryStore().tenant("acme");
await tenant.saveActors([actorOf("jira.x.10", "Fix the login page", "1")]);
const call: Call = {
  principal: { tenant, speaker: { person: "ann" }, scopes: [] },
  surface: "generated",
  catalogue: coreCatalogue(kept),
  tickets,
  gating: "explain",
  budgetMs: 1_000,
  mayCall: () => true,
  report: () => {},
};

const generated = generatedCatalogue({ workflows: kept, kept: NO_NAMES, now: () => new Date() }).catalogue;
const ARGUMENTS = [
  "ticket",
  "to",
  "from",
  "fields",
  "comment",
  "token",
  "query",
  "moveId",
  "status",
  "board",
  "cursor",
];
const example = { ticket: "Fix the login page", to: "Done", fields: { a: "b" }, query: "x", comment: "c" };
const argumentsIn = (catalogue: Catalogue) =>
  catalogue.tools.map(
    ({ name }) =>
      [
        name,
        fuzzed(fc.oneof(jsonOf(ARGUMENTS), like(example)), async (given) => {
          const { structuredContent } = await callTool({ ...call, catalogue }, name, given);
          return structuredContent;
        }),
      ] as const,
  );
/** As a library's own tools are declared. */
const own = z.object({
  title: z.string().max(50),
  urgent: z.boolean().default(false),
  tags: z.array(z.string()).optional(),
});

fuzz("arguments of tools", {
  ...Object.fromEntries([...argumentsIn(FROZEN), ...argumentsIn(generated)]),
  "of a library's own": fuzzed(like({ title: "x", urgent: true, tags: ["a"] }), (given) =>
    parseArguments(own, given as Record<string, unknown>),
  ),
});

/** What is not there is told in the protocol's own error. */
async function told<T>(work: () => Promise<T>): Promise<unknown> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof ProtocolError) return thrown.message;
    throw thrown;
  }
}

const part = fc.oneof(
  text,
  fc.constantFrom("eng", "jira.x.10", encodeURIComponent(WEB.id), "%2e%2e", "%ff", "%00", "eng/../eng"),
);
const uri = fc.oneof(
  text,
  fc.tuple(part, part).map(([connection, id]) => `ticket://${connection}/${id}`),
  fc.tuple(part, part).map(([connection, id]) => `board://${connection}/workflows/${id}`),
  part.map((hash) => `ui://boardwalk/ticket-card-${hash}.html`),
);
const reference = fc.record({
  ref: fc.record(
    {
      type: fc.oneof(fc.constantFrom("ref/resource", "ref/prompt"), text),
      uri: fc.oneof(fc.constantFrom(TICKET_TEMPLATE, WORKFLOW_TEMPLATE), uri),
      name: fc.oneof(fc.constant("standup"), text),
    },
    { requiredKeys: ["type"] },
  ),
  argument: fc.record({
    name: fc.oneof(fc.constantFrom("connection", "id", "board", "status"), text),
    value: part,
  }),
  context: fc.record({
    arguments: fc.dictionary(fc.oneof(fc.constant("connection"), text), part, { maxKeys: 2 }),
  }),
});

fuzz("resource URIs", {
  read: fuzzed(uri, (asked) => told(() => readResource(call, asked))),
  "read on the frozen surface": fuzzed(uri, (asked) =>
    told(() => readResource({ ...call, surface: "frozen" }, asked)),
  ),
  subscribed: fuzzed(uri, (asked) => resourceExists(call, asked)),
  completed: fuzzed(reference, (asked) => told(() => complete(call, asked))),
});
