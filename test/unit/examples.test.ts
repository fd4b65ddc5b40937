import { execFile } from "node:child_process";
import { request } from "node:http";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from "@modelcontextprotocol/client";
import { Client as V1Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as V1Transport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { main as coffee } from "../../examples/coffee-machine.js";
import { main as invoice } from "../../examples/invoice-gate.js";
import { startServer } from "../../examples/server.js";
import { main as task } from "../../examples/task-workflow.js";
import { main as release } from "../../examples/xstate-parallel.js";

const linesOf = async (main: (print: (line: string) => void) => Promise<void>) => {
  const lines: string[] = [];
  await main((line) => lines.push(line));
  return lines;
};

describe("the examples", () => {
  it("coffee-machine: a guard gives its reason, and the drink gets ready", async () => {
    expect(await linesOf(coffee)).toEqual([
      'confirm: "CONFIRM" isn\'t available from "idle". Try: ORDER.',
      "order: Got it. Ready to confirm or cancel. You can: PAY, CONFIRM, CANCEL.",
      "confirm: You can't CONFIRM right now. Please pay first. Try: PAY, CANCEL.",
      "pay: Got it. Ready to confirm or cancel. You can: PAY, CONFIRM, CANCEL.",
      "confirm: Brewing your drink now. You can: READY.",
      "ready: Your drink is ready. Enjoy!",
      '{"drink":"latte","paid":true}',
      expect.stringContaining("stateDiagram-v2"),
    ]);
  });

  it("task-workflow: entering a status waits for its work", async () => {
    const lines = await linesOf(task);
    expect(lines[0]).toBe(
      'to_review: "MOVE_TO_TO_REVIEW" isn\'t available from "todo". Try: MOVE_TO_IN_PROGRESS.',
    );
    expect(lines).toContain(
      "to_review: In review. A draft pull request is up. You can: MOVE_TO_APPROVED, MOVE_TO_TODO.",
    );
    expect(lines).toContain("pull request: https://example.com/pull/42");
    expect(lines).toContain('done: Now in "done".');
  });

  it("invoice-gate: nothing is discharged before it is approved, nor twice", async () => {
    expect(await linesOf(invoice)).toEqual([
      'invoice_discharge: FORBIDDEN: "invoice_discharge" is not available in "draft". Allowed now: invoice_submit.',
      "  listed: invoice_start, invoice_submit, invoice_approve, invoice_reject, invoice_discharge",
      "invoice_submit: INV-7 submitted.",
      "  listed: invoice_start, invoice_approve, invoice_reject",
      'invoice_discharge: FORBIDDEN: "invoice_discharge" is not available in "review". Allowed now: invoice_approve, invoice_reject.',
      "  listed: invoice_start, invoice_approve, invoice_reject",
      "invoice_approve: INV-7 approved.",
      "  listed: invoice_start, invoice_discharge",
      "invoice_discharge: INV-7 discharged.",
      "  listed: invoice_start",
      'invoice_discharge: FORBIDDEN: "invoice_discharge" is not available in "discharged". This workflow is finished.',
      "  listed: invoice_start",
    ]);
  });

  it("xstate-parallel: regions, a guard and a delay", async () => {
    expect(await linesOf(release)).toEqual([
      "approve: Waiting for approvals. Tests are running. You can: APPROVE, PASS, FAIL.",
      "approve: Approved. Tests are red. You can: PASS.",
      'fail: "FAIL" isn\'t available from "review.approved + tests.red". Try: PASS.',
      "pass: Approved. Tests are green.",
      "review.approved + tests.green",
    ]);
  });

  it.each(["coffee-machine", "task-workflow", "invoice-gate", "xstate-parallel"])(
    "%s runs from the command line",
    async (name) => {
      const file = fileURLToPath(new URL(`../../examples/${name}.ts`, import.meta.url));
      const { stdout } = await promisify(execFile)(process.execPath, ["--import", "tsx", file]);
      expect(stdout.split("\n").length).toBeGreaterThan(4);
    },
  );
});

describe("the example server (V1)", () => {
  let started: Awaited<ReturnType<typeof startServer>>;
  beforeAll(async () => {
    started = await startServer(0);
  });
  afterAll(() => {
    started.server.closeAllConnections();
    started.server.close();
  });

  it("serves official clients of both versions and both protocols, one after another and at once", async () => {
    const url = new URL(started.url);
    const clients = [
      { client: new V1Client({ name: "one", version: "1" }), transport: new V1Transport(url) },
      { client: new ModernClient({ name: "two", version: "1" }), transport: new ModernTransport(url) },
      {
        client: new ModernClient(
          { name: "three", version: "1" },
          { versionNegotiation: { mode: { pin: "2026-07-28" } } },
        ),
        transport: new ModernTransport(url),
      },
    ];
    await Promise.all(clients.map(({ client, transport }) => client.connect(transport as never)));
    const texts: unknown[] = [];
    for (const [i, name] of ["coffee_order", "coffee_pay", "coffee_confirm"].entries()) {
      const client = clients[i]?.client as V1Client;
      const { content } = await client.callTool({
        name,
        arguments: name === "coffee_order" ? { drink: "latte" } : {},
      });
      texts.push((content as { text: string }[])[0]?.text);
    }
    expect(texts[2]).toBe("Brewing your drink now. You can: READY.");
    await Promise.all(clients.map(({ client }) => client.close()));
  });

  const status = (headers: Record<string, string>, path = "/mcp") =>
    new Promise<number | undefined>((resolve, reject) => {
      const { port } = new URL(started.url);
      request({ host: "127.0.0.1", port, path, method: "POST", headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on("error", reject)
        .end("{}");
    });

  it("listens on this machine only, and refuses strange hosts and origins", async () => {
    expect(started.server.address()).toMatchObject({ address: "127.0.0.1" });
    expect(await status({ host: "evil.example" })).toBe(403);
    expect(await status({ origin: "https://evil.example" })).toBe(403);
    expect(await status({}, "/other")).toBe(404);
  });
});
