/**
 * /alexa/mcp with every board delayed by three seconds, twenty callers at once: the slowest twentieth of all calls,
 * against the delay (a service that waited for its board would be at 1) and against the half second that Alexa+ gives.
 */
import { type Demo, startDemo } from "../src/demo.js";
import { issueToken } from "../src/http/auth.js";
import { type Row, round3 } from "./harness.js";

const DELAY_MS = 3_000;
const ALLOWED_MS = 500;
const CALLERS = 20;
const ROUNDS = 5;

const CALLS = [
  ["find_tickets", { status: "in progress" }],
  ["move_ticket", { ticket: "ENG-1", to: "In Review" }],
  ["read_ticket", { ticket: "the second tap" }],
  ["move_ticket", { ticket: "ENG-3", to: "In Review" }],
  ["list_moves", { ticket: "coupons" }],
  ["check_progress", {}],
  ["describe_board", {}],
  ["move_ticket", { ticket: "ENG-2", to: "In Progress" }],
] as const;

export async function run(): Promise<Row[]> {
  const demo = await startDemo({ port: 0, host: "127.0.0.1", logLevel: "silent" });
  try {
    const tokens = await people(demo);
    await Promise.all(tokens.map((token, i) => call(demo, token, i)));
    await delayBoards(demo);
    const times = (await Promise.all(tokens.map((token, caller) => talk(demo, token, caller)))).flat();
    times.sort((a, b) => a - b);
    const p95 = round3(times[Math.ceil(times.length * 0.95) - 1] ?? Number.NaN);
    const row = (name: string, theirs: number, target: number): Row => ({
      name,
      ours: p95,
      theirs,
      ratio: round3(theirs / p95),
      target,
      unit: "ms p95",
    });
    return [
      row("/alexa/mcp, 20 callers, boards delayed by 3 s: against the delay", DELAY_MS, 6),
      row("/alexa/mcp, 20 callers, boards delayed by 3 s: against 500 ms", ALLOWED_MS, 1),
    ];
  } finally {
    await demo.close();
  }
}

async function people(demo: Demo): Promise<readonly string[]> {
  const tenant = demo.app.store.tenant("acme");
  return await Promise.all(
    Array.from(
      { length: CALLERS },
      async (_, i) => (await issueToken(tenant, { name: `p${i}` }, new Date())).token,
    ),
  );
}

async function delayBoards(demo: Demo): Promise<void> {
  for (const { boardUrl, authorization } of demo.line.tenants.flatMap(({ connections }) => connections)) {
    const headers = { authorization, "content-type": "application/json" };
    const body = JSON.stringify({ latencyMs: DELAY_MS });
    await fetch(`${boardUrl}/__emulator/faults`, { method: "POST", headers, body });
  }
}

/** One caller after another call, each as long as it took. */
async function talk(demo: Demo, token: string, caller: number): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < ROUNDS * CALLS.length; i++) {
    const startedAt = performance.now();
    await call(demo, token, caller + i);
    times.push(performance.now() - startedAt);
  }
  return times;
}

async function call(demo: Demo, token: string, which: number): Promise<void> {
  const [name, args] = CALLS[which % CALLS.length] ?? CALLS[0];
  const response = await fetch(`${demo.line.url}/alexa/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }),
  });
  if (response.status !== 200) throw new Error(`${name} was answered with ${response.status}.`);
  await response.arrayBuffer();
}
