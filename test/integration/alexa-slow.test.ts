import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { type Demo, startDemo } from "../../src/demo.js";
import { issueToken } from "../../src/http/auth.js";
import { until } from "../support/until.js";

/** /alexa/mcp while every board takes three seconds for everything. */

const DELAY_MS = 3_000;
const CALLERS = 20;

let demo: Demo;
let tokens: readonly string[];
beforeAll(async () => {
  demo = await startDemo({ port: 0, host: "127.0.0.1", inMemory: true, logLevel: "silent" });
  const tenant = demo.app.store.tenant("acme");
  tokens = await Promise.all(
    Array.from(
      { length: CALLERS },
      async (_, i) => (await issueToken(tenant, { name: `p${i}` }, new Date())).token,
    ),
  );
  await delay(DELAY_MS);
});
afterAll(() => demo.close());

const [acme] = [() => demo.line.tenants[0]?.connections[0]];

async function delay(latencyMs: number): Promise<void> {
  const { boardUrl, authorization } = acme() ?? { boardUrl: "", authorization: "" };
  const headers = { authorization, "content-type": "application/json" };
  const body = JSON.stringify({ latencyMs });
  await fetch(`${boardUrl}/__emulator/faults`, {
    method: latencyMs === 0 ? "DELETE" : "POST",
    headers,
    body,
  });
}

const journal = z.array(z.object({ method: z.string(), path: z.string(), status: z.number() }));
async function boardSaw() {
  const { boardUrl, authorization } = acme() ?? { boardUrl: "", authorization: "" };
  const response = await fetch(`${boardUrl}/__emulator/journal`, { headers: { authorization } });
  return journal.parse(await response.json());
}

const answer = z.object({
  result: z.object({
    structuredContent: z.looseObject({
      outcome: z.string().optional(),
      moveId: z.string().optional(),
      spoken: z.string(),
      tickets: z.array(z.unknown()).optional(),
      ticket: z.looseObject({ status: z.object({ name: z.string() }) }).optional(),
      boards: z.array(z.unknown()).optional(),
    }),
  }),
});

async function call(caller: number, name: string, args: object) {
  const response = await fetch(`${demo.line.url}/alexa/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${tokens[caller % CALLERS]}` },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }),
  });
  expect(response.status).toBe(200);
  return answer.parse(await response.json()).result.structuredContent;
}

const READS = [
  ["find_tickets", { query: "login" }],
  ["read_ticket", { ticket: "second tap" }],
  ["list_moves", { ticket: "coupons" }],
  ["describe_board", {}],
  ["check_progress", {}],
] as const;
const MOVES = [
  ["ENG-1", "In Review"],
  ["ENG-3", "In Review"],
  ["ENG-5", "In Review"],
  ["ENG-2", "In Progress"],
] as const;

describe("with every board delayed by three seconds", () => {
  it("reads are answered without asking a board", async () => {
    const before = (await boardSaw()).length;
    const told = await Promise.all(
      Array.from({ length: CALLERS * 5 }, (_, i) => {
        const [name, args] = READS[i % READS.length] ?? READS[0];
        return call(i, name, args);
      }),
    );
    for (const { tickets, ticket, boards, outcome } of told)
      expect(tickets ?? ticket ?? boards ?? outcome).toBeDefined();
    expect((await boardSaw()).length).toBe(before);
  });

  it("no move is claimed that the board has not confirmed, and every one settles, once", async () => {
    const told = await Promise.all(
      Array.from({ length: CALLERS }, (_, i) => {
        const [ticket, to] = MOVES[i % MOVES.length] ?? MOVES[0];
        return call(i, "move_ticket", { ticket, to });
      }),
    );
    for (const { outcome, spoken } of told) {
      expect(outcome).toBe("accepted");
      expect(spoken).not.toMatch(/\bmoved\b/i);
    }
    // Twenty callers, four tickets: whoever comes later joins.
    expect(new Set(told.map(({ moveId }) => moveId)).size).toBe(MOVES.length);
    const early = await call(0, "read_ticket", { ticket: "ENG-1" });
    expect(early.ticket?.status.name).toBe("In Progress");
    await delay(0);
    for (const [ticket, to] of MOVES) {
      const settled = await until(
        async () => {
          const now = await call(0, "check_progress", { ticket });
          return now.outcome === "accepted" ? undefined : now;
        },
        { timeoutMs: 60_000 },
      );
      expect(settled.outcome).toBe("confirmed");
      expect(settled.ticket?.status.name).toBe(to);
    }
    const writes = (await boardSaw()).filter(
      ({ method, path, status }) => method === "POST" && path.includes("/transitions") && status < 300,
    );
    expect(writes).toHaveLength(MOVES.length);
  });
});
