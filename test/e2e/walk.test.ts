import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ERAS, type TestClient } from "../support/clients.js";
import {
  boardStatus,
  boardWrites,
  type DemoProcess,
  type DemoTenant,
  pullRequests,
  startDemoProcess,
} from "../support/demo.js";

describe.each(ERAS)("with a real client of %s", (_era, connect) => {
  let demo: DemoProcess;
  let acme: DemoTenant;
  let client: TestClient;

  beforeAll(async () => {
    demo = await startDemoProcess();
    acme = demo.tenant("acme");
    client = await connect(acme);
  });
  afterAll(async () => {
    await client.close();
    await demo.stop();
  });

  const moveTo = async (name: string) =>
    (await client.listTools()).find((tool) => tool.endsWith(`_move_to_${name}`)) ?? "";

  it("a ticket walks: found by words of its title, moved, confirmed, with one draft pull request", async () => {
    const found = await client.call("find_tickets", { query: "login bug" });
    expect(found.facts).toMatchObject({
      total: 1,
      tickets: [{ key: "ENG-1", status: { name: "In Progress" } }],
    });
    const tool = await moveTo("in_review");
    const moved = await client.call(tool, { ticket: "the login bug" });
    expect(moved.facts).toMatchObject({ outcome: "confirmed", to: { name: "In Review" } });
    expect(moved.text).toBe(
      "Moved Login bug, the second tap is ignored to In Review. Draft pull request number 1 is open.",
    );
    expect(await boardStatus(acme, "ENG-1")).toBe("In Review");
    expect(await pullRequests(acme)).toMatchObject([
      { number: 1, draft: true, state: "open", head: { ref: "feat/ENG-1-second-tap" } },
    ]);
  });

  it("a move already made is a success without a write and without a second pull request", async () => {
    const writes = (await boardWrites(acme)).length;
    const again = await client.call(await moveTo("in_review"), { ticket: "ENG-1" });
    expect(again.facts).toMatchObject({ outcome: "confirmed", already: true });
    expect((await boardWrites(acme)).length).toBe(writes);
    expect(await pullRequests(acme)).toHaveLength(1);
  });

  it("an illegal move writes nothing and names the open ones", async () => {
    const writes = (await boardWrites(acme)).length;
    const refused = await client.call(await moveTo("in_review"), { ticket: "invite links" });
    expect(refused).toMatchObject({
      isError: true,
      facts: { outcome: "refused", openMoves: [{ status: { name: "To Do" } }] },
    });
    expect(refused.text).toContain("It can go to To Do.");
    expect((await boardWrites(acme)).length).toBe(writes);
  });

  it("a move that wants a resolution is answered with the field and its values, and succeeds once given", async () => {
    const done = await moveTo("done");
    const writes = (await boardWrites(acme)).length;
    const asked = await client.call(done, { ticket: "photo upload" });
    expect(asked.facts).toMatchObject({
      outcome: "question",
      question: {
        about: "field",
        options: [{ label: "Done" }, { label: "Won't Do" }, { label: "Duplicate" }],
      },
    });
    expect((await boardWrites(acme)).length).toBe(writes);
    const given = await client.call(done, { ticket: "photo upload", fields: { resolution: "won't do" } });
    expect(given.facts).toMatchObject({ outcome: "confirmed" });
    expect(await boardStatus(acme, "ENG-8")).toBe("Done");
  });

  it("lists where a ticket can go, each with the tool that takes it there, and reads the ticket as a resource", async () => {
    const moves = await client.call("list_moves", { ticket: "coupons" });
    const tools = await client.listTools();
    const open = moves.facts.openMoves as { tool?: string }[];
    expect(open.map(({ tool }) => tools.includes(tool ?? ""))).toEqual(open.map(() => true));
    const { id } = moves.facts.ticket as { id: string };
    const resource = await client.readResource(`ticket://eng/${id}`);
    expect(resource).toMatchObject({ value: expect.any(String), context: {}, done: false });
    expect(resource.availableEvents).toHaveLength(open.length);
  });

  it("never shows another tenant's ticket of the same key", async () => {
    const globex = await connect(demo.tenant("globex"));
    const mine = await client.call("read_ticket", { ticket: "ENG-1" });
    const theirs = await globex.call("read_ticket", { ticket: "ENG-1" });
    expect(mine.facts).toMatchObject({ ticket: { title: "Login bug: the second tap is ignored" } });
    expect(theirs.facts).toMatchObject({ ticket: { title: "Rotate the signing keys every month" } });
    const { id } = mine.facts.ticket as { id: string };
    expect((await globex.call("read_ticket", { ticket: id })).facts.ticket).toBeUndefined();
    await expect(globex.readResource(`ticket://eng/${id}`)).rejects.toThrow();
    expect((await globex.call("find_tickets", { query: "login" })).facts).toMatchObject({ total: 0 });
    await globex.close();
  });
});
