import { z } from "zod";
import type { TenantStore } from "../store/store.js";

const text = z.string();

export const shownSurface = z.object({
  id: z.enum(["2025", "2026", "alexa"]),
  path: text,
  protocolVersions: z.array(text).readonly(),
  frozen: z.boolean(),
  sha256: text,
  tools: z
    .array(
      z.object({
        name: text,
        title: text,
        description: text,
        readOnly: z.boolean(),
        destructive: z.boolean(),
        arguments: z.array(z.object({ name: text, required: z.boolean() })).readonly(),
        phrases: z.array(text).readonly(),
      }),
    )
    .readonly(),
});

/** The MCP endpoint, as far as it tells what it would answer. */
export interface ToolLists {
  shown(tenant: TenantStore): Promise<readonly z.infer<typeof shownSurface>[]>;
}
