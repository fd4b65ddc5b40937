import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import type { Chance } from "../chaos/chance.js";

/** What people and their assistants do all day, one act at a time. */

export interface Site {
  readonly url: string;
  readonly token: string;
  readonly tickets: readonly { readonly title: string }[];
}

export type Act = (chance: Chance) => Promise<void>;

const MCP = "/t/acme/mcp";
const PLACES = ["In Progress", "In Review"] as const;

/** Every act with its share of a hundred. */
export function actsOn(site: Site): readonly (readonly [share: number, name: string, act: Act])[] {
  const where = new Map<string, number>();
  return [
    [55, "read", (chance) => tool(site, "read_ticket", { ticket: pick(chance, site) })],
    [12, "find", (chance) => tool(site, "find_tickets", { query: pick(chance, site).split(" ")[0] ?? "" })],
    [10, "list", () => rpc(site, "tools/list", {}).then(done)],
    [
      15,
      "move",
      async (chance) => {
        const ticket = pick(chance, site);
        const turn = ((where.get(ticket) ?? 0) + 1) % PLACES.length;
        where.set(ticket, turn);
        await tool(site, "move_ticket", { ticket, to: PLACES[turn] }, "/alexa/mcp");
      },
    ],
    [5, "session", () => session(site)],
    [3, "stranger", () => rpc({ ...site, token: "bw_nobody" }, "tools/list", {}).then(done)],
  ];
}

function pick(chance: Chance, { tickets }: Site): string {
  return chance.pick(tickets)?.title ?? "";
}

async function done(response: Response): Promise<void> {
  await response.text();
}

function rpc(
  { url, token }: Site,
  method: string,
  params: object,
  at = MCP,
  session?: string,
): Promise<Response> {
  return fetch(`${url}${at}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(session === undefined ? {} : { "mcp-session-id": session }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
}

async function tool(site: Site, name: string, args: object, at = MCP): Promise<void> {
  const response = await rpc(site, "tools/call", { name, arguments: args }, at);
  const text = await response.text();
  if (!response.ok || !text.includes('"structuredContent"'))
    throw new Error(`${name} was answered with ${response.status}: ${text.slice(0, 200)}`);
}

/** A 2025 client that begins a session, listens for a moment, and goes. */
async function session(site: Site): Promise<void> {
  const clientInfo = { name: "soak", version: "1" };
  const begun = await rpc(site, "initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo,
  });
  await begun.text();
  const id = begun.headers.get("mcp-session-id");
  if (id === null) throw new Error(`no session was begun: ${begun.status}`);
  const headers = { authorization: `Bearer ${site.token}`, "mcp-session-id": id };
  const stream = get(`${site.url}${MCP}`, {
    headers: { ...headers, accept: "text/event-stream" },
    agent: false,
  });
  const [response] = (await once(stream, "response")) as [IncomingMessage];
  response.on("error", () => {});
  stream.on("error", () => {});
  await (await rpc(site, "tools/list", {}, MCP, id)).text();
  stream.destroy();
  await fetch(`${site.url}${MCP}`, { method: "DELETE", headers }).then(done);
}
