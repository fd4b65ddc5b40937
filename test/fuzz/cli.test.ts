import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, vi } from "vitest";
import { createProgram } from "../../src/cli/program.js";
import { type Fuzzed, fuzz, fuzzed } from "../support/fuzz.js";
import { jsonOf, jsonText, like } from "../support/hostile.js";

/** What a service of another release, or a proxy in its place, may answer to the command line. */

const CHANGE = { at: "2026-11-30T00:00:00Z", kind: "renamed", status: "1", before: "a", after: "b" };
const WORKFLOW = {
  ...{ id: "w", connection: "eng", name: "Web", edges: "implied", version: 1, changes: [CHANGE] },
  statuses: [{ id: "1", name: "To Do", category: "todo", retired: true, aliases: ["x"] }],
  moves: [{ id: "m", from: "*", to: "1", name: "x" }],
};
const CONNECTION = {
  ...{
    id: "eng",
    provider: "jira",
    health: { state: "ok", problems: [{ code: "c", message: "m", fix: "f" }] },
  },
  imported: { workflows: 1, tickets: 1, at: "2026-11-30T00:00:00Z" },
};
const TOOL = { name: "n", title: "t", description: "d", phrases: ["p"], readOnly: true, arguments: [] };
/** Something of all that is ever answered: each command reads its own. */
const ANSWER = {
  ...CONNECTION,
  tenants: [{ id: "acme", name: "Acme", createdAt: "2026-11-30T00:00:00Z" }],
  ...{ name: "ann", code: "ABCD-EFGH", expiresAt: "2026-11-30T00:00:00Z", token: "t", detail: "d" },
  members: [{ name: "ann", createdAt: "2026-11-30T00:00:00Z" }],
  ...{ workflows: [WORKFLOW], changes: [CHANGE], connections: [CONNECTION], hooks: 1, moves: 1 },
  ...{ mcp: { tools: "compact" }, speech: { locale: "en" }, budgets: { sessions: 1 }, problems: [] },
  tickets: { counted: 1, more: true },
  tools: [TOOL],
  surfaces: [
    { surface: "generated", gating: "explain", protocolVersions: ["2026-07-28"], tools: [TOOL], url: "x" },
  ],
};

let answer = { status: 200, body: "" };
const server = createServer((request, response) => {
  request.resume().on("end", () => {
    response.writeHead(answer.status, { "content-type": "application/json" }).end(answer.body);
  });
});
server.keepAliveTimeout = 0;
server.listen(0, "127.0.0.1");
await once(server, "listening");
vi.stubEnv("BOARDWALK_URL", `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
vi.stubEnv("BOARDWALK_ADMIN_TOKEN", "a-token-of-the-admin-that-is-long-enough");
let said = "";
vi.spyOn(process.stdout, "write").mockImplementation((text) => {
  said += text;
  return true;
});
afterAll(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const answers = fc.record({
  status: fc.oneof(
    { weight: 6, arbitrary: fc.constant(200) },
    fc.constantFrom(201, 204, 400, 404, 429, 500, 503),
  ),
  body: jsonText(fc.oneof({ weight: 3, arbitrary: like(ANSWER) }, jsonOf(Object.keys(ANSWER)))),
});

function answered(...words: readonly string[]): Fuzzed {
  return fuzzed(answers, async (given) => {
    answer = given;
    said = "";
    await createProgram().parseAsync(["node", "boardwalk", ...words]);
    return said;
  });
}

const folder = mkdtempSync(join(tmpdir(), "boardwalk-fuzz-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const FILE = join(folder, "board.json");
writeFileSync(FILE, JSON.stringify({ id: "eng", provider: "jira", settings: {}, credentials: {} }));
const COMMANDS = [
  ["tenant", "list"],
  ["tenant", "token", "acme", "--name", "ann"],
  ["tenant", "settings", "acme"],
  ["member", "list", "--tenant", "acme"],
  ["member", "add", "--tenant", "acme", "--name", "ann"],
  ["workflow", "show", "acme"],
  ["workflow", "explain", "acme", "w"],
  ["workflow", "diff", "acme", "w"],
  ["connections", "acme"],
  ["connect", "acme", "--file", FILE, "--dry-run"],
  ["connect", "acme", "--file", FILE],
  ["tools", "list", "acme"],
  ["tools", "diff", "acme"],
  ["replay", "acme"],
];

fuzz(
  "answers to the command line",
  Object.fromEntries(COMMANDS.map((words) => [words.join(" "), answered(...words)])),
);
