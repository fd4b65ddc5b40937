import { readFileSync } from "node:fs";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { describe, expect, it } from "vitest";
import { bridge as coffee, server } from "../fixtures/seed/coffee.js";
import { pushed, bridge as ticket } from "../fixtures/seed/ticket.js";

const fixture = (name: string) => readFileSync(new URL(`../fixtures/seed/${name}`, import.meta.url), "utf8");

/** The README's TypeScript, with the one change it needs: where the library comes from. */
const blocks = [...fixture("fsm-voice-mcp.md").matchAll(/```ts\n(.*?)```/gs)].map((match) =>
  (match[1] ?? "").replaceAll('"fsm-voice-mcp"', '"../../../src/index.js"'),
);

const textOf = (result: unknown) => (result as { content: { text: string }[] }).content[0]?.text;

describe("the seed's README", () => {
  it("runs here as written: the fixtures are its code blocks", () => {
    expect(blocks).toHaveLength(3);
    expect(fixture("coffee.ts")).toContain(blocks[0]);
    expect(fixture("coffee.ts")).toContain(blocks[1]);
    expect(fixture("ticket.ts")).toContain(blocks[2]);
  });

  it("quick example: one tool per event and one resource", () => {
    expect(coffee.tools.map(({ name }) => name)).toEqual([
      "coffee_order",
      "coffee_confirm",
      "coffee_cancel",
      "coffee_ready",
    ]);
    expect(coffee.resources.map(({ uri }) => uri)).toEqual(["fsm://state"]);
  });

  it("bundled adapter: a real client orders a coffee through a real server", async () => {
    const [near, far] = InMemoryTransport.createLinkedPair();
    const client = new Client({ name: "test", version: "1.0.0" });
    await Promise.all([server.connect(far), client.connect(near)]);
    const call = async (name: string, args = {}) => textOf(await client.callTool({ name, arguments: args }));

    expect(await call("coffee_confirm")).toBe('"CONFIRM" isn\'t available from "idle". Try: ORDER.');
    expect(await call("coffee_order", { drink: "latte" })).toBe(
      "Got it. Ready to confirm or cancel. You can: CONFIRM, CANCEL.",
    );
    expect(await call("coffee_confirm")).toBe("Brewing your drink now. You can: READY.");
    const { contents } = await client.readResource({ uri: "fsm://state" });
    expect(JSON.parse((contents[0] as { text: string }).text)).toEqual({
      value: "brewing",
      context: { drink: "latte" },
      availableEvents: ["READY"],
      done: false,
    });
    expect(await call("coffee_ready")).toBe("Your drink is ready. Enjoy!");
    expect(await call("coffee_order")).toBe('"ORDER" isn\'t available from "done".');
    await client.close();
  });

  it("workflow import: one tool per destination, and entering to_review waits for its pull request", async () => {
    expect(new Set(ticket.tools.map(({ name }) => name))).toEqual(
      new Set([
        "ticket_move_to_in_progress",
        "ticket_move_to_to_review",
        "ticket_move_to_approved",
        "ticket_move_to_todo",
        "ticket_move_to_done",
      ]),
    );
    const say = async (name: string) =>
      textOf(await ticket.tools.find((tool) => tool.name === `ticket_move_to_${name}`)?.handler({}));
    await say("in_progress");
    expect(await say("to_review")).toBe(
      "In review. A draft pull request is up. You can: MOVE_TO_APPROVED, MOVE_TO_TODO.",
    );
    expect(pushed).toEqual(["draft"]);
    expect(ticket.getSnapshot().context).toEqual({ prUrl: "https://example.com/pull/1" });
    expect(await say("todo")).toBe('Now in "todo". You can: MOVE_TO_IN_PROGRESS.');
  });
});
