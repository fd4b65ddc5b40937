/**
 * What agents ask of the service as a whole, token and all: a read tool and `tools/list` against the SDK's own bare
 * handler, the longest list against `node:http` sending the same bytes too, and what a session that idles costs.
 * Servers and client are processes of their own, pinned to a core each where `taskset` exists, and take turns.
 */
import { fileURLToPath } from "node:url";
import { type Row, round3 } from "./harness.js";
import { BenchProcess } from "./process.js";

interface Measured {
  readonly perSecond: number;
  readonly p50Ms: number;
}

interface Served {
  readonly port: number;
  readonly token: string;
}

interface Request {
  readonly headers: readonly string[];
  readonly body: string;
  readonly expect: string;
}

type Kind = "service" | "bare" | "raw";

const TURNS = 9;
const SLICE_MS = 500;
/** Before anything is measured, each server has answered so often: it has been compiled by then, on a busy machine too. */
const WARM_CALLS = 4_000;
const MOST_WARM_SLICES = 40;
const SESSIONS = 1_000;
const ALLOWED_PER_SESSION_KB = 12;

/** The same request in the two protocol eras. */
function requestOf(era: "2025" | "2026", method: string, params: object, expect: string): Request {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1" },
  };
  const name = "name" in params ? [`mcp-name: ${String(params.name)}`] : [];
  return {
    headers:
      era === "2025"
        ? ["mcp-protocol-version: 2025-11-25"]
        : ["mcp-protocol-version: 2026-07-28", `mcp-method: ${method}`, ...name],
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method,
      params: era === "2025" ? params : { ...params, _meta: meta },
    }),
    expect,
  };
}

/** The servers in turns; the median of each. */
async function compare<K extends Kind>(
  kinds: readonly K[],
  tools: number,
  connections: number,
  request: Request,
): Promise<Readonly<Record<K, Measured>>> {
  const client = new BenchProcess("mcp-load.ts", [], 1);
  const servers = new Map<K, { readonly process: BenchProcess; readonly at: Served }>();
  const measure = async (kind: K): Promise<Measured> => {
    const { port = 0, token = "" } = servers.get(kind)?.at ?? {};
    const headers = [`authorization: Bearer ${token}`, ...request.headers];
    return JSON.parse(await client.ask({ ...request, port, headers, connections, ms: SLICE_MS })) as Measured;
  };
  try {
    for (const kind of kinds) {
      const model = kind === "raw" ? JSON.stringify({ ...request, ...[...servers.values()][0]?.at }) : "";
      const process = new BenchProcess("mcp-server.ts", [kind, String(tools), model], 0);
      servers.set(kind, { process, at: JSON.parse(await process.line()) as Served });
    }
    for (const kind of kinds) await warmUp(() => measure(kind));
    const measured = new Map(kinds.map((kind) => [kind, [] as Measured[]]));
    for (let turn = 0; turn < TURNS; turn++) {
      for (let i = 0; i < kinds.length; i++) {
        const kind = kinds[(turn + i) % kinds.length] as K;
        measured.get(kind)?.push(await measure(kind));
      }
    }
    return Object.fromEntries([...measured].map(([kind, all]) => [kind, median(all)])) as Record<K, Measured>;
  } finally {
    for (const one of [client, ...[...servers.values()].map(({ process }) => process)]) one.stop();
  }
}

async function warmUp(measure: () => Promise<Measured>): Promise<void> {
  let calls = 0;
  for (let slice = 0; calls < WARM_CALLS && slice < MOST_WARM_SLICES; slice++)
    calls += (await measure()).perSecond * (SLICE_MS / 1_000);
}

/** Kilobytes of heap that each of {@link SESSIONS} sessions costs the process that serves them, once it has been tidied. */
async function sessionCost(): Promise<number> {
  const server = new BenchProcess("mcp-server.ts", ["service", "1"], 0);
  try {
    const { port, token } = JSON.parse(await server.line()) as Served;
    const heap = async () => Number(await server.ask({ ask: "heap" }));
    // What grows once, whoever comes, has grown then.
    await beginSessions(port, token, SESSIONS / 4);
    const before = await heap();
    await beginSessions(port, token, SESSIONS);
    return ((await heap()) - before) / SESSIONS / 1024;
  } finally {
    server.stop();
  }
}

async function beginSessions(port: number, token: string, count: number): Promise<void> {
  const params = {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "bench", version: "1" },
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  for (let begun = 0; begun < count; begun++) {
    const response = await fetch(`http://127.0.0.1:${port}/mcp`, { method: "POST", headers, body });
    await response.arrayBuffer();
    if (!response.headers.has("mcp-session-id")) throw new Error(`No session: ${response.status}.`);
  }
}

function median(all: readonly Measured[]): Measured {
  const middle = (pick: (one: Measured) => number) =>
    all.map(pick).sort((a, b) => a - b)[all.length >> 1] ?? Number.NaN;
  return { perSecond: middle((one) => one.perSecond), p50Ms: middle((one) => one.p50Ms) };
}

function row(name: string, unit: string, target: number, ours: number, theirs: number): Row {
  return { name, ours: round3(ours), theirs: round3(theirs), ratio: round3(ours / theirs), target, unit };
}

/** What a claim without a target holds to. */
const REPORTED = 0;

export async function run(): Promise<Row[]> {
  const rows: Row[] = [];
  const call = { name: "read_ticket", arguments: { ticket: "WEB-10" } };
  for (const era of ["2025", "2026"] as const) {
    const request = requestOf(era, "tools/call", call, "is in Status number 0.");
    for (const connections of [1, 8, 64]) {
      const { service, bare } = await compare(["service", "bare"], 1, connections, request);
      const name = `read tool over MCP ${era}, ${connections} connections`;
      const target = connections === 1 ? REPORTED : 2.6;
      rows.push(row(name, "calls/s", target, service.perSecond, bare.perSecond));
    }
  }
  const list = requestOf("2026", "tools/list", {}, "read_ticket");
  for (const tools of [5, 50, 200]) {
    const { service, bare, raw } = await compare(["service", "bare", "raw"], tools, 1, list);
    const name = `tools/list of ${tools}`;
    rows.push(row(name, "lists/s", tools === 200 ? 4 : REPORTED, 1000 / service.p50Ms, 1000 / bare.p50Ms));
    if (tools < 200) continue;
    const same = `${name}, node:http sending the same bytes (ours may take 2.5x)`;
    rows.push(row(same, "lists/s", 0.4, 1000 / service.p50Ms, 1000 / raw.p50Ms));
  }
  const cost = await sessionCost();
  const name = `memory of an idle session of 2025, of ${SESSIONS} (what it may cost beside)`;
  rows.push(row(name, "KB", 1, cost, ALLOWED_PER_SESSION_KB));
  return rows.map((each) =>
    each.unit === "KB" ? { ...each, ratio: round3(each.theirs / each.ours) } : each,
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.table(await run());
