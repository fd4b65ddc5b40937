import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Response, Router } from "express";
import { z } from "zod";
import type { ActorRecord, AuditEvent, Page, TenantStore } from "../store/store.js";
import type { TenantView } from "../tickets/view.js";
import type { Workflow } from "../tickets/workflow.js";
import { type AdminDeps, pageQuery, type TenantOf } from "./admin-deps.js";
import { parseBody } from "./problems.js";

/** A tenant's audit log: by pages, and whole, as files that other tools read. */

/** Read, written and forgotten before the next: a log of any length takes no more memory than this. */
const EXPORTED_AT_ONCE = 500;

export function addAuditRoutes(
  router: Router,
  { views }: Pick<AdminDeps, "views">,
  tenantOf: TenantOf,
): void {
  router.get("/tenants/:tenant/audit", async (request, response) => {
    const { limit, cursor } = parseBody(pageQuery, request.query);
    const tenant = await tenantOf(request);
    const { items, next } = await tenant.auditPage({ limit, ...(cursor === undefined ? {} : { cursor }) });
    const view = await views.fresh(tenant);
    response.json({
      events: items.map((event) => withNames(event, view)),
      ...(next === undefined ? {} : { next }),
    });
  });
  router.get("/tenants/:tenant/audit.ndjson", async (request, response) => {
    await sendLog(await tenantOf(request), NDJSON, response);
  });
  router.get("/tenants/:tenant/audit.csv", async (request, response) => {
    await sendLog(await tenantOf(request), CSV, response);
  });
}

/** What the ids of an entry are called now: the log keeps ids, and people read names. */
export const auditNames = z.object({
  ticket: z.object({ key: z.string().optional(), title: z.string() }).optional(),
  workflow: z.string().optional(),
  from: z.string().optional(),
  to: z.string().optional(),
});

function withNames(event: AuditEvent, view: TenantView): AuditEvent & { named?: z.infer<typeof auditNames> } {
  const record = event.ticket === undefined ? undefined : view.actors.get(event.ticket);
  const about = event.detail?.workflow;
  const workflow =
    record === undefined
      ? view.workflows.get(typeof about === "string" ? about : "")
      : view.workflowOf(record);
  if (record === undefined && workflow === undefined) return event;
  const named = {
    ...(record === undefined ? {} : { ticket: titleOf(record.ticket) }),
    ...(workflow === undefined ? {} : { workflow: workflow.graph.name }),
    ...nameOf("from", workflow, event.from),
    ...nameOf("to", workflow, event.to),
  };
  return { ...event, named };
}

function titleOf({ key, title }: ActorRecord["ticket"]) {
  return { ...(key === undefined ? {} : { key }), title };
}

function nameOf(end: "from" | "to", workflow: Workflow | undefined, id: string | undefined) {
  const name = id === undefined ? undefined : workflow?.status(id)?.name;
  return name === undefined ? {} : { [end]: name };
}

interface Format {
  readonly ending: string;
  readonly type: string;
  readonly heading?: string;
  line(event: AuditEvent): string;
}

/** Newest first. A log that cannot be read to its end breaks the connection off: half of one must not pass for all. */
async function sendLog(tenant: TenantStore, format: Format, response: Response): Promise<void> {
  // Before anything is sent, so that a store that is away is still answered as a problem.
  const first = await tenant.auditPage({ limit: EXPORTED_AT_ONCE });
  response.attachment(`audit-${tenant.id}.${format.ending}`).type(format.type);
  response.setHeader("cache-control", "no-store");
  try {
    await pipeline(Readable.from(chunks(tenant, first, format)), response);
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

async function* chunks(
  tenant: TenantStore,
  first: Page<AuditEvent>,
  { heading, line }: Format,
): AsyncGenerator<string> {
  if (heading !== undefined) yield heading;
  let page = first;
  while (true) {
    if (page.items.length > 0) yield page.items.map(line).join("");
    if (page.next === undefined) return;
    page = await tenant.auditPage({ limit: EXPORTED_AT_ONCE, cursor: page.next });
  }
}

/** The caller has hung up, which is nobody's fault. */
function isGone(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_STREAM_PREMATURE_CLOSE";
}

const NDJSON: Format = {
  ending: "ndjson",
  type: "application/x-ndjson",
  line: (event) => `${JSON.stringify(event)}\n`,
};

const COLUMNS = [
  ...["at", "action", "person", "client", "tool"],
  ...["ticket", "from", "to", "outcome", "detail"],
] as const;

const CSV: Format = {
  ending: "csv",
  type: "text/csv; charset=utf-8; header=present",
  heading: `${COLUMNS.join(",")}\r\n`,
  line: csvLine,
};

function csvLine({ at, action, by, ticket, from, to, outcome, detail }: AuditEvent): string {
  const told = detail === undefined ? undefined : JSON.stringify(detail);
  const cells = [at, action, by?.person, by?.client, by?.tool, ticket, from, to, outcome, told];
  return `${cells.map(csvCell).join(",")}\r\n`;
}

/** Spreadsheets take these for the beginning of a formula, after blanks too, and would run it. */
const FORMULA = /^[\s\0]*[=+\-@＝＋－＠]/u;

/** Quoted, and never a formula: names come from clients. */
export function csvCell(text = ""): string {
  const plain = FORMULA.test(text) ? `'${text}` : text;
  return `"${plain.replaceAll('"', '""')}"`;
}
