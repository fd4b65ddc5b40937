import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type McpFixture, startMcp } from "../support/mcp.js";

let fixture: McpFixture;

beforeAll(async () => {
  fixture = await startMcp();
});

afterAll(() => fixture.close());

const METHODS = [
  "initialize",
  "tools/list",
  "tools/call",
  "resources/read",
  "resources/subscribe",
  "prompts/get",
  "completion/complete",
  "server/discover",
  "notifications/cancelled",
  "logging/setLevel",
];

/** Messages that are nearly right: each part is now and then something else. */
const message = fc.record(
  {
    jsonrpc: fc.oneof({ weight: 9, arbitrary: fc.constant("2.0") }, fc.jsonValue()),
    id: fc.oneof(fc.integer(), fc.string({ maxLength: 8 }), fc.jsonValue()),
    method: fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...METHODS) }, fc.jsonValue()),
    params: fc.oneof(
      fc.record(
        {
          name: fc.oneof(fc.constantFrom("read_ticket", "web_move_to_done", "standup"), fc.jsonValue()),
          uri: fc.oneof(fc.constantFrom("board://eng/workflows/x", "ticket://eng/%ff"), fc.jsonValue()),
          arguments: fc.oneof(
            fc.record(
              { ticket: fc.jsonValue(), from: fc.jsonValue(), fields: fc.jsonValue() },
              { requiredKeys: [] },
            ),
            fc.jsonValue(),
          ),
          protocolVersion: fc.jsonValue(),
          _meta: fc.oneof(
            fc.record(
              {
                "io.modelcontextprotocol/protocolVersion": fc.oneof(
                  fc.constant("2026-07-28"),
                  fc.jsonValue(),
                ),
                "io.modelcontextprotocol/clientCapabilities": fc.oneof(fc.constant({}), fc.jsonValue()),
                "io.modelcontextprotocol/clientInfo": fc.jsonValue(),
              },
              { requiredKeys: [] },
            ),
            fc.jsonValue(),
          ),
        },
        { requiredKeys: [] },
      ),
      fc.jsonValue(),
    ),
  },
  { requiredKeys: [] },
);

const headers = fc.record(
  {
    "mcp-protocol-version": fc.constantFrom("2026-07-28", "2025-11-25", "2025-03-26", "x"),
    "mcp-method": fc.constantFrom(...METHODS),
    "mcp-name": fc.constantFrom("read_ticket", "standup", "=?base64?eA==?=", "=?base64?%?="),
    "mcp-session-id": fc.constantFrom("x", ""),
  },
  { requiredKeys: [] },
);

describe("whatever comes", () => {
  it("is answered in JSON-RPC, and never as an error of ours", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(message, fc.array(message, { maxLength: 3 })),
        headers,
        async (body, more) => {
          const response = await fetch(fixture.url(), {
            method: "POST",
            headers: { authorization: "Bearer acme:ann", "content-type": "application/json", ...more },
            body: JSON.stringify(body),
          });
          const text = await response.text();
          expect(response.status).toBeLessThan(500);
          for (const reply of response.status === 202 && text === "" ? [] : [JSON.parse(text)].flat()) {
            expect(reply).toMatchObject({ jsonrpc: "2.0" });
            expect("result" in reply !== "error" in reply).toBe(true);
            expect(reply.error?.code).not.toBe(-32603);
          }
        },
      ),
      { numRuns: 400 },
    );
  });
});
