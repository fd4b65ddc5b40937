import { describe, expect, it, vi } from "vitest";
import { github } from "../../../connectors/github/index.js";
import { trello } from "../../../connectors/trello/index.js";
import type { Budget, Budgets, Connector } from "../../../src/board/connector.js";
import { createEtiquette, type Etiquette } from "../../../src/board/etiquette.js";
import { rateLimited } from "../../../src/board/http.js";
import { BoardwalkError } from "../../../src/errors.js";
import { createBudgets } from "../../../src/store/redis/budgets.js";
import { openDesk } from "../../support/desk.js";
import { createFakeBoard } from "../../support/fake-board.js";

const never = new AbortController().signal;
const ONE = "fake.site.ENG1";
const TWO = "fake.site.ENG2";
const FREE: Budgets = { take: () => Promise.resolve(0) };

/** A connector as hosts open one: each call asks `pass` before its request, which fails while `trouble` is set. */
function open(etiquette: Etiquette) {
  const board = createFakeBoard([
    ["ENG-1", "Login bug", "1"],
    ["ENG-2", "Export", "1"],
  ]);
  const state: { trouble: BoardwalkError | undefined; sent: string[] } = { trouble: undefined, sent: [] };
  const request = async (what: string) => {
    await etiquette.pass();
    state.sent.push(what);
    if (state.trouble !== undefined) throw state.trouble;
  };
  const { connector } = board;
  const asked: Connector = {
    ...connector,
    pullWorkflows: (signal) => request("pullWorkflows").then(() => connector.pullWorkflows(signal)),
    readTicket: (id, signal) => request("readTicket").then(() => connector.readTicket(id, signal)),
    move: (ticket, move, input, signal) =>
      request("move").then(() => connector.move(ticket, move, input, signal)),
    async *pullTickets(since, signal) {
      await request("pullTickets");
      yield* connector.pullTickets(since, signal);
    },
  };
  return { board, state, connector: etiquette.listen(asked) };
}

function waitOf(only?: "ticket" | "call"): BoardwalkError {
  const { code, message } = rateLimited("Jira", 60_000);
  return new BoardwalkError(code, message, {
    retryAfterMs: 60_000,
    ...(only === undefined ? {} : { data: { only } }),
  });
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => "ok",
    (error: unknown) => BoardwalkError.from(error).code,
  );
}

async function fetched(items: AsyncIterable<unknown>): Promise<number> {
  let count = 0;
  for await (const _item of items) count += 1;
  return count;
}

describe("a board that asked us to wait", () => {
  it("is asked nothing until then, by no call", async () => {
    const { connector, state, board } = open(createEtiquette("Jira", [], FREE));
    const ticket = await connector.readTicket(ONE, never);
    const [move] = await connector.openMoves(ticket as never, never);
    state.trouble = waitOf();
    expect(await codeOf(connector.readTicket(ONE, never))).toBe("rate_limited");
    const before = state.sent.length;
    expect(await codeOf(connector.readTicket(TWO, never))).toBe("rate_limited");
    expect(await codeOf(connector.pullWorkflows(never))).toBe("rate_limited");
    expect(await codeOf(fetched(connector.pullTickets(undefined, never)))).toBe("rate_limited");
    expect(await codeOf(connector.move(ticket as never, move as never, {}, never))).toBe("rate_limited");
    expect(state.sent).toHaveLength(before);
    expect(board.writes).toEqual([]);
  });

  it("is left alone with one ticket's writes only, when it said that these were too many", async () => {
    const { connector, state } = open(createEtiquette("Jira", [], FREE));
    const [one, two] = [await connector.readTicket(ONE, never), await connector.readTicket(TWO, never)];
    const [move] = await connector.openMoves(one as never, never);
    state.trouble = waitOf("ticket");
    expect(await codeOf(connector.move(one as never, move as never, {}, never))).toBe("rate_limited");
    state.trouble = undefined;
    const before = state.sent.length;
    expect(await codeOf(connector.move(one as never, move as never, {}, never))).toBe("rate_limited");
    expect(state.sent).toHaveLength(before);
    expect(await codeOf(connector.readTicket(ONE, never))).toBe("ok");
    expect(await codeOf(connector.move(two as never, move as never, {}, never))).toBe("ok");
    expect(await codeOf(fetched(connector.pullTickets(undefined, never)))).toBe("ok");
  });

  it("is left alone with one kind of call only, when it said that these came too fast", async () => {
    const { connector, state } = open(createEtiquette("Jira", [], FREE));
    state.trouble = waitOf("call");
    expect(await codeOf(fetched(connector.pullTickets(undefined, never)))).toBe("rate_limited");
    state.trouble = undefined;
    const before = state.sent.length;
    expect(await codeOf(fetched(connector.pullTickets(undefined, never)))).toBe("rate_limited");
    expect(state.sent).toHaveLength(before);
    expect(await codeOf(connector.readTicket(ONE, never))).toBe("ok");
    expect(await codeOf(connector.pullWorkflows(never))).toBe("ok");
  });

  it("is asked again after the wait, which our own refusals do not lengthen", async () => {
    vi.useFakeTimers();
    try {
      const { connector, state } = open(createEtiquette("Jira", [], FREE));
      state.trouble = waitOf();
      await codeOf(connector.readTicket(ONE, never));
      state.trouble = undefined;
      for (let second = 0; second < 58; second++) {
        expect(await codeOf(connector.readTicket(ONE, never))).toBe("rate_limited");
        vi.advanceTimersByTime(1_000);
      }
      vi.advanceTimersByTime(2_001);
      expect(await codeOf(connector.readTicket(ONE, never))).toBe("ok");
    } finally {
      vi.useRealTimers();
    }
  });

  it("is told to a person in words: who asked, and for how long", async () => {
    const board = createFakeBoard([["ENG-1", "Login bug", "1"]]);
    board.onNextWrite(() => {
      throw rateLimited("GitHub", 60_000);
    });
    const desk = await openDesk(board);
    const answer = await desk.tickets.move(desk.talk(), { ticket: "ENG-1", to: "In Progress" });
    expect(answer).toMatchObject({ outcome: "refused", code: "rate_limited" });
    expect(answer.spoken).toContain("GitHub asked us to wait a minute.");
    expect(answer.spoken).not.toMatch(/429|403|rate/i);
    await desk.close();
  });
});

describe("a budget", () => {
  const budget: Budget = { key: "a board's key", requests: 3, perMs: 60_000 };

  it("is kept to by everyone with the same key, and by nobody else", async () => {
    const counts = createBudgets();
    const [one, two] = [
      createEtiquette("Trello", [budget], counts),
      createEtiquette("Trello", [budget], counts),
    ];
    const other = createEtiquette("Trello", [{ ...budget, key: "another key" }], counts);
    const passed = await Promise.all(
      [one, two, one, two, other].map((etiquette) => codeOf(etiquette.pass())),
    );
    expect(passed.filter((code) => code === "ok")).toHaveLength(4);
    expect(passed[4]).toBe("ok");
    const error = await one.pass().catch((thrown: BoardwalkError) => thrown);
    expect(error).toMatchObject({ code: "rate_limited" });
    expect((error as BoardwalkError).message).toMatch(/^Trello asked us to wait (a minute|\d+ seconds)\. /);
  });

  it("that is nearly back is waited for", async () => {
    const waits = [400, 0];
    const counts: Budgets = { take: async () => waits.shift() ?? 0 };
    expect(await codeOf(createEtiquette("Trello", [budget], counts).pass())).toBe("ok");
    expect(waits).toEqual([]);
  });

  it("that others snatch again and again is not waited for without end", async () => {
    let asked = 0;
    const counts: Budgets = {
      take: async () => {
        asked += 1;
        return 700;
      },
    };
    expect(await codeOf(createEtiquette("Trello", [budget], counts).pass())).toBe("rate_limited");
    expect(asked).toBeLessThan(6);
  });

  it("costs boards without one not a single round trip", async () => {
    const take = vi.fn(async () => 0);
    const { connector, state } = open(createEtiquette("Jira", [], { take }));
    for (let round = 0; round < 100; round++) await connector.readTicket(ONE, never);
    expect(state.sent).toHaveLength(100);
    expect(take).not.toHaveBeenCalled();
  });
});

describe("Trello's budgets", () => {
  const settings = trello.settings.parse({ board: "65b0f0000000000000000001" });
  const budgets = (token: string, apiKey = "an-app-key") =>
    trello.budgets?.(settings, trello.credentials.parse({ apiKey, token })) ?? [];
  const passes = (etiquette: Etiquette, times: number) =>
    Promise.all(Array.from({ length: times }, () => codeOf(etiquette.pass())));

  it("are a hundred in ten seconds for each token, and three hundred for an app's key, whoever's token it is", async () => {
    const counts = createBudgets();
    const tenants = ["one", "two", "three", "four"].map((token) =>
      createEtiquette("Trello", budgets(token), counts),
    );
    const passed: number[] = [];
    for (const tenant of tenants)
      passed.push((await passes(tenant, 120)).filter((code) => code === "ok").length);
    expect(passed).toEqual([100, 100, 100, 0]);
    const elsewhere = createEtiquette("Trello", budgets("five", "another-app-key"), counts);
    expect(await codeOf(elsewhere.pass())).toBe("ok");
  });

  it("tell nothing of the secrets they are counted by", () => {
    expect(JSON.stringify(budgets("a-secret-token"))).not.toMatch(/a-secret-token|an-app-key/);
  });
});

describe("GitHub's budget", () => {
  const credentials = github.credentials.parse({ token: "a-secret-token" });
  const budgets = (apiUrl?: string) =>
    github.budgets?.(github.settings.parse({ owner: "acme", project: 1, apiUrl }), credentials) ?? [];

  it("is below what github.com lets one account have, and there is none for an Enterprise Server", () => {
    expect(budgets()).toMatchObject([{ requests: 1_500, perMs: 60_000 }]);
    expect(JSON.stringify(budgets())).not.toContain("a-secret-token");
    expect(budgets("https://github.acme.example/api/v3")).toEqual([]);
  });
});
