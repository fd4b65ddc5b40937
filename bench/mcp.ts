/**
 * (b) a read tool of the whole service, authenticated and answered from Redis, against the SDK's bare handler, and (d) `tools/list` of 5, 50 and 200 tools (at 200 in a
 * quarter of its time).
 * Server and client are processes of their own, pinned to a core each where `taskset` exists, and take turns.
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

const REPETITIONS = 5;
const SLICE_MS = 800;

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

/** Ours and theirs in turns; the median of each. */
async function compare(
  tools: number,
  connections: number,
  request: Request,
): Promise<{ readonly ours: Measured; readonly theirs: Measured }> {
  const client = new BenchProcess("mcp-load.ts", [], 1);
  const servers = {
    ours: new BenchProcess("mcp-server.ts", ["service", String(tools)], 0),
    theirs: new BenchProcess("mcp-server.ts", ["bare", String(tools)], 0),
  };
  try {
    const served = {
      ours: JSON.parse(await servers.ours.line()) as Served,
      theirs: JSON.parse(await servers.theirs.line()) as Served,
    };
    const measure = async (who: "ours" | "theirs"): Promise<Measured> => {
      const { port, token } = served[who];
      const headers = [`authorization: Bearer ${token}`, ...request.headers];
      return JSON.parse(
        await client.ask({ ...request, port, headers, connections, ms: SLICE_MS }),
      ) as Measured;
    };
    const measured = { ours: [] as Measured[], theirs: [] as Measured[] };
    // The first turn of each only warms up.
    for (let turn = 0; turn <= REPETITIONS; turn++) {
      for (const who of turn % 2 === 0 ? (["ours", "theirs"] as const) : (["theirs", "ours"] as const)) {
        const figures = await measure(who);
        if (turn > 0) measured[who].push(figures);
      }
    }
    return { ours: median(measured.ours), theirs: median(measured.theirs) };
  } finally {
    for (const one of [client, servers.ours, servers.theirs]) one.stop();
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
      const { ours, theirs } = await compare(1, connections, request);
      const name = `read tool over MCP ${era}, ${connections} connections`;
      rows.push(row(name, "calls/s", connections === 1 ? REPORTED : 1, ours.perSecond, theirs.perSecond));
    }
  }
  for (const tools of [5, 50, 200]) {
    const { ours, theirs } = await compare(tools, 1, requestOf("2026", "tools/list", {}, "read_ticket"));
    const target = tools === 200 ? 4 : REPORTED;
    rows.push(row(`tools/list of ${tools}`, "lists/s", target, 1000 / ours.p50Ms, 1000 / theirs.p50Ms));
  }
  return rows;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.table(await run());
