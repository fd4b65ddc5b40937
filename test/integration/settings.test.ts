import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BOARDS, LOGIN } from "../support/sync-boards.js";
import {
  ADMIN_TOKEN,
  type Listener,
  listenLegacy,
  listenModern,
  type SyncWorld,
  startSyncWorld,
} from "../support/sync-world.js";
import { until } from "../support/until.js";

/** What a team chooses at one replica holds at the others, and who listens there is told. */

const PATH = "/tenants/acme/settings";
let world: SyncWorld;
let clients: readonly Listener[];
let stranger: Listener;

beforeAll(async () => {
  const [, startTrello] = BOARDS.find(([name]) => name === "Trello") ?? [];
  if (startTrello === undefined) throw new Error("there is no emulated Trello");
  world = await startSyncWorld(await startTrello());
  const token = await world.token();
  clients = await Promise.all([
    listenLegacy(`${world.url(0)}/mcp`, token),
    listenModern(`${world.url(1)}/mcp`, token),
  ]);
  stranger = await listenLegacy(`${world.url(1)}/mcp`, await world.token("globex"));
});

afterAll(async () => {
  await Promise.all([...(clients ?? []), stranger].map((client) => client?.close()));
  await world?.close();
});

const moveTools = async (client: Listener) =>
  (await client.tools()).filter((name) => name.includes("_move_to_"));

async function chooses(group: string, value: object): Promise<unknown> {
  const before = clients.map((client) => client.heard);
  const answer = await world.api(0, "PUT", `${PATH}/${group}`, value);
  await until(() => clients.every((client, i) => client.heard > (before[i] ?? 0)));
  return answer;
}

describe("a team's settings", () => {
  it("begin with no choice made", async () => {
    expect(await world.api(0, "GET", PATH)).toEqual({ mcp: {}, speech: {}, budgets: {} });
  });

  it("make the tools anew, for clients of every replica and of no other team", async () => {
    for (const client of clients) expect(await moveTools(client)).not.toEqual([]);
    expect(await chooses("mcp", { tools: "compact" })).toMatchObject({ mcp: { tools: "compact" } });
    for (const client of clients) {
      expect(await moveTools(client)).toEqual([]);
      expect(await client.tools()).toContain("move_ticket");
    }
    await chooses("mcp", {});
    for (const client of clients) expect(await moveTools(client)).not.toEqual([]);
    expect(stranger.heard).toBe(0);
  });

  it("choose the language that every replica answers in", async () => {
    await chooses("speech", { locale: "pt-BR" });
    for (const client of clients) {
      const { facts } = await client.call("read_ticket", { ticket: LOGIN });
      expect(facts.spoken).toMatch(/está em/);
    }
    await chooses("speech", {});
    const { facts } = (await clients[1]?.call("read_ticket", { ticket: LOGIN })) ?? {};
    expect(facts?.spoken).toMatch(/ is in /);
  });

  it("refuse what they do not know, and stay as they were", async () => {
    const refused = await fetch(`${world.url(1)}/api/v1${PATH}/mcp`, {
      method: "PUT",
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, "content-type": "application/json" },
      body: JSON.stringify({ tools: "fewer", colour: "red" }),
    });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ code: "invalid", detail: expect.stringMatching(/tools/) });
    expect(await world.api(1, "GET", PATH)).toEqual({ mcp: {}, speech: {}, budgets: {} });
  });

  it("are audited", async () => {
    const { events } = (await world.api(1, "GET", "/tenants/acme/audit")) as {
      events: { action: string; detail?: unknown }[];
    };
    expect(events.filter(({ action }) => action === "setting").map(({ detail }) => detail)).toEqual([
      { setting: "speech" },
      { setting: "speech", locale: "pt-BR" },
      { setting: "mcp" },
      { setting: "mcp", tools: "compact" },
    ]);
  });
});
