import { createHash } from "node:crypto";
import { BoardwalkError } from "../errors.js";
import type { Tickets } from "../tickets/tickets.js";
import type { Call } from "./call.js";
import { FROZEN } from "./catalogue.js";
import { createDispatcher } from "./dispatcher.js";
import { createServer, LEGACY_VERSIONS, MODERN_VERSION } from "./server.js";

/** What a host of the frozen surface reads once, when an add-on is deployed, and is locked with its publication. */
export interface FrozenContract {
  readonly path: string;
  readonly protocolVersions: readonly string[];
  /** Of everything below, as JSON. */
  readonly sha256: string;
  readonly tools: unknown;
  readonly resources: unknown;
  readonly resourceTemplates: unknown;
  readonly prompts: unknown;
}

const LISTS = ["tools", "resources", "resources/templates", "prompts"] as const;

/** The contract, read off the very server that answers on the surface, as a service without a tenant sees it. */
export async function frozenContract(): Promise<FrozenContract> {
  const dispatcher = await createDispatcher("legacy", "0", createServer);
  try {
    const lists: Record<string, unknown> = {};
    for (const list of LISTS) {
      const request = { jsonrpc: "2.0" as const, id: list, method: `${list}/list`, params: {} };
      const { message } = await dispatcher.request(request, SERVICE);
      if ("error" in message) throw new BoardwalkError("internal", `The list of ${list} could not be made.`);
      Object.assign(lists, message.result);
    }
    const { tools, resources, resourceTemplates, prompts } = lists;
    const shown = { tools, resources, resourceTemplates, prompts };
    const sha256 = createHash("sha256").update(JSON.stringify(shown)).digest("hex");
    return { path: "/alexa/mcp", protocolVersions: [MODERN_VERSION, ...LEGACY_VERSIONS], sha256, ...shown };
  } finally {
    await dispatcher.close();
  }
}

const SERVICE: Call = {
  principal: { speaker: { person: "service" }, scopes: ["mcp:service"] },
  surface: "frozen",
  catalogue: FROZEN,
  gating: "explain",
  // Lists are the same for everybody, so nobody's tickets are asked for.
  tickets: {} as Tickets,
  budgetMs: 0,
  mayCall: () => false,
  report: () => {},
};
