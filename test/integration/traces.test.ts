import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { createServer } from "node:net";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApp } from "../../src/app.js";
import { parseConfig } from "../../src/config.js";
import type { DemoBoard } from "../../src/demo-boards.js";
import { type Collector, type Exported, startCollector } from "../support/collector.js";
import { startTwoHalves, type TwoHalves } from "../support/two-halves.js";
import { until } from "../support/until.js";

/** Two halves of a service over one Redis, and a collector that hears of both. */

const hex = (bytes: number) => randomBytes(bytes).toString("hex");
const canary = (what: string) => `canary${what}${hex(9)}`;
const WORDS = {
  title: canary("title"),
  comment: canary("comment"),
  query: canary("query"),
  person: canary("person"),
};
const adminToken = canary("admin");
const vcsToken = canary("vcs");
let collector: Collector;
let halves: TwoHalves;
let board: DemoBoard;
let token: string;

beforeAll(async () => {
  collector = await startCollector();
  halves = await startTwoHalves({
    title: `${WORDS.title} bug`,
    branch: `ENG-1-${WORDS.title}`,
    person: WORDS.person,
    adminToken,
    vcsToken,
    env: {
      LOG_LEVEL: "silent",
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_SERVICE_NAME: "boardwalk-under-test",
    },
  });
  ({ board, token } = halves);
});
afterAll(async () => {
  await halves?.close();
  await collector?.close();
});

async function send(method: string, path: string, bearer: string, body?: object, traceparent?: string) {
  const headers = traceparent === undefined ? {} : { traceparent };
  return await (await halves.send(method, path, bearer, headers, body)).text();
}
const admin = (method: string, path: string, body?: object) =>
  send(method, `/api/v1/tenants/acme${path}`, adminToken, body);
const tool = (name: string, args: object, how: { traceparent?: string; meta?: object } = {}) => {
  const meta = how.meta === undefined ? {} : { _meta: how.meta };
  const params = { name, arguments: args, ...meta };
  return send(
    "POST",
    "/mcp",
    token,
    { jsonrpc: "2.0", id: 1, method: "tools/call", params },
    how.traceparent,
  );
};

/** One client's span: all that is asked with it belongs to its trace. */
function client(flags = "01") {
  const [trace, span] = [hex(16), hex(8)];
  return { trace, span, traceparent: `00-${trace}-${span}-${flags}` };
}

/** Once what `enough` looks for has come; spans are sent in batches, some seconds after they ended. */
async function spansOf(trace: string, enough: (spans: readonly Exported[]) => boolean) {
  return await until(
    () => {
      const spans = collector.spans().filter(({ traceId }) => traceId === trace);
      return enough(spans) && spans;
    },
    { timeoutMs: 30_000 },
  );
}

const named = (spans: readonly Exported[], name: string) => spans.filter((span) => span.name === name);
const below = (spans: readonly Exported[], parent: Exported | undefined, name: string) =>
  named(spans, name).filter((span) => span.parent === parent?.spanId);

describe("a move that a client traces", () => {
  const { trace, span, traceparent } = client();
  let spans: readonly Exported[];
  beforeAll(async () => {
    const args = { ticket: `${WORDS.title} bug`, comment: WORDS.comment };
    expect(await tool("board_move_to_in_review", args, { traceparent })).toContain('"state":"done"');
    spans = await spansOf(
      trace,
      (all) => named(all, "process hook").length > 0 && named(all, "POST /mcp").length > 0,
    );
  });

  it("is one trace: request, tool call, move, job, each call to the board, and the pull request's", () => {
    const [request] = named(spans, "POST /mcp");
    expect(request).toMatchObject({ kind: "server", parent: span, resource: { "boardwalk.role": "web" } });
    const [call] = below(spans, request, "tools/call board_move_to_in_review");
    const [move] = below(spans, call, "move");
    expect(move?.attributes).toMatchObject({
      "boardwalk.move.outcome": "confirmed",
      "boardwalk.ticket.id": expect.stringMatching(/^jira\./),
    });
    const [sent] = below(spans, move, "send move");
    const [job] = below(spans, sent, "process move");
    expect(sent?.kind).toBe("producer");
    expect(job).toMatchObject({ kind: "consumer", resource: { "boardwalk.role": "worker" } });
    const toBoard = spans.filter(({ kind, parent }) => kind === "client" && parent === job?.spanId);
    const { port } = new URL(board.boardUrl);
    // Read, write, read again.
    expect(toBoard.map(({ name }) => name)).toEqual(expect.arrayContaining(["GET", "POST", "GET"]));
    for (const { attributes } of toBoard)
      expect(attributes).toMatchObject({ "server.address": "127.0.0.1", "server.port": Number(port) });
    const hook = named(spans, "process hook").find(({ parent }) =>
      [...below(spans, job, "send hook"), ...below(spans, move, "send hook")].some(
        ({ spanId }) => spanId === parent,
      ),
    );
    const toRepository = spans.filter(({ kind, parent }) => kind === "client" && parent === hook?.spanId);
    expect(toRepository.map(({ attributes }) => attributes["http.response.status_code"])).toContain(201);
  });

  it("hangs together: every span is a part of another, up to the client's", () => {
    const known = new Set([span, ...spans.map(({ spanId }) => spanId)]);
    expect(spans.length).toBeGreaterThan(9);
    for (const { name, parent } of spans) expect(known, name).toContain(parent);
    for (const { resource } of spans) expect(resource["service.name"]).toBe("boardwalk-under-test");
  });

  it("says how each call to the board ended", async () => {
    const failing = client();
    await fetch(`${board.boardUrl}/__emulator/faults`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ status: 500, times: 1, body: WORDS.comment }),
    });
    await tool("board_move_to_in_progress", { ticket: "ENG-1" }, failing);
    const all = await spansOf(failing.trace, (found) =>
      found.some(({ kind, error }) => kind === "client" && !!error),
    );
    expect(all.find(({ kind, error }) => kind === "client" && error !== undefined)).toMatchObject({
      error: "500",
      attributes: { "error.type": "500", "http.response.status_code": 500 },
    });
  });
});

describe("a trace", () => {
  it("is the one that a client names in `_meta`, where its HTTP names none", async () => {
    const { trace, span, traceparent } = client();
    await tool("list_moves", { ticket: "ENG-1" }, { meta: { traceparent } });
    const [call, ...others] = await spansOf(trace, (all) => all.length > 0);
    expect(call).toMatchObject({ name: "tools/call list_moves", parent: span });
    expect(others).toEqual([]);
  });

  it("begins here for whoever names none, or none that can be read", async () => {
    await tool("find_tickets", { query: WORDS.query }, { traceparent: "00-zz-zz-01" });
    const [found] = await until(
      () => {
        const spans = named(collector.spans(), "tools/call find_tickets");
        return spans.length > 0 && spans;
      },
      { timeoutMs: 30_000 },
    );
    const all = await spansOf(found?.traceId ?? "", (spans) => spans.length > 1);
    expect(named(all, "POST /mcp")).toMatchObject([{ parent: undefined }]);
  });

  it("is not kept where its client does not want it kept", async () => {
    const unwanted = client("00");
    const wanted = client();
    await tool("list_moves", { ticket: "ENG-1" }, unwanted);
    await tool("list_moves", { ticket: "ENG-1" }, wanted);
    await spansOf(wanted.trace, (all) => all.length > 1);
    expect(collector.spans().filter(({ traceId }) => traceId === unwanted.trace)).toEqual([]);
  });

  it("is not begun by what Boardwalk does of its own accord, nor by sending traces", () => {
    const roots = collector.spans().filter(({ parent }) => parent === undefined);
    expect(roots.filter(({ kind }) => kind !== "server")).toEqual([]);
    const { port } = new URL(collector.url);
    expect(collector.spans().filter(({ attributes }) => attributes["server.port"] === Number(port))).toEqual(
      [],
    );
  });

  it("holds no word of a ticket or of a person, and no secret", async () => {
    await admin("GET", `/tickets?query=${WORDS.query}`);
    await send("POST", `/webhooks/jira/${canary("path")}`, "");
    // Sent after these were, so that they are among what is searched.
    const last = client();
    await tool("list_moves", { ticket: "ENG-1" }, last);
    await spansOf(last.trace, (all) => all.length > 1);
    const statuses = named(collector.spans(), "POST /webhooks/:provider/:token").map(
      ({ attributes }) => attributes["http.response.status_code"],
    );
    expect(statuses).toContain(404);
    expect(named(collector.spans(), "GET /api/v1/tenants/:tenant/tickets")).toHaveLength(1);
    const bytes = collector.bytes();
    for (const word of Object.values(WORDS)) expect(bytes).not.toContain(word);
    const secrets = [token, adminToken, vcsToken, ...Object.values(board.credentials).map(String)];
    for (const secret of secrets) expect(bytes).not.toContain(secret);
    expect(bytes).not.toContain("canary");
  });
});

describe("a collector", () => {
  it("that is gone holds up neither the work nor the end of the process", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await until(() => taken.listening);
    const { port } = taken.address() as { port: number };
    await new Promise((resolve) => taken.close(resolve));
    const app = await createApp(
      parseConfig({
        PORT: "0",
        LOG_LEVEL: "silent",
        BOARDWALK_ADMIN_TOKEN: adminToken,
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      }),
      { inMemory: true },
    );
    expect((await fetch(`${app.url}/healthz`)).status).toBe(200);
    await app.close();
  }, 40_000);

  it("that is not set costs nothing: nothing of it is loaded", async () => {
    const script = `
      import { createRequire } from "node:module";
      const { createApp } = await import("./src/app.ts");
      const { parseConfig } = await import("./src/config.ts");
      const config = parseConfig({ PORT: "0", LOG_LEVEL: "silent", BOARDWALK_ADMIN_TOKEN: "${adminToken}", ...JSON.parse(process.argv.at(-1)) });
      const app = await createApp(config, { inMemory: true });
      const loaded = Object.keys(createRequire(import.meta.url).cache).filter((path) => /@opentelemetry.(sdk|exporter|otlp)/.test(path));
      console.log(JSON.stringify(loaded.length));
      await app.close();`;
    const loadedWith = async (env: object) => {
      const args = ["--import", "tsx", "--input-type=module", "-e", script, "--", JSON.stringify(env)];
      const { stdout } = await promisify(execFile)(process.execPath, args);
      return Number(stdout);
    };
    expect(await loadedWith({})).toBe(0);
    // So that it is known to see them where they are.
    expect(await loadedWith({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })).toBeGreaterThan(0);
  }, 60_000);
});
