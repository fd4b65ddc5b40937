import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { jira } from "../../connectors/jira/index.js";
import * as jiraShapes from "../../connectors/jira/shapes.js";
import * as linearShapes from "../../connectors/linear/shapes.js";
import { mapTicket } from "../../connectors/trello/map.js";
import type { TrelloCard } from "../../connectors/trello/shapes.js";
import { sign } from "../../src/board/signature.js";
import { parseStateSnapshot } from "../../src/bridge/state-store.js";
import { parseConfig } from "../../src/config.js";
import { createCallers, listTokens } from "../../src/http/auth.js";
import { guardedFetch } from "../../src/http/oauth-documents.js";
import { createFsmActor, type FsmConfig } from "../../src/machine/index.js";
import { safeParse, textOf } from "../../src/parse.js";
import { createMemoryStore } from "../../src/store/memory.js";
import { redisKeys } from "../../src/store/redis/keys.js";
import { openBoard } from "../../src/sync/open-board.js";
import { hooksByStatus } from "../../src/sync/rules.js";
import { fillFields } from "../../src/tickets/fields.js";
import { keysIn, spokenKey } from "../../src/tickets/keys.js";
import { shorten } from "../../src/tickets/sayable.js";
import { tokensOf } from "../../src/tickets/words.js";
import { fakeGraph } from "../support/fake-board.js";
import { TEN_MILLION } from "../support/hostile.js";
import { storeWith, tenantWith } from "../support/kept-values.js";
import { startOauthService } from "../support/oauth-service.js";
import { quietKit } from "../support/quiet-kit.js";

/** What fuzzing has found, as small as it came: each was a fault once. */

const parsed = (json: string): unknown => JSON.parse(json);
const deep = () => {
  let value: unknown = "s";
  for (let i = 0; i < 20_000; i++) value = [value];
  return value;
};

describe("an object that is no text", () => {
  const value = parsed('{"length":{"toString":null,"valueOf":null}}');

  it.each<[string, z.ZodType]>([
    ["a text", z.string().min(1).max(5)],
    ["a list", z.array(z.string()).max(5)],
  ])("is refused in the place of %s", (_what, schema) => {
    expect(() => schema.safeParse(value)).toThrow("primitive");
    expect(safeParse(schema, value)).toMatchObject({ success: false });
  });

  it("is no value of a field", () => {
    const option = {
      id: "r",
      name: "R",
      type: "option",
      required: true,
      allowed: [{ id: "1", label: "Done" }],
    } as const;
    const said = parsed('{"r":{"id":{"toString":null}}}') as Record<string, unknown>;
    expect(fillFields([option], said).missing).toEqual([option]);
    expect(textOf(said.r)).toBe("");
  });

  it("is no type of a state", () => {
    const config = parsed(
      '{"initial":"a","states":{"a":{"type":{"toString":null}}}}',
    ) as unknown as FsmConfig;
    expect(() => createFsmActor(config)).toThrowError(expect.objectContaining({ code: "invalid" }));
  });
});

describe("a time that is none", () => {
  it("is not passed on from a delivery of Jira's", async () => {
    const secret = "s";
    const connector = jira.create(
      jira.settings.parse({ baseUrl: "https://a.example", project: "ENG" }),
      { email: "a@b.example", apiToken: "t", webhookSecret: secret },
      quietKit,
    );
    const body = Buffer.from('{"webhookEvent":"jira:issue_updated","timestamp":1e308}');
    const signature = sign({ algorithm: "sha256", encoding: "hex", secret, signed: [body] });
    const headers = { "x-hub-signature": `sha256=${signature}` };
    const read = await connector.webhooks?.read({
      method: "POST",
      headers,
      body,
      url: "x",
      receivedAt: new Date(),
    });
    expect(read?.sentAt).toBeUndefined();
  });

  it("makes a reply one that cannot be read", () => {
    const { updated } = jiraShapes.issueShape.shape.fields.shape;
    expect(updated.safeParse("2026-11-29T10:15:00.000+0100").data).toBe("2026-11-29T09:15:00.000Z");
    expect(updated.safeParse("soon").success).toBe(false);
    expect(linearShapes.issueShape.shape.updatedAt.safeParse("soon").success).toBe(false);
    expect(jiraShapes.webhookExpiryShape.safeParse({ expirationDate: 1e308 }).success).toBe(false);
  });

  it("is made up for from the card's id on Trello", () => {
    const board = "65b0f0000000000000000002";
    const card = { id: "65b0f0000000000000000001", idBoard: board, idList: "l", name: "x", closed: false };
    const ticket = mapTicket({ ...card, dateLastActivity: "soon" } as TrelloCard, false, "site");
    expect(ticket.updatedAt).toBe("2024-01-24T11:09:52.000Z");
  });

  it("makes a kept snapshot one that cannot be read", () => {
    expect(() => parseStateSnapshot({ state: "a", updatedAt: 1e308 })).toThrowError(
      expect.objectContaining({ code: "internal" }),
    );
  });
});

describe("what is far too long", () => {
  it("is looked through as far as anybody speaks", () => {
    expect(keysIn(`ENG-42 ${"あ".repeat(TEN_MILLION)}`)).toEqual(["eng42"]);
    // The dictionary is asked about ten times on the way to a ticket.
    expect(tokensOf("ああ ".repeat(6_000)).length).toBeLessThan(2_000);
  });

  it("is the number of a ticket for no more words than anybody says", () => {
    expect(spokenKey("41 ".repeat(5_000))?.number).toBe("41".repeat(20));
    expect(spokenKey("eng forty two")).toMatchObject({ prefixes: ["eng"], number: "42" });
  });

  it("is said no further than a word goes", () => {
    expect(shorten("9".repeat(400), 6)).toHaveLength(180);
    expect(shorten("an ordinary sentence", 6)).toBe("an ordinary sentence");
  });

  it("is no settings file", () => {
    expect(() => parseConfig({}, {}, "[".repeat(TEN_MILLION))).toThrow("longer than settings can be");
  });
});

describe("a name of the language's own", () => {
  it("may be a status with hooks", () => {
    const graph = {
      ...fakeGraph(),
      statuses: [{ id: "__proto__", name: "Odd", category: "todo", order: 0, aliases: [] }],
    } as const;
    const hooks = hooksByStatus(graph, [{ on: "enter", status: "Odd", run: "draft-pull-request" }]);
    expect(Object.entries(hooks)).toEqual([["__proto__", [{ run: "draft-pull-request" }]]]);
  });
});

describe("what is nested without end", () => {
  it("holds secrets all the same", () => {
    const hidden: string[] = [];
    const deps = {
      ...{ kinds: [jira], vcsKinds: [], hooksFor: () => ({}), checkUrl: async () => {} },
      ...{
        budgets: { take: async () => 0 },
        now: () => new Date(),
        hide: (secret: string) => hidden.push(secret),
      },
    };
    const board = { name: "acme/eng", provider: "jira", settings: {}, credentials: { apiToken: deep() } };
    expect(() => openBoard(deps, board, { saveCredentials: async () => {} })).toThrowError(
      expect.objectContaining({ code: "invalid" }),
    );
    expect(hidden).toEqual(["s"]);
  });
});

describe("what somebody else has put into Redis", () => {
  const tenant = createMemoryStore().tenant("acme");

  it.each([
    ["a token's record", () => listTokens(tenantWith(tenant, { id: 1 }))],
    [
      "what a token leads to",
      () => createCallers(storeWith("{"), { ofHandles: () => 0 })(randomBytes(8).toString("hex")),
    ],
  ])("is said to be %s that cannot be read", async (_what, read) => {
    await expect(read()).rejects.toMatchObject({
      code: "internal",
      message: expect.stringContaining("token record"),
    });
  });

  it("is nobody's channel", () => {
    expect(redisKeys("bw").changedTenant("bw:{%zz}:revisions")).toBeUndefined();
    expect(redisKeys("bw").changedTenant("bw:{acme}:revisions")).toBe("acme");
  });
});

describe("a client's document", () => {
  it("is none where the library would take an object for an address", async () => {
    const fetched = async (json: string) => {
      const fetch = guardedFetch({ checkUrl: async () => {}, fetch: async () => new Response(json) });
      return await (await fetch("https://editor.example/client.json")).text();
    };
    expect(await fetched('{"client_uri":{"toString":null}}')).toBe("null");
    expect(await fetched('{"client_uri":"https://a.example","x":1}')).toBe(
      '{"client_uri":"https://a.example","x":1}',
    );
    await expect(fetched(" ".repeat(100_000))).rejects.toThrow("too long");
  });
});

describe("the OAuth server", () => {
  it("says what is wrong with a client, and with a form that is too long", async () => {
    const service = await startOauthService();
    try {
      expect(await service.register({ grant_types: 0 })).toMatchObject({ status: 400 });
      expect(await service.register({ redirect_uris: { length: 1 } })).toMatchObject({ status: 400 });
      const form = await fetch(`${service.url}/oauth/sign-in/x`, {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: `code=${"x".repeat(5_000)}`,
      });
      expect(form.status).toBe(413);
    } finally {
      await service.close();
    }
  });
});
