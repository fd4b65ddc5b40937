/** Tools that are there only when their time has come. Run it: `npx tsx examples/invoice-gate.ts` */
import { pathToFileURL } from "node:url";
import { z } from "zod";
// In your project: from "boardwalk".
import { bindState, createStateGate, type FsmConfig, type McpToolResult } from "../src/index.js";

const invoice: FsmConfig = {
  id: "invoice",
  initial: "draft",
  states: {
    draft: { on: { SUBMIT: "review" } },
    review: { on: { APPROVE: "approved", REJECT: "draft" } },
    approved: { on: { DISCHARGE: "discharged" } },
    discharged: { type: "final" },
  },
};

const done = (text: string): McpToolResult => ({ content: [{ type: "text", text }] });
const inputSchema = z.object({ id: z.string().describe("The invoice's number.") });

/** Each tool is written for its one state of the world; the binding says which that is. */
const tools = [
  bindState(
    {
      name: "invoice.submit",
      description: "Submit an invoice for review.",
      inputSchema,
      handler: ({ id }) => done(`${id} submitted.`),
    },
    "draft",
    "SUBMIT",
  ),
  bindState(
    {
      name: "invoice.approve",
      description: "Approve an invoice.",
      inputSchema,
      handler: ({ id }) => done(`${id} approved.`),
    },
    "review",
    "APPROVE",
  ),
  bindState(
    {
      name: "invoice.reject",
      description: "Send an invoice back.",
      inputSchema,
      handler: ({ id }) => done(`${id} rejected.`),
    },
    "review",
    "REJECT",
  ),
  bindState(
    {
      name: "invoice.discharge",
      description: "Discharge an approved invoice.",
      inputSchema,
      handler: ({ id }) => done(`${id} discharged.`),
    },
    "approved",
    "DISCHARGE",
  ),
];

/** One workflow for each handle; `registerStateGate(server, gate)` serves it on an MCP server. */
export function createInvoiceGate() {
  return createStateGate(invoice, { tools, stateHandleKey: "workflow" });
}

export async function main(print: (line: string) => void = console.log): Promise<void> {
  const gate = createInvoiceGate();
  // A session sees the list of the workflow it works on.
  const ctx = { sessionId: "demo" };
  const workflow = await gate.createHandle(ctx);
  const call = async (name: string) => {
    const result = await gate.call(name, { id: "INV-7", workflow }, ctx);
    print(`${name}: ${result.content[0]?.text}`);
    const listed = await gate.list(ctx);
    print(`  listed: ${listed.map((tool) => tool.name).join(", ")}`);
  };

  await call("invoice_discharge");
  await call("invoice_submit");
  await call("invoice_discharge");
  await call("invoice_approve");
  await call("invoice_discharge");
  await call("invoice_discharge");
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main();
