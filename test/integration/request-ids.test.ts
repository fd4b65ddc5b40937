import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { App } from "../../src/app.js";
import type { DemoBoard } from "../../src/demo-boards.js";
import { startTwoHalves, type TwoHalves } from "../support/two-halves.js";
import { until } from "../support/until.js";

/** A service in two halves over one Redis, as it is run: what a request brings about is known by its id everywhere. */

interface Line {
  readonly event?: string;
  readonly level: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

const adminToken = randomBytes(24).toString("base64url");
const lines: { readonly half: string; readonly line: Line }[] = [];
let halves: TwoHalves;
let web: App;
let board: DemoBoard;

beforeAll(async () => {
  halves = await startTwoHalves({
    title: "Login bug",
    branch: "feat/ENG-1-x",
    person: "ann",
    adminToken,
    vcsToken: randomBytes(12).toString("hex"),
    env: { LOG_LEVEL: "debug" },
    writeLog: (half, line) => void lines.push({ half, line: JSON.parse(line) as Line }),
  });
  ({ web, board } = halves);
});
afterAll(() => halves?.close());

const send = (method: string, path: string, bearer: string, id?: string, body?: object) =>
  halves.send(method, path, bearer, id === undefined ? {} : { "x-request-id": id }, body);
const admin = (method: string, path: string, body?: object, id?: string) =>
  send(method, `/api/v1/tenants/acme${path}`, adminToken, id, body);
const tool = async (name: string, args: object, id: string, path = "/mcp") =>
  await (
    await send("POST", path, halves.token, id, {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name, arguments: args },
    })
  ).text();

/** Somebody moves the card, at the board itself. */
async function moveOnBoard(key: string, to: string): Promise<void> {
  const url = `${board.boardUrl}/rest/api/3/issue/${key}/transitions`;
  const headers = { authorization: board.authorization, "content-type": "application/json" };
  const { transitions } = (await (await fetch(url, { headers })).json()) as {
    transitions: { id: string; to: { name: string } }[];
  };
  const transition = { id: transitions.find((each) => each.to.name === to)?.id };
  const moved = await fetch(url, { method: "POST", headers, body: JSON.stringify({ transition }) });
  expect(moved.status).toBe(204);
}

const of = (id: string, event?: string): readonly (Line & { readonly half: string })[] =>
  lines
    .filter(({ line }) => line.request_id === id && (event === undefined || line.event === event))
    .map(({ half, line }) => ({ ...line, half }));

describe("a request's id", () => {
  it("is the caller's own, or made where that is missing or could forge a line", async () => {
    expect((await send("GET", "/healthz", "", "abc-1.2:3_x")).headers.get("x-request-id")).toBe(
      "abc-1.2:3_x",
    );
    for (const wrong of [undefined, "", "a b", '"}', "x".repeat(129)]) {
      const made = (await send("GET", "/healthz", "", wrong)).headers.get("x-request-id");
      expect(made).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
    }
  });

  it("follows a tool call to its move, its jobs and each call to the board, over both halves", async () => {
    const id = "follow-me";
    expect(await tool("board_move_to_in_review", { ticket: "login bug" }, id)).toContain("confirmed");
    await until(() => of(id, "job").length >= 2 && of(id, "request").length === 1);
    expect(of(id, "request")).toMatchObject([
      { half: "web", level: "debug", method: "POST", route: "/mcp", status: 200 },
    ]);
    const [move] = of(id, "move");
    expect(move).toMatchObject({
      half: "worker",
      level: "info",
      tenant_id: "acme",
      ticket: expect.stringMatching(/^jira\./),
      outcome: "confirmed",
      duration_ms: expect.any(Number),
    });
    const jobs = of(id, "job");
    expect(jobs).toContainEqual(
      expect.objectContaining({ job: "move", outcome: "ok", move_id: move?.move_id, job_id: move?.job_id }),
    );
    expect(jobs).toContainEqual(expect.objectContaining({ job: "hook", outcome: "ok" }));
    for (const { half, level, lane, duration_ms } of jobs) {
      expect({ half, level }).toEqual({ half: "worker", level: "info" });
      expect(lane).toMatch(/^acme\/eng/);
      expect(duration_ms).toBeGreaterThan(0);
    }
    const calls = of(id, "call");
    // Jira's read, write and read again by `http`, GitHub's by `fetch`.
    expect(calls.filter(({ job_id }) => job_id === move?.job_id).length).toBeGreaterThanOrEqual(3);
    expect(calls).toContainEqual(expect.objectContaining({ method: "POST", status: 201, host: "127.0.0.1" }));
    expect(new Set(calls.map(({ move_id }) => move_id))).toContain(move?.move_id);
  });

  it("follows a delivery of the board to the look that it causes", async () => {
    await moveOnBoard("ENG-1", "In Progress");
    const deliveries = () => lines.filter(({ line }) => String(line.route).startsWith("/webhooks"));
    // Not each has a job: our own echo is no news, and a look that waits to begin answers later deliveries too.
    const followed = await until(() =>
      deliveries().find(({ line }) => of(String(line.request_id), "job").length > 0),
    );
    expect(followed.line).toMatchObject({ route: "/webhooks/:provider/:token", status: 200, level: "info" });
    expect(of(String(followed.line.request_id), "job")).toMatchObject([{ job: "observe" }]);
  });

  it("is in the line of a move that ended before any worker heard of it", async () => {
    await tool("board_move_to_in_review", { ticket: "no such words" }, "unknown-ticket");
    await until(() => of("unknown-ticket", "move").length > 0);
    expect(of("unknown-ticket", "move")).toMatchObject([
      { half: "web", level: "info", tenant_id: "acme", outcome: "refused", code: "not_found_or_hidden" },
    ]);
    expect(of("unknown-ticket", "job")).toEqual([]);
    const metrics = await (await fetch(`${web.url}/metrics`)).text();
    expect(metrics).toContain(
      'boardwalk_moves_total{provider="other",outcome="refused",reason="not_found_or_hidden"} 1',
    );
  });

  it("is in the line of a call that failed", async () => {
    await fetch(`${board.boardUrl}/__emulator/faults`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ status: 500, times: 1 }),
    });
    await tool("board_move_to_in_review", { ticket: "login bug" }, "failing");
    await until(() => of("failing", "call").some(({ status }) => status === 500));
  });
});

describe("the line of a request", () => {
  it("names its route, never what stood in its address", async () => {
    await admin("GET", "/tickets?query=secret-words", undefined, "listing");
    await send("GET", "/no/such/address", "", "nowhere");
    await send("GET", "/t/acme/mcp", "wrong", "turned-away");
    await until(() => of("listing").length + of("nowhere").length + of("turned-away").length === 3);
    expect(of("listing")).toMatchObject([
      { route: "/api/v1/tenants/:tenant/tickets", status: 200, level: "info", method: "GET" },
    ]);
    expect(of("nowhere")).toMatchObject([{ route: "other", status: 404 }]);
    expect(of("turned-away")).toMatchObject([{ route: "/t/:tenant/mcp", status: 401, level: "info" }]);
    await send("POST", "/webhooks/jira/no-such-path/?a=b", "", "stray", {});
    await admin("GET", "/tickets/no-such-ticket", undefined, "unknown");
    await until(() => of("stray").length + of("unknown").length === 2);
    expect(of("stray")).toMatchObject([{ route: "/webhooks/:provider/:token", status: 404 }]);
    expect(of("unknown")).toMatchObject([{ route: "/api/v1/tenants/:tenant/tickets/:id", status: 404 }]);
    expect(JSON.stringify(lines)).not.toMatch(/secret-words|such\/address|no-such/);
  });

  it("says that the caller left before the answer was there", async () => {
    const left = new AbortController();
    const live = fetch(`${web.url}/api/v1/tenants/acme/live`, {
      headers: { authorization: `Bearer ${adminToken}`, "x-request-id": "left" },
      signal: left.signal,
    });
    await live;
    left.abort();
    await until(() => of("left").length === 1);
    expect(of("left")).toMatchObject([{ aborted: true, route: "/api/v1/tenants/:tenant/live" }]);
  });
});

describe("a job that nobody asked for", () => {
  it("has a line too, which the usual level does not show", async () => {
    const sweep = await until(() => lines.find(({ line }) => line.job === "sweep"));
    expect(sweep.line).toMatchObject({ event: "job", outcome: "ok", lane: "house", level: "debug" });
    expect(sweep.line.request_id).toBeUndefined();
  });
});
