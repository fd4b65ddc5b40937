import { randomBytes } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { App } from "../../src/app.js";
import { startTwoHalves, type TwoHalves } from "../support/two-halves.js";
import { until } from "../support/until.js";

/**
 * Requests that fail in every way there is, one after another: whatever either half writes from the beginning of one to
 * its end is about it, and has to say so, or is one of the few lines that are known to be about no request.
 */

interface Line {
  readonly event?: string;
  readonly level: string;
  readonly msg: string;
  readonly request_id?: string;
  readonly [field: string]: unknown;
}

const adminToken = randomBytes(24).toString("base64url");
const lines: Line[] = [];
let halves: TwoHalves;
let web: App;
let worker: App;

beforeAll(async () => {
  halves = await startTwoHalves({
    title: "Login bug",
    branch: "feat/ENG-1-x",
    person: "ann",
    adminToken,
    vcsToken: randomBytes(12).toString("hex"),
    // Nothing is asked of a board of the service's own accord while this runs.
    env: { LOG_LEVEL: "debug", BOARDWALK_TICKET_POLL_MS: "3600000" },
    writeLog: (_half, line) => void lines.push(JSON.parse(line) as Line),
  });
  ({ web, worker } = halves);
});
afterAll(() => halves?.close());
afterEach(() => void vi.restoreAllMocks());

const broken = () => Promise.reject(new TypeError("broken by the test"));

interface Asked {
  readonly id: string;
  readonly method?: string;
  readonly path: string;
  readonly bearer: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

/** Of a job that nobody asked for. */
const isHouse = ({ event, job, request_id }: Line) =>
  request_id === undefined && event === "job" && (job === "sweep" || job === "poll");

/** All that was written about one request, which `failed` finds the trouble in. */
async function linesOf({ id, method = "POST", path, bearer, headers = {}, body }: Asked, failed: RegExp) {
  const from = lines.length;
  const response = await halves.send(method, path, bearer, { ...headers, "x-request-id": id }, body);
  await response.text();
  const written = await until(() => {
    const since = lines.slice(from).filter((line) => !isHouse(line));
    const isOver = since.some(({ event, request_id }) => event === "request" && request_id === id);
    return isOver && since.some(({ msg }) => failed.test(msg)) && since;
  });
  for (const line of written) expect(line, JSON.stringify(line)).toMatchObject({ request_id: id });
  return written;
}

const rpc = (method: string, params: object = {}) => ({ jsonrpc: "2.0", id: 1, method, params });
const tool = (name: string, args: object) => rpc("tools/call", { name, arguments: args });
const modern = (method: string, params: object, name?: string) => ({
  headers: {
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method,
    ...(name === undefined ? {} : { "mcp-name": name }),
  },
  body: rpc(method, {
    ...params,
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  }),
});

const REQUEST = /^a request failed$/;

describe("every line about a failing request has its id", () => {
  const find = { name: "find_tickets", arguments: {} };
  it.each([
    ["a tool", tool("find_tickets", {}), {}],
    ["a tool of 2026", undefined, modern("tools/call", find, "find_tickets")],
    [
      "a tool of 2026, by way of the SDK",
      undefined,
      modern("tools/call", find, "=?base64?ZmluZF90aWNrZXRz?="),
    ],
    ["a prompt", rpc("prompts/get", { name: "standup" }), {}],
    ["a list of tools", rpc("tools/list"), {}],
  ])("of %s", async (what, body, given) => {
    vi.spyOn(web.tickets, "find").mockImplementation(broken);
    vi.spyOn(web.tickets, "describeBoard").mockImplementation(broken);
    if (what === "a list of tools") {
      vi.spyOn(web.tickets, "workflows").mockImplementation(broken);
      // The catalogue that is remembered would do without.
      await web.store.publish("workflows-changed", JSON.stringify({ tenant: "acme", workflows: [] }));
    }
    const id = what.replaceAll(/\W+/g, "-");
    const asked = {
      id,
      path: "/mcp",
      bearer: halves.token,
      ...(body === undefined ? {} : { body }),
      ...given,
    };
    const written = await linesOf(asked, REQUEST);
    expect(written.find(({ msg }) => REQUEST.test(msg))).toMatchObject({
      code: "internal",
      cause: "TypeError",
    });
  });

  it("of somebody who could not be looked up", async () => {
    vi.spyOn(web.store, "findHandle").mockImplementation(broken);
    const body = rpc("ping");
    await linesOf({ id: "look-up", path: "/mcp", bearer: `bw_${"x".repeat(43)}`, body }, REQUEST);
    await linesOf({ id: "delivery", path: "/webhooks/jira/x", bearer: "", body }, REQUEST);
  });

  it("of the admin API", async () => {
    vi.spyOn(web.store, "listTenants").mockImplementation(broken);
    const asked = { path: "/api/v1/tenants", bearer: adminToken };
    await linesOf({ ...asked, id: "list", method: "GET" }, REQUEST);
    await linesOf(
      { ...asked, id: "say", path: "/api/v1/tenants/acme/say", body: { sentence: "x" } },
      REQUEST,
    );
  });

  it("of signing in", async () => {
    vi.spyOn(web.store, "tenant").mockImplementation(() => {
      throw new TypeError("broken by the test");
    });
    const pair = { id: "pair", path: "/api/v1/tenants/acme/members", bearer: adminToken };
    await linesOf({ ...pair, body: { name: "bea" } }, REQUEST);
  });

  it("of a job that fails in the worker, and of that job", async () => {
    vi.spyOn(worker.connections, "open").mockImplementation(broken);
    const path = "/api/v1/tenants/acme/connections/eng/sync?wait=true";
    const asked = { id: "sync", path, bearer: adminToken, body: {} };
    const written = await linesOf(asked, /^trouble in the job queue$/);
    expect(written.map(({ event }) => event)).toEqual(expect.arrayContaining(["request", "job"]));
    const trouble = written.filter(({ msg }) => msg === "trouble in the job queue");
    for (const line of trouble) expect(line).toMatchObject({ tenant_id: "acme", job_id: expect.any(String) });
  });

  it("of a move that is tried again and again", async () => {
    vi.spyOn(worker.connections, "open").mockImplementation(broken);
    const body = tool("board_move_to_in_review", { ticket: "login bug" });
    const asked = { id: "moving", path: "/mcp", bearer: halves.token, body };
    const written = await linesOf(asked, /^job put off$/);
    expect(written).toContainEqual(expect.objectContaining({ job: "move", move_id: expect.any(String) }));
  });
});
