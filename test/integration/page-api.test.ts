import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { demoJiraSite, startJiraEmulator } from "../../connectors/jira/emulator.js";
import { type Demo, startDemo } from "../../src/demo.js";
import { until } from "../support/until.js";

/** What the admin API has for the page: the conversation, the boards, and news as they happen. */

let demo: Demo;
beforeAll(async () => {
  demo = await startDemo({ port: 0, host: "127.0.0.1" });
});
afterAll(async () => {
  await demo?.close();
});

interface Answer {
  readonly status: number;
  readonly body: {
    readonly code?: string;
    readonly detail?: string;
    readonly tool?: string;
    readonly args?: Readonly<Record<string, string>>;
    readonly answer?: {
      readonly spoken: string;
      readonly outcome?: string;
      readonly ticket?: { readonly id: string; readonly key?: string };
      readonly question?: { readonly token?: string; readonly options: readonly { readonly id: string }[] };
    };
    readonly boards?: readonly {
      readonly name: string;
      readonly statuses: readonly { readonly name: string; readonly tickets: number }[];
    }[];
  };
}

async function ask(path: string, body?: object, token = demo.line.admin.token): Promise<Answer> {
  const response = await fetch(`${demo.line.url}/api/v1${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Answer["body"] };
}

const say = (sentence: string, conversation = "one") => ask("/tenants/acme/say", { sentence, conversation });

describe("the conversation", () => {
  it("answers a sentence with the call that was made of it", async () => {
    const { status, body } = await say("where is the welcome mail?");
    expect(status).toBe(200);
    expect(body).toMatchObject({
      tool: "read_ticket",
      args: { ticket: "the welcome mail" },
      answer: { ticket: { key: "ENG-6" }, spoken: expect.stringContaining("in Blocked") },
    });
  });

  it("remembers what was told in it, and nothing of another", async () => {
    await say("where is the welcome mail", "two");
    expect((await say("where is it", "two")).body.answer?.ticket?.key).toBe("ENG-6");
    expect((await say("where is it", "three")).body.answer?.ticket).toBeUndefined();
  });

  it("makes the move that was asked about, with what was chosen", async () => {
    const asked = await say("move the photo upload to done");
    expect(asked.body.answer?.outcome).toBe("question");
    const { ticket, question } = asked.body.answer ?? {};
    const made = await ask("/tenants/acme/say", {
      move: {
        ticket: ticket?.id,
        to: "Done",
        fields: { resolution: question?.options[0]?.id },
        token: question?.token,
      },
      conversation: "one",
    });
    expect(made.body).toMatchObject({ tool: "move_ticket", answer: { outcome: "confirmed" } });
  });

  it("takes back the move that was asked about, with what was chosen", async () => {
    const made = await say("move ENG-3 to in review", "undo");
    expect(made.body.answer?.outcome).toBe("confirmed");
    const back = await ask("/tenants/acme/say", {
      undo: { ticket: made.body.answer?.ticket?.id },
      conversation: "undo",
    });
    expect(back.body).toMatchObject({ tool: "undo_move", answer: { outcome: "confirmed" } });
  });

  it.each([
    ["no sentence", {}],
    ["an empty one", { sentence: "  " }],
    ["a long one", { sentence: "a".repeat(501) }],
    ["a key of its own", { sentence: "undo", tenant: "globex" }],
    ["a conversation that is no name", { sentence: "undo", conversation: "a/b" }],
    ["a move without an end", { move: { ticket: "ENG-1" } }],
    ["an undo that names a status", { undo: { ticket: "ENG-1", to: "Done" } }],
    ["a move that names its own id", { move: { ticket: "ENG-1", to: "Done", moveId: "x" } }],
  ])("refuses %s with a sentence", async (_what, body) => {
    const { status, body: problem } = await ask("/tenants/acme/say", body);
    expect(status).toBe(400);
    expect(problem.code).toBe("invalid");
    expect(problem.detail).toMatch(/cannot be read/);
  });

  it.each(["/say", "/boards", "/live"])(
    "tells %s only to an admin, and only of a tenant that is",
    async (path) => {
      const body = path === "/say" ? { sentence: "describe the boards" } : undefined;
      expect((await ask(`/tenants/acme${path}`, body, "guessed")).status).toBe(401);
      expect((await ask(`/tenants/acme${path}`, body, demo.line.tenants[0]?.token)).status).toBe(401);
      expect((await ask(`/tenants/nobody${path}`, body)).status).toBe(404);
    },
  );
});

describe("the boards", () => {
  it("say how many tickets are in each status", async () => {
    const { body } = await ask("/tenants/globex/boards");
    expect(body.boards?.map(({ name }) => name).sort()).toEqual([
      "Globex engineering",
      "Globex events",
      "Globex platform",
    ]);
    for (const { name, statuses } of body.boards ?? [])
      expect(
        statuses.reduce((sum, { tickets }) => sum + tickets, 0),
        name,
      ).toBe(name.endsWith("engineering") ? 10 : 7);
  });
});

describe("the tools", () => {
  interface Surface {
    readonly id: string;
    readonly frozen: boolean;
    readonly sha256: string;
    readonly tools: readonly { readonly name: string; readonly phrases: readonly string[] }[];
  }
  const surfaces = async (tenant: string) => {
    const { body } = await ask(`/tenants/${tenant}/tools`);
    return (body as unknown as { surfaces: readonly Surface[] }).surfaces;
  };

  it("are those that each kind of client is answered", async () => {
    const shown = await surfaces("acme");
    expect(shown.map(({ id }) => id)).toEqual(["2025", "2026", "alexa"]);
    const names = (id: string) => shown.find((one) => one.id === id)?.tools.map(({ name }) => name);
    const listed = await fetch(demo.line.tenants[0]?.mcpUrl ?? "", {
      method: "POST",
      headers: {
        authorization: `Bearer ${demo.line.tenants[0]?.token}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
    });
    const { result } = (await listed.json()) as { result: { tools: readonly { name: string }[] } };
    expect(names("2025")).toEqual(result.tools.map(({ name }) => name));
    expect(names("2026")).toEqual(names("2025"));
    expect(names("alexa")).toContain("move_ticket");
    const contract = JSON.parse(await readFile("docs/alexa-contract.json", "utf8")) as { sha256: string };
    expect(shown[2]).toMatchObject({ frozen: true, sha256: contract.sha256 });
  });

  it("come with sentences that lead to them", async () => {
    const [, , alexa] = await surfaces("acme");
    for (const { name, phrases } of alexa?.tools ?? []) {
      expect(phrases.length, name).toBeGreaterThan(0);
      for (const sentence of name === "move_ticket" || name === "undo_move" ? [] : phrases)
        expect((await say(sentence, "samples")).body.tool, sentence).toBe(name);
    }
    const [session] = await surfaces("acme");
    const moves = session?.tools.filter(({ name }) => name.includes("_move_to_")) ?? [];
    expect(moves.length).toBeGreaterThan(5);
    for (const { name, phrases } of moves) expect(phrases.length, name).toBeGreaterThan(0);
  });
});

describe("the work owed", () => {
  it("says what failed and why, and is done when it is tried again", async () => {
    const vcs = demo.line.tenants[1]?.vcs.url ?? "";
    const broken = { status: 403, writesOnly: true };
    await fetch(`${vcs}/__emulator/faults`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(broken),
    });
    const owed = async () => {
      const { body } = await ask("/tenants/globex/owed");
      return body as unknown as { total: number; owed: { state: string; hook?: string; reason?: string }[] };
    };
    const moved = await ask("/tenants/globex/say", { sentence: "move the invoice numbers to in progress" });
    const ticket = moved.body.answer?.ticket?.id;
    expect((await owed()).total).toBe(0);
    await ask("/tenants/globex/say", { sentence: "move the signing keys to in review", conversation: "x" });
    await until(async () => (await owed()).owed[0]?.state === "failed");
    const [found] = (await owed()).owed;
    expect(found).toMatchObject({ hook: "draft-pull-request", reason: expect.stringMatching(/GitHub/) });
    await fetch(`${vcs}/__emulator/faults`, { method: "DELETE" });
    const { ticket: owing } = found as unknown as { ticket: { id: string } };
    expect(owing.id).not.toBe(ticket);
    expect((await ask("/tenants/globex/replay", { ticket: owing.id })).body).toMatchObject({ hooks: 1 });
    await until(async () => (await owed()).total === 0);
  });
});

describe("the audit log", () => {
  interface Entry {
    readonly action: string;
    readonly ticket?: string;
    readonly outcome?: string;
    readonly detail?: { readonly already?: boolean };
    readonly named?: { readonly ticket?: { readonly key?: string; readonly title: string } };
  }
  const audit = async () => {
    const { body } = await ask("/tenants/acme/audit");
    return (body as unknown as { events: readonly Entry[] }).events;
  };

  it("names tickets and statuses as they are called on their own board, whatever another calls the same id", async () => {
    const shop = await startJiraEmulator({ site: demoJiraSite({ key: "SHOP", name: "Shop" }) });
    try {
      const sync = "/tenants/acme/connections/shop/sync?wait=true";
      const settings = { baseUrl: shop.url, project: "SHOP" };
      const { credentials } = shop;
      await ask("/tenants/acme/connections", { id: "shop", provider: "jira", settings, credentials });
      await ask(sync, {});
      shop.renameStatus("In Review", "Reviewing");
      await ask(sync, {});
      const moved = await say("move ENG-4 to in progress");
      const id = moved.body.answer?.ticket?.id;
      const [own] = (await audit()).filter(({ ticket }) => ticket === id);
      expect(own?.named).toEqual({
        ticket: { key: "ENG-4", title: expect.any(String) },
        workflow: "Acme engineering",
        from: "To Do",
        to: "In Progress",
      });
      const renamed = (await audit()).find(({ action }) => action === "workflow");
      expect(renamed?.named).toEqual({ workflow: "Shop" });
    } finally {
      await fetch(`${demo.line.url}/api/v1/tenants/acme/connections/shop`, {
        method: "DELETE",
        headers: { authorization: `Bearer ${demo.line.admin.token}` },
      });
      await shop.close();
    }
  });
});

describe("the news", () => {
  async function follow(tenant: string) {
    const heard: string[] = [];
    const stop = new AbortController();
    const response = await fetch(`${demo.line.url}/api/v1/tenants/${tenant}/live`, {
      headers: { authorization: `Bearer ${demo.line.admin.token}` },
      signal: stop.signal,
    });
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    const ended = (async () => {
      const decoder = new TextDecoder();
      for await (const chunk of response.body ?? []) heard.push(decoder.decode(chunk));
    })().catch(() => undefined);
    await until(() => heard.join("").includes("event: ready"));
    return { said: () => heard.join(""), ended, stop: () => stop.abort() };
  }

  it("tell a ticket's team that it has changed, and no other team", async () => {
    const [own, other] = await Promise.all([follow("acme"), follow("globex")]);
    const moved = await say("move the login bug to in review");
    const id = moved.body.answer?.ticket?.id ?? "";
    await until(() => own.said().includes(`"${id}"`));
    expect(own.said()).not.toContain("Login");
    // What is told to others would have been told by the time they hear of their own.
    const theirs = await ask("/tenants/globex/say", { sentence: "move the signing keys to in review" });
    await until(() => other.said().includes(`"${theirs.body.answer?.ticket?.id}"`));
    expect(other.said()).not.toContain(id);
    own.stop();
    other.stop();
  });

  // Unasked, a server waits ten seconds for open connections: longer than this test may take.
  it("end with the service, which does not wait for those who listen", async () => {
    const own = await startDemo({ port: 0, host: "127.0.0.1", inMemory: true });
    const before = demo;
    demo = own;
    const listening = await follow("acme");
    demo = before;
    await Promise.all([own.close(), listening.ended]);
    expect(listening.said()).toContain("ready");
  }, 9_000);
});
