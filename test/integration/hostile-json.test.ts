import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTwoTenants, type TwoTenants } from "../support/two-tenants.js";

/** JSON made to hurt: names of prototypes, and depth, at every address that takes a body. */

let world: TwoTenants;
const clean = Object.getOwnPropertyNames(Object.prototype);
beforeAll(async () => {
  world = await startTwoTenants();
});
afterAll(() => world?.close());

const DEPTH = 100_000;
const nested = (open: string, close: string) => open.repeat(DEPTH) + close.repeat(DEPTH);

const BODIES: Readonly<Record<string, string>> = {
  "a prototype's name": '{"__proto__":{"polluted":"yes"},"constructor":{"prototype":{"polluted":"yes"}}}',
  "a prototype's name among what is asked for":
    '{"id":"__proto__","name":"__proto__","provider":"constructor","to":"__proto__","sentence":"constructor","method":"__proto__","settings":{"__proto__":{"polluted":"yes"}},"credentials":{"__proto__":{"polluted":"yes"}},"fields":{"__proto__":{"polluted":"yes"}}}',
  "a call of a prototype's name":
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"__proto__","arguments":{"__proto__":{"polluted":"yes"},"ticket":"constructor"},"_meta":{"__proto__":{"polluted":"yes"}}}}',
  "a hundred thousand arrays": nested("[", "]"),
  "a hundred thousand objects": `${'{"a":'.repeat(DEPTH)}1${"}".repeat(DEPTH)}`,
  "depth where values are free": `{"to":"Done","fields":{"x":${nested("[", "]")}}}`,
  "depth in a call's arguments": `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"find_tickets","arguments":{"query":${nested("[", "]")}}}}`,
  "depth in a call's fields": `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"move_ticket","arguments":{"ticket":"ENG-1","to":"Done","fields":{"x":${nested("[", "]")}}}}}`,
  "half a body": '{"id":"x","name":',
  "another encoding": "\uFFFE\uFEFF{}",
  "a number": "1e999",
  nothing: "",
};

function entries(): readonly (readonly [path: string, token: string])[] {
  const { admin } = world.demo.line;
  const { acme } = world;
  const [ticket] = acme.tickets;
  const tenant = "/api/v1/tenants/acme";
  return [
    ["/api/v1/tenants", admin.token],
    [`${tenant}/tokens`, admin.token],
    [`${tenant}/connections`, admin.token],
    [`${tenant}/members`, admin.token],
    [`${tenant}/replay`, admin.token],
    [`${tenant}/say`, admin.token],
    [`${tenant}/tickets/${ticket?.id}/moves`, admin.token],
    [`${tenant}/tickets/__proto__/moves`, admin.token],
    ["/api/v1/tenants/__proto__/tokens", admin.token],
    ["/mcp", acme.token],
    ["/t/acme/mcp", acme.token],
    ["/t/__proto__/mcp", acme.token],
    ["/alexa/mcp", acme.token],
    ...acme.webhooks.map(({ provider, path }) => [`/webhooks/${provider}/${path}`, "x"] as const),
    ["/webhooks/constructor/__proto__", "x"],
    ["/oauth/register", "x"],
    ["/oauth/token", "x"],
  ];
}

const READS = [
  "/api/v1/tenants/__proto__/tickets",
  "/api/v1/tenants/acme/tickets/constructor",
  "/api/v1/tenants/acme/tickets?query[__proto__][polluted]=yes",
  "/api/v1/tenants/acme/tickets?__proto__[polluted]=yes&constructor[prototype][polluted]=yes",
  "/api/v1/tenants/acme/workflows/__proto__",
  "/api/v1/tenants/acme/workflows/constructor/changes",
  "/api/v1/tenants/acme/connections/hasOwnProperty",
  "/api/v1/tenants/acme/audit?cursor=__proto__&limit=constructor",
  "/__proto__",
  "/.well-known/oauth-protected-resource/__proto__",
];

function expectUnharmed(): void {
  expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(clean);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
}

describe("hostile JSON", () => {
  it.each(Object.entries(BODIES))("%s is refused everywhere as the caller's mistake", async (_what, body) => {
    const before = await world.stateOf(world.acme);
    for (const [path, token] of entries()) {
      const response = await fetch(`${world.url}${path}`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${token}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
        },
        body,
      });
      const said = await response.text();
      expect(response.status, `${path}: ${said.slice(0, 200)}`).toBeLessThan(500);
      expect(said).not.toContain("polluted");
      expect(said).not.toContain("-32603");
      expectUnharmed();
    }
    expect((await fetch(`${world.url}/readyz`)).status).toBe(200);
    expect(await world.stateOf(world.acme)).toBe(before);
  });

  it.each(READS)("%s finds nothing that was not put there", async (path) => {
    const headers = { authorization: `Bearer ${world.demo.line.admin.token}` };
    const response = await fetch(`${world.url}${path}`, { headers });
    expect(response.status).toBeLessThan(500);
    expect(await response.text()).not.toContain("native code");
    expectUnharmed();
  });
});
