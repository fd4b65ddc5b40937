import { z } from "zod";
import { type Demo, startDemo } from "../../src/demo.js";

/** The demo in this process, in memory: two tenants with boards of all kinds, and all that the one must not see of the other. */

export interface Side {
  readonly id: string;
  readonly token: string;
  readonly tickets: readonly { readonly id: string; readonly key: string; readonly title: string }[];
  readonly connections: readonly string[];
  readonly workflows: readonly { readonly id: string; readonly statuses: readonly string[] }[];
  readonly tools: readonly string[];
  readonly webhooks: readonly { readonly provider: string; readonly path: string }[];
  /** Every sentence of its tickets, and every secret: what may stand in no reply to anybody else. */
  readonly secrets: readonly string[];
}

export interface TwoTenants {
  readonly demo: Demo;
  readonly url: string;
  readonly acme: Side;
  readonly globex: Side;
  /** All that is kept of a tenant's tickets, to be compared. */
  stateOf(side: Side): Promise<string>;
  close(): Promise<void>;
}

const ticketPage = z.object({
  tickets: z.array(z.object({ id: z.string(), key: z.string().default(""), title: z.string() })),
  next: z.string().optional(),
});
const workflowList = z.object({
  workflows: z.array(z.object({ id: z.string(), statuses: z.array(z.object({ id: z.string() })) })),
});
const toolList = z.object({ result: z.object({ tools: z.array(z.object({ name: z.string() })) }) });

export async function startTwoTenants(): Promise<TwoTenants> {
  const demo = await startDemo({
    port: 0,
    host: "127.0.0.1",
    logLevel: "silent",
    inMemory: true,
    // What is refused for its number would prove nothing.
    env: { BOARDWALK_TENANT_CALLS_PER_MINUTE: "10000000" },
  });
  const { url, admin } = demo.line;
  const get = async (path: string): Promise<unknown> => {
    const headers = { authorization: `Bearer ${admin.token}` };
    return await (await fetch(`${url}/api/v1${path}`, { headers })).json();
  };

  async function sideOf(id: string): Promise<Side> {
    const line = demo.line.tenants.find((tenant) => tenant.id === id);
    if (line === undefined) throw new Error(`the demo has no tenant ${id}`);
    const { tickets } = ticketPage.parse(await get(`/tenants/${id}/tickets`));
    const { workflows } = workflowList.parse(await get(`/tenants/${id}/workflows`));
    const records = await demo.app.connections.list(demo.app.store.tenant(id));
    const webhooks = records.map(({ provider, webhookToken }) => ({ provider, path: webhookToken ?? "" }));
    return {
      id,
      token: line.token,
      tickets,
      connections: records.map((record) => record.id),
      workflows: workflows.map((each) => ({
        id: each.id,
        statuses: each.statuses.map((status) => status.id),
      })),
      tools: await toolsOf(line.mcpUrl, line.token),
      webhooks,
      secrets: [
        ...tickets.map(({ title }) => title),
        ...webhooks.map(({ path }) => path),
        line.token,
        ...line.connections.map(({ authorization }) => authorization.replace(/^\w+ /, "")),
        line.vcs.authorization.replace(/^\w+ /, ""),
      ],
    };
  }

  const [acme, globex] = [await sideOf("acme"), await sideOf("globex")];
  return {
    demo,
    url,
    acme: { ...acme, secrets: acme.secrets.filter((text) => !globex.secrets.includes(text)) },
    globex: { ...globex, secrets: globex.secrets.filter((text) => !acme.secrets.includes(text)) },
    async stateOf(side) {
      const tenant = demo.app.store.tenant(side.id);
      return JSON.stringify(await tenant.getActors(side.tickets.map(({ id }) => id)));
    },
    close: () => demo.close(),
  };
}

async function toolsOf(mcpUrl: string, token: string): Promise<readonly string[]> {
  const response = await fetch(mcpUrl, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }),
  });
  return toolList.parse(await response.json()).result.tools.map(({ name }) => name);
}
