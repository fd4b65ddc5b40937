import { z } from "zod";
import type { TenantStore } from "../store/store.js";
import type { KeptWorkflow } from "../tickets/tickets.js";

const text = z.string();

export const shownTool = z.object({
  name: text,
  title: text,
  description: text,
  readOnly: z.boolean(),
  destructive: z.boolean(),
  arguments: z.array(z.object({ name: text, required: z.boolean() })).readonly(),
  phrases: z.array(text).readonly(),
  workflow: text.describe("The workflow in which it moves; left out where it is for all.").optional(),
});

export const shownSurface = z.object({
  id: z.enum(["2025", "2026", "alexa"]),
  path: text,
  protocolVersions: z.array(text).readonly(),
  frozen: z.boolean(),
  sha256: text,
  tools: z.array(shownTool).readonly(),
});

/** The MCP endpoint, as far as it tells what it would answer. */
export interface ToolLists {
  shown(tenant: TenantStore): Promise<readonly z.infer<typeof shownSurface>[]>;
  /** What tools these workflows would make, if they were all that a team has. */
  preview(workflows: readonly KeptWorkflow[]): readonly z.infer<typeof shownTool>[];
}
