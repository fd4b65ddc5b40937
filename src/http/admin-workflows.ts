import type { Request, Router } from "express";
import { z } from "zod";
import { toMermaid, toScreens, toXstate } from "../bridge/index.js";
import { BoardwalkError } from "../errors.js";
import { fsmFromStatusGraph } from "../machine/index.js";
import { changesOf } from "../sync/changes.js";
import type { KeptWorkflow } from "../tickets/tickets.js";
import type { AdminDeps, TenantOf } from "./admin-deps.js";
import { parseBody } from "./problems.js";

/** A tenant's workflows, what has changed about them, and other ways to write them down. */

export const shownAs = z.object({ format: z.enum(["json", "mermaid", "xstate", "screen"]).default("json") });

export function addWorkflowRoutes(
  router: Router,
  { tickets }: Pick<AdminDeps, "tickets">,
  tenantOf: TenantOf,
): void {
  const workflowOf = async (request: Request): Promise<KeptWorkflow> => {
    const { workflows } = await tickets.workflows(await tenantOf(request));
    const found = workflows.find(({ graph }) => graph.id === request.params.id);
    if (found !== undefined) return found;
    throw new BoardwalkError(
      "not_found_or_hidden",
      "There is no such workflow. Look at the list of workflows.",
    );
  };
  router.get("/tenants/:tenant/workflows", async (request, response) => {
    const { workflows } = await tickets.workflows(await tenantOf(request));
    response.json({ workflows: workflows.map(workflowShape) });
  });
  router.get("/tenants/:tenant/workflows/:id", async (request, response) => {
    const { format } = parseBody(shownAs, request.query);
    const found = await workflowOf(request);
    if (format === "json") return void response.json(workflowShape(found));
    const machine = fsmFromStatusGraph<object>(found.graph);
    if (format === "mermaid") return void response.type("text/plain").send(toMermaid(machine));
    response.json(format === "xstate" ? toXstate(machine) : toScreens(machine));
  });
  router.get("/tenants/:tenant/workflows/:id/changes", async (request, response) => {
    const { graph } = await workflowOf(request);
    response.json({ changes: await changesOf(await tenantOf(request), graph.id) });
  });
}

export function workflowShape({ graph, connection, version }: KeptWorkflow) {
  return {
    id: graph.id,
    connection,
    name: graph.name,
    edges: graph.edges,
    version,
    statuses: [...graph.statuses]
      .sort((a, b) => a.order - b.order)
      .map(({ id, name, category, order, retired, offBoard }) => ({
        id,
        name,
        category,
        order,
        ...(retired ? { retired } : {}),
        ...(offBoard ? { offBoard } : {}),
      })),
    moves: graph.moves.map(({ id, from, to, name }) => ({
      id,
      from,
      to,
      ...(name === undefined ? {} : { name }),
    })),
  };
}
