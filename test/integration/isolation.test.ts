import { randomBytes, randomInt } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createChance } from "../chaos/chance.js";
import { type Side, startTwoTenants, type TwoTenants } from "../support/two-tenants.js";

/**
 * One tenant tries, at random, to reach what is another's: through every tool, resource, route, webhook path and job.
 * `PROBES=100000 npx vitest run test/integration/isolation.test.ts` for a run as long as in CI, `PROBE_SEED` for the same again.
 */

const PROBES = Number(process.env.PROBES ?? (process.env.CI === undefined ? 3_000 : 100_000));
const SEED = Number(process.env.PROBE_SEED ?? randomInt(2 ** 31));
const AT_ONCE = 16;

let world: TwoTenants;
beforeAll(async () => {
  world = await startTwoTenants();
});
afterAll(() => world?.close());

interface Answer {
  readonly status: number;
  readonly text: string;
}

interface Probe {
  readonly what: string;
  send(): Promise<Answer>;
  /** Never let in at all, not only shown nothing. */
  readonly turnedAway?: boolean;
}

type Maker = (from: Side, at: Side) => Probe;

const chance = createChance(SEED);

function pick<T>(items: readonly T[]): T {
  const item = chance.pick(items);
  if (item === undefined) throw new Error("nothing to pick from");
  return item;
}

async function http(method: string, path: string, token: string, body?: unknown): Promise<Answer> {
  const response = await fetch(`${world.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      accept: "application/json, text/event-stream",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
}

/** Half of a title: a reply that holds the whole of it has looked it up. */
function halfOf(title: string): string {
  const words = title.split(" ");
  return words.slice(0, Math.ceil(words.length / 2)).join(" ");
}

/** How one may name another's ticket. */
function reference(side: Side): string {
  const ticket = pick(side.tickets);
  const forms = [ticket.id, ticket.key, halfOf(ticket.title), `${side.id}/${ticket.id}`];
  return pick([...forms, `../${side.id}/${ticket.id}`, `bw:{${side.id}}:${ticket.id}`]);
}

function status(side: Side): string {
  return pick([...pick(side.workflows).statuses, "Done", "In Review"]);
}

function rpc(method: string, params: object): object {
  return { jsonrpc: "2.0", id: 1, method, params };
}

const tool: Maker = (from, at) => {
  const name = pick([...from.tools, ...at.tools]);
  const board = pick([...at.connections, ...at.workflows.map(({ id }) => id)]);
  const args: Record<string, unknown> = pick([
    { ticket: reference(at) },
    { ticket: reference(at), to: status(at) },
    { query: reference(at), board },
    { board },
    { query: halfOf(pick(at.tickets).title), cursor: randomBytes(9).toString("base64url") },
    { moveId: randomBytes(12).toString("hex"), ticket: reference(at) },
    { token: randomBytes(12).toString("hex"), ticket: reference(at), to: status(at) },
  ]);
  const path = pick(["/mcp", `/t/${from.id}/mcp`, "/alexa/mcp"]);
  return {
    what: `tool ${name} ${JSON.stringify(args)}`,
    send: () => http("POST", path, from.token, rpc("tools/call", { name, arguments: args })),
  };
};

const resource: Maker = (from, at) => {
  const connection = encodeURIComponent(pick([...at.connections, ...from.connections]));
  const uri = pick([
    `ticket://${connection}/${encodeURIComponent(reference(at))}`,
    `board://${connection}/workflows/${encodeURIComponent(pick(at.workflows).id)}`,
  ]);
  const ask = pick([
    rpc("resources/read", { uri }),
    rpc("completion/complete", {
      ref: { type: "ref/resource", uri: "ticket://{connection}/{id}" },
      argument: { name: "id", value: reference(at).slice(0, 12) },
    }),
    rpc("resources/list", {}),
    rpc("prompts/get", { name: "standup", arguments: { board: pick(at.connections) } }),
  ]);
  return { what: JSON.stringify(ask), send: () => http("POST", "/mcp", from.token, ask) };
};

/** At the other's own address, and at the operator's. */
const wrongDoor: Maker = (from, at) => {
  const [method, path, body] = pick<readonly [string, string, unknown?]>([
    ["POST", `/t/${at.id}/mcp`, rpc("tools/call", { name: "find_tickets", arguments: {} })],
    ["GET", `/api/v1/tenants/${at.id}/tickets`],
    ["GET", `/api/v1/tenants/${at.id}/audit`],
    ["GET", `/api/v1/tenants/${at.id}/connections`],
    ["GET", `/api/v1/tenants/${at.id}/tokens`],
    ["POST", `/api/v1/tenants/${at.id}/tickets/${pick(at.tickets).id}/moves`, { to: "Done" }],
    ["GET", "/api/v1/tenants"],
  ]);
  return { what: `${method} ${path}`, turnedAway: true, send: () => http(method, path, from.token, body) };
};

/** The operator's token, the own tenant in the path, and the other's ids behind it. */
const route: Maker = (from, at) => {
  const base = `/api/v1/tenants/${from.id}`;
  // An address has no room for all that can be said in a tool; what both have is no probe.
  const ticket = encodeURIComponent(pick(at.tickets).id);
  const onlyTheirs = at.connections.filter((id) => !from.connections.includes(id));
  const workflow = encodeURIComponent(pick(at.workflows).id);
  const [method, path, body] = pick<readonly [string, string, unknown?]>([
    ["GET", `/tickets/${ticket}`],
    ["GET", `/tickets/${ticket}/history`],
    ["POST", `/tickets/${ticket}/moves`, { to: status(at) }],
    ["GET", `/tickets?query=${encodeURIComponent(halfOf(pick(at.tickets).title))}`],
    ["GET", `/tickets/${encodeURIComponent(`../../${at.id}/tickets/`)}${ticket}`],
    ["GET", `/workflows/${workflow}`],
    ["GET", `/workflows/${workflow}/changes`],
    ["GET", `/connections/${pick(onlyTheirs)}`],
    ["DELETE", `/connections/${pick(onlyTheirs)}`],
    ["POST", `/connections/${pick(onlyTheirs)}/sync`, {}],
    ["POST", "/replay", { ticket: pick(at.tickets).id }],
    ["DELETE", `/tokens/${randomBytes(6).toString("hex")}`],
    ["GET", `/audit?cursor=${randomBytes(6).toString("hex")}`],
  ]);
  const token = world.demo.line.admin.token;
  return { what: `${method} ${base}${path}`, send: () => http(method, `${base}${path}`, token, body) };
};

/** A delivery at the other's path, as its own board cannot have signed it. */
const webhook: Maker = (_from, at) => {
  const { provider, path } = pick(at.webhooks);
  const kind = pick([provider, "jira", "linear", "github", "trello", "__proto__"]);
  const url = `/webhooks/${kind}/${pick([path, path.slice(0, -1), randomBytes(24).toString("base64url")])}`;
  const body = { webhookEvent: "jira:issue_updated", issue: { id: pick(at.tickets).id.split(".").at(-1) } };
  return { what: url, turnedAway: true, send: () => http("POST", url, "x", body) };
};

/** Whatever might put a job: the own tenant with the other's ids. */
const job: Maker = (from, at) => {
  const ticket = pick(at.tickets).id;
  const tenant = from.id;
  const onlyTheirs = at.connections.filter((id) => !from.connections.includes(id));
  const [name, data] = pick<readonly [string, Record<string, unknown>]>([
    ["move", { tenant, ticket, moveId: randomBytes(6).toString("hex") }],
    ["hook", { tenant, ticket, entry: 1, hook: "draft-pull-request" }],
    ["observe", { tenant, ticket, connection: pick(from.connections) }],
    ["observe", { tenant, ticket, connection: pick(onlyTheirs) }],
    ["sync", { tenant, connection: pick(onlyTheirs), reach: "full" }],
    ["move", { tenant: `${tenant}/../${at.id}`, ticket, moveId: "x" }],
  ]);
  const id = `probe-${randomBytes(9).toString("hex")}`;
  return {
    what: `job ${name} ${JSON.stringify(data)}`,
    async send() {
      const reply = await world.demo.app.hooks.ask({ id, name, data, lane: `probe-${tenant}` }, 20_000);
      return { status: 200, text: JSON.stringify(reply ?? "no reply") };
    },
  };
};

const MAKERS: Readonly<Record<string, Maker>> = { tool, resource, wrongDoor, route, webhook, job };

/** Each breach as a sentence that holds no more of the secret than its beginning. */
async function probe(from: Side, at: Side, maker: Maker): Promise<readonly string[]> {
  const { what, send, turnedAway } = maker(from, at);
  const { status: code, text } = await send();
  const leaks = at.secrets.filter(
    (secret) => text.includes(secret) || text.includes(encodeURIComponent(secret)),
  );
  return [
    ...leaks.map((secret) => `${what} tells "${secret.slice(0, 12)}..."`),
    ...(code >= 500 ? [`${what} is answered with ${code}: ${text.slice(0, 200)}`] : []),
    ...(turnedAway && code < 400 ? [`${what} is let in with ${code}`] : []),
  ];
}

describe(`of ${PROBES} random probes (PROBE_SEED=${SEED})`, () => {
  it.each([
    ["globex", "acme"],
    ["acme", "globex"],
  ] as const)(
    "none by %s sees or changes anything of %s's",
    async (one, other) => {
      const [from, at] = [world[one], world[other]];
      const before = await world.stateOf(at);
      const breaches: string[] = [];
      const makers = Object.values(MAKERS);
      let left = Math.ceil(PROBES / 2);
      await Promise.all(
        Array.from({ length: AT_ONCE }, async () => {
          for (; left > 0; ) {
            left -= 1;
            breaches.push(...(await probe(from, at, pick(makers))));
          }
        }),
      );
      expect(breaches.slice(0, 10)).toEqual([]);
      expect(await world.stateOf(at)).toBe(before);
    },
    Math.max(60_000, PROBES * 20),
  );

  it("would be told of a leak: each side does see its own", async () => {
    for (const side of [world.acme, world.globex]) {
      const { text } = await http(
        "POST",
        "/mcp",
        side.token,
        rpc("tools/call", { name: "find_tickets", arguments: {} }),
      );
      const all = side.secrets.filter((secret) => text.includes(secret));
      expect(all.length).toBeGreaterThan(0);
    }
    expect(Math.min(world.acme.secrets.length, world.globex.secrets.length)).toBeGreaterThan(20);
  });
});
