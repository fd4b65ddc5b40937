import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { frozenContract } from "../../src/mcp/contract.js";
import { BOARDS, DARK, LOGIN, type PeoplesBoard } from "../support/sync-boards.js";
import {
  ADMIN_TOKEN,
  type Listener,
  listenLegacy,
  listenModern,
  type SyncWorld,
  startSyncWorld,
} from "../support/sync-world.js";
import { until } from "../support/until.js";

/**
 * A team redesigns its board while two assistants listen, one of each protocol era, each at another replica. They are
 * told, see the new tools without reconnecting, and go on using the old names; nobody else notices anything.
 */

const TOOL_NAME = /^[a-zA-Z0-9_-]{1,40}$/;

describe.each(BOARDS)("a change of %s's columns", (_name, start) => {
  let board: PeoplesBoard;
  let world: SyncWorld;
  let clients: readonly Listener[];
  let stranger: Listener;
  let contract: string;

  beforeAll(async () => {
    board = await start();
    world = await startSyncWorld(board);
    const token = await world.token();
    clients = await Promise.all([
      listenLegacy(`${world.url(0)}/mcp`, token),
      listenModern(`${world.url(1)}/mcp`, token),
    ]);
    stranger = await listenLegacy(`${world.url(1)}/mcp`, await world.token("globex"));
    contract = (await frozenContract()).sha256;
  });

  afterAll(async () => {
    await Promise.all([...(clients ?? []), stranger].map((client) => client?.close()));
    await world?.close();
  });

  const slug = (text: string) => text.toLowerCase().replaceAll(" ", "_");
  const toolTo = (tools: readonly string[], column: string) =>
    tools.find((name) => name.endsWith(`_move_to_${slug(column)}`)) ?? "";

  /** Makes the change, has replica 1 notice it, and waits until both clients were told. @returns the kinds of change. */
  async function change(action: () => void): Promise<string[]> {
    const before = clients.map((client) => client.heard);
    action();
    const changes = await world.sync(1);
    await until(() => clients.every((client, i) => client.heard > (before[i] ?? 0)));
    for (const client of clients) {
      const tools = await client.tools();
      expect(new Set(tools).size).toBe(tools.length);
      expect(tools.filter((name) => !TOOL_NAME.test(name))).toEqual([]);
    }
    expect((await frozenContract()).sha256).toBe(contract);
    return changes.map(({ kind }) => kind);
  }

  it("tells of a new name, and goes on understanding the old one", async () => {
    const [, second] = board.columns;
    const [before = []] = await Promise.all(clients.map((client) => client.tools()));
    const old = toolTo(before, second);
    expect(await change(() => board.rename(second, "Peer check"))).toEqual(["renamed"]);
    for (const client of clients) {
      const after = await client.tools();
      const fresh = toolTo(after, "Peer check");
      // One tool has another name; nothing else is different.
      expect(after).toEqual(before.map((name) => (name === old ? fresh : name)));
    }
    const [legacy, modern] = clients;
    const moved = await legacy?.call(old, { ticket: LOGIN });
    expect(moved?.facts).toMatchObject({
      outcome: "confirmed",
      renamedTo: toolTo((await legacy?.tools()) ?? [], "Peer check"),
    });
    expect(board.statusOf(LOGIN)).toBe("Peer check");
    // The words of before are understood as well, and the words of now at once.
    const asked = await modern?.call("find_tickets", { status: "peer check" });
    expect(asked?.facts).toMatchObject({ total: 1 });
    board.rename("Peer check", second);
    await world.sync(0);
    await until(async () => toolTo((await legacy?.tools()) ?? [], second) === old);
  });

  it("tells of a new column, and moves a card into it", async () => {
    expect(await change(() => board.add("Released"))).toContain("added");
    for (const [i, client] of clients.entries()) {
      const tool = toolTo(await client.tools(), "Released");
      const answer = await client.call(tool, { ticket: DARK });
      expect(answer.facts).toMatchObject({ outcome: "confirmed", ...(i === 0 ? {} : { already: true }) });
    }
    expect(board.statusOf(DARK)).toBe("Released");
  });

  it("tells of another order", async () => {
    const { toFront } = board;
    if (toFront === undefined) return;
    const kinds = await change(() => toFront("Released"));
    expect(new Set(kinds)).toEqual(new Set(["reordered"]));
  });

  it("tells of a column that is gone, and offers it no longer", async () => {
    const [first] = board.columns;
    board.move(DARK, first);
    expect(await change(() => board.remove("Released"))).toContain("removed");
    for (const client of clients) expect(toolTo(await client.tools(), "Released")).toBe("");
    const answer = await clients[0]?.call("list_moves", { ticket: DARK });
    expect(JSON.stringify(answer?.facts)).not.toContain("Released");
  });

  it("is shown as a diagram, as an XState machine and as screens", async () => {
    const { workflows } = (await world.api(0, "GET", "/tenants/acme/workflows")) as {
      workflows: { id: string }[];
    };
    const path = `/api/v1/tenants/acme/workflows/${workflows[0]?.id}`;
    const show = (format: string) =>
      fetch(`${world.url(0)}${path}?format=${format}`, {
        headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
      });
    const mermaid = await show("mermaid");
    expect(mermaid.headers.get("content-type")).toContain("text/plain");
    expect(await mermaid.text()).toMatch(/^stateDiagram-v2/);
    expect(await (await show("xstate")).json()).toMatchObject({ states: expect.any(Object) });
    expect(await (await show("screen")).json()).toMatchObject({ screens: expect.anything() });
    expect((await show("pdf")).status).toBe(400);
  });

  it("keeps what has changed, newest first, audits it, and tells no other tenant", async () => {
    const { workflows } = (await world.api(0, "GET", "/tenants/acme/workflows")) as {
      workflows: { id: string }[];
    };
    const id = workflows[0]?.id ?? "";
    const { changes } = (await world.api(1, "GET", `/tenants/acme/workflows/${id}/changes`)) as {
      changes: { kind: string; at: string }[];
    };
    const kinds = changes.map(({ kind }) => kind);
    expect(kinds.at(-1)).toBe("created");
    expect(kinds.indexOf("removed")).toBeLessThan(kinds.indexOf("added"));
    expect(kinds.indexOf("added")).toBeLessThan(kinds.lastIndexOf("renamed"));
    const { events } = (await world.api(0, "GET", "/tenants/acme/audit?limit=200")) as {
      events: { action: string; detail?: { kind?: string } }[];
    };
    const audited = events.filter(({ action }) => action === "workflow").map(({ detail }) => detail?.kind);
    for (const kind of ["renamed", "added", "removed"]) expect(audited).toContain(kind);
    expect(stranger.heard).toBe(0);
  });
});
