import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { frozenContract } from "../../src/mcp/contract.js";

const PUBLISHED = new URL("../../docs/alexa-contract.json", import.meta.url);

const toolShape = z.object({
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,40}$/),
  title: z.string(),
  description: z.string().max(1000),
  inputSchema: z.looseObject({
    type: z.literal("object"),
    anyOf: z.undefined().optional(),
    oneOf: z.undefined().optional(),
  }),
  outputSchema: z.looseObject({ type: z.literal("object") }),
  annotations: z.looseObject({ readOnlyHint: z.boolean(), destructiveHint: z.boolean() }),
});

describe("the contract of /alexa/mcp", () => {
  it("is the published one: when this fails, run `npm run contract:alexa`, and deploy the add-on again", async () => {
    expect(await frozenContract()).toEqual(JSON.parse(readFileSync(PUBLISHED, "utf8")));
  });

  it("is the seven core tools, each fit for hosts that are strict", async () => {
    const tools = z.array(toolShape).parse((await frozenContract()).tools);
    expect(tools.map(({ name }) => name)).toEqual([
      "find_tickets",
      "read_ticket",
      "list_moves",
      "move_ticket",
      "undo_move",
      "check_progress",
      "describe_board",
    ]);
  });

  it("names no board, no tenant and no address", async () => {
    const text = JSON.stringify(await frozenContract());
    expect(text).not.toMatch(/jira|linear|trello|github|tenant|acme|https?:(?!\/\/json-schema\.org)/i);
  });

  it("has another hash once anything of it has changed", async () => {
    const { sha256 } = await frozenContract();
    expect(sha256).toMatch(/^[0-9a-f]{64}$/);
    expect((await frozenContract()).sha256).toBe(sha256);
  });
});
