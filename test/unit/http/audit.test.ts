import { once } from "node:events";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import express from "express";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { BoardwalkError } from "../../../src/errors.js";
import { addAuditRoutes, csvCell } from "../../../src/http/admin-audit.js";
import { problemHandler } from "../../../src/http/problems.js";
import { createMemoryStore } from "../../../src/store/memory.js";
import type { AuditEvent, TenantStore } from "../../../src/store/store.js";
import { createViews } from "../../../src/tickets/view.js";
import { createWorkflows } from "../../../src/tickets/workflows.js";
import { until } from "../../support/until.js";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(tenant: TenantStore): Promise<string> {
  const app = express();
  addAuditRoutes(app, { views: createViews(createWorkflows()) }, async () => tenant);
  app.use(problemHandler(() => {}));
  const server = createServer(app).listen(0, "127.0.0.1");
  servers.push(server);
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/tenants/acme/audit`;
}

/** Newest first: `n` to 1. */
async function audited(n: number, more: Partial<AuditEvent> = {}): Promise<TenantStore> {
  const tenant = createMemoryStore().tenant("acme");
  for (let i = 1; i <= n; i++) await tenant.audit({ at: "2026-11-30", action: `did ${i}`, ...more });
  return tenant;
}

/** The same store, each of whose pages is told of first. */
function watched(tenant: TenantStore, onPage: (page: number) => void): TenantStore {
  let pages = 0;
  return Object.create(tenant, {
    auditPage: {
      value: async (page: { limit: number }) => {
        onPage(++pages);
        return await tenant.auditPage(page);
      },
    },
  }) as TenantStore;
}

/** RFC 4180, read the way a spreadsheet does. */
function cellsOf(csv: string): string[][] {
  const rows: string[][] = [[]];
  for (const [, quoted, plain, end] of csv.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/g)) {
    if (end === "" && quoted === undefined && plain === "") break;
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain ?? "");
    if (end === "\r\n") rows.push([]);
  }
  return rows.filter((row) => row.length > 0);
}

describe("the export of an audit log", () => {
  it("has every event once, newest first, as JSON lines", async () => {
    const url = await serve(await audited(1_234, { by: { person: "Ann", tool: "move_ticket" } }));
    const response = await fetch(`${url}.ndjson`);
    expect(response.headers.get("content-type")).toContain("application/x-ndjson");
    expect(response.headers.get("content-disposition")).toBe("attachment; filename=audit-acme.ndjson");
    const events = (await response.text())
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as AuditEvent);
    expect(events.map(({ action }) => action)).toEqual(
      Array.from({ length: 1_234 }, (_, i) => `did ${1_234 - i}`),
    );
    expect(events[0]).toEqual({
      at: "2026-11-30",
      action: "did 1234",
      by: { person: "Ann", tool: "move_ticket" },
    });
  });

  it("has the same as CSV, under its headings", async () => {
    const by = { person: 'Ann "the" B, C', client: "line\nbreak" };
    const url = await serve(await audited(501, { by, detail: { moveId: "m" }, from: "1", to: "2" }));
    const response = await fetch(`${url}.csv`);
    expect(response.headers.get("content-type")).toContain("text/csv");
    const [heading, ...rows] = cellsOf(await response.text());
    expect(heading).toEqual("at,action,person,client,tool,ticket,from,to,outcome,detail".split(","));
    expect(rows).toHaveLength(501);
    expect(rows[500]).toEqual([
      ...["2026-11-30", "did 1", by.person, by.client, "", "", "1", "2", ""],
      '{"moveId":"m"}',
    ]);
  });

  it("is empty where nothing was done", async () => {
    const url = await serve(await audited(0));
    expect(await (await fetch(`${url}.ndjson`)).text()).toBe("");
    expect(await (await fetch(`${url}.csv`)).text()).toMatch(/^at,action,[^\n]*\r\n$/);
  });

  it("is read no faster than it is taken, so that its length needs no memory", async () => {
    let read = 0;
    const tenant = watched(await audited(50_000, { detail: { long: "x".repeat(1_000) } }), (page) => {
      read = page;
    });
    const url = await serve(tenant);
    const response = await new Promise<import("node:http").IncomingMessage>((resolve) => {
      request(`${url}.ndjson`, resolve).end();
    });
    // Nothing is taken: what is read meanwhile is what the sockets' own buffers hold.
    await until(async () => {
      const before = read;
      await new Promise((resolve) => setTimeout(resolve, 200));
      return before === read && read > 1;
    });
    expect(read).toBeLessThan(50);
    let lines = 0;
    for await (const chunk of response) lines += String(chunk).split("\n").length - 1;
    expect(lines).toBe(50_000);
    expect(read).toBe(100);
  });

  it("breaks off where the log cannot be read on: half of it must not pass for all", async () => {
    const tenant = watched(await audited(2_000), (page) => {
      if (page === 3) throw new BoardwalkError("unavailable", "The store is away.");
    });
    const response = await fetch(`${await serve(tenant)}.ndjson`);
    await expect(response.text()).rejects.toThrow();
  });

  it("is a problem where the log cannot be read at all", async () => {
    const tenant = watched(await audited(1), () => {
      throw new BoardwalkError("unavailable", "The store is away.");
    });
    const response = await fetch(`${await serve(tenant)}.csv`);
    expect(response.status).toBe(502);
    expect(response.headers.get("content-type")).toContain("application/problem+json");
    expect(response.headers.get("content-disposition")).toBeNull();
  });
});

describe("a cell of the CSV", () => {
  it.each(["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", " =1", "\n@x", "＝1", '=HYPERLINK("http://x")'])(
    "is never a formula: %j",
    (text) => {
      expect(cellsOf(csvCell(text))).toEqual([[`'${text}`]]);
    },
  );

  it("reads back as it was, whatever it holds", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const [cell] = cellsOf(`${csvCell(text)}\r\n`)[0] ?? [];
        return cell === text || cell === `'${text}`;
      }),
    );
  });
});
