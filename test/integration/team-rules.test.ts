import { afterEach, describe, expect, it } from "vitest";
import { BOARDS as KINDS } from "../../connectors/index.js";
import { type App, createApp } from "../../src/app.js";
import { parseConfig } from "../../src/config.js";
import { syncJobFor } from "../../src/tickets/jobs.js";
import type { Conversation } from "../../src/tickets/tickets.js";
import { listening } from "../support/desk.js";
import { quietKit } from "../support/quiet-kit.js";
import { BOARDS, DARK, LOGIN, type PeoplesBoard } from "../support/sync-boards.js";
import { ADMIN_TOKEN } from "../support/sync-world.js";

/** A team restricts a board that has no rules, through the whole service: the board would let every move through. */

const OURS = /team's own rule, not the board's/;
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

interface World {
  readonly app: App;
  readonly board: PeoplesBoard;
  readonly talk: Conversation;
  /** The ids of the board's columns, by name. */
  readonly ids: ReadonlyMap<string, string>;
  sync(): Promise<void>;
  health(): Promise<{ state: string; problems: readonly { code: string; message: string; fix: string }[] }>;
}

type Rules = Readonly<Record<string, readonly string[]>>;

async function open(
  start: () => Promise<PeoplesBoard>,
  rulesOf: (board: PeoplesBoard, ids: ReadonlyMap<string, string>) => Rules,
): Promise<World> {
  const board = await start();
  closers.push(() => board.close());
  const ids = await columnIds(board);
  const app = await createApp(
    parseConfig({
      HOST: "127.0.0.1",
      PORT: "0",
      LOG_LEVEL: "error",
      BOARDWALK_ADMIN_TOKEN: ADMIN_TOKEN,
      BOARDWALK_ALLOW_PRIVATE_HOSTS: "1",
      // News comes when the test asks for it.
      PUBLIC_URL: "http://127.0.0.1:9",
      BOARDWALK_TICKET_POLL_MS: "3600000",
    }),
    { inMemory: true },
  );
  closers.push(() => app.close());
  await app.store.createTenant({ id: "acme", name: "Acme", createdAt: new Date().toISOString() });
  const tenant = app.store.tenant("acme");
  const { provider, credentials } = board;
  const settings = { ...board.settings, allowedMoves: rulesOf(board, ids) };
  await app.connections.add(tenant, { id: "web", provider, settings, credentials });
  let asked = 0;
  const sync = async () => {
    asked += 1;
    const reply = await app.hooks.ask(syncJobFor("acme", "web", `asked-${asked}`, "full"), 30_000);
    expect(reply).toMatchObject({ ok: true });
  };
  await sync();
  return {
    app,
    board,
    ids,
    talk: { tenant, speaker: { person: "ann" }, budgetMs: 20_000 },
    sync,
    health: async () => (await app.connections.get(tenant, "web")).health,
  };
}

async function columnIds(board: PeoplesBoard): Promise<ReadonlyMap<string, string>> {
  const kind = KINDS.find(({ provider }) => provider === board.provider);
  const connector = kind?.create(
    kind.settings.parse(board.settings),
    kind.credentials.parse(board.credentials),
    quietKit,
  );
  const graphs = await connector?.pullWorkflows(new AbortController().signal);
  return new Map(graphs?.flatMap(({ statuses }) => statuses.map(({ name, id }) => [name, id] as const)));
}

const FREE = BOARDS.filter(([name]) => name !== "Jira");
const NAMED = [
  ["names", (name: string) => name],
  ["ids", (name: string, ids: ReadonlyMap<string, string>) => ids.get(name) ?? "?"],
] as const;

describe.each(FREE)("a team's rules for a board of %s", (_name, start) => {
  describe.each(NAMED)("given by %s", (_how, called) => {
    /** Out of the first column only into the second, and out of the second nowhere. */
    const rules = (board: PeoplesBoard, ids: ReadonlyMap<string, string>): Rules => {
      const [first, second] = board.columns;
      return { [called(first, ids)]: [called(second, ids)], [called(second, ids)]: [] };
    };

    it("refuse what they do not allow, say whose rule it is, and allow the rest", async () => {
      const { app, board, talk, health } = await open(start, rules);
      const [first, second] = board.columns;
      const third = thirdColumn(board);
      expect((await health()).problems.filter(({ code }) => code === "move_rule")).toEqual([]);
      const refused = await listening(app.tickets).move(talk, { ticket: LOGIN, to: third });
      expect(refused).toMatchObject({ outcome: "refused" });
      expect(refused.spoken).toMatch(OURS);
      expect(board.statusOf(LOGIN)).toBe(first);
      const moves = await listening(app.tickets).listMoves(talk, { ticket: LOGIN });
      expect(moves.openMoves.map(({ status }) => status.name)).toEqual([second]);
      expect(await listening(app.tickets).move(talk, { ticket: LOGIN, to: second })).toMatchObject({
        outcome: "confirmed",
      });
      const stuck = await listening(app.tickets).move(talk, { ticket: LOGIN, to: first });
      expect(stuck).toMatchObject({ outcome: "refused" });
      expect(stuck.spoken).toMatch(OURS);
      expect(board.statusOf(LOGIN)).toBe(second);
    });

    it("hold for where the ticket truly is, when someone has moved it since we looked", async () => {
      const { app, board, talk, sync } = await open(start, rules);
      const [first, second] = board.columns;
      board.move(DARK, thirdColumn(board));
      await sync();
      board.move(DARK, second);
      const answer = await listening(app.tickets).move(talk, { ticket: DARK, to: first });
      expect(answer).toMatchObject({ outcome: "refused", ticket: { status: { name: second } } });
      expect(answer.spoken).toMatch(OURS);
      expect(board.statusOf(DARK)).toBe(second);
    });
  });

  it("that name a column which is gone do nothing, and the connection's health says so until it is put right", async () => {
    const world = await open(start, ({ columns: [first, second] }) => ({ [first]: [second] }));
    const { app, board, talk, sync, health } = world;
    const [first] = board.columns;
    expect((await health()).problems).not.toContainEqual(expect.objectContaining({ code: "move_rule" }));
    board.rename(first, "Being made");
    await sync();
    const told = await health();
    expect(told.state).toBe("degraded");
    expect(told.problems).toContainEqual({
      code: "move_rule",
      message: expect.stringContaining(`"${first}"`),
      fix: expect.stringContaining("settings.allowedMoves"),
    });
    expect(await listening(app.tickets).move(talk, { ticket: LOGIN, to: thirdColumn(board) })).toMatchObject({
      outcome: "confirmed",
    });
    board.rename("Being made", first);
    await sync();
    expect((await health()).problems).not.toContainEqual(expect.objectContaining({ code: "move_rule" }));
  });
});

describe("a board with rules of its own", () => {
  it("keeps to those and not to ours, and the connection's health says that ours do nothing", async () => {
    const jira = BOARDS.find(([name]) => name === "Jira")?.[1];
    if (jira === undefined) throw new Error("Jira is among the boards");
    const { app, board, talk, health } = await open(jira, ({ columns: [first] }) => ({ [first]: [] }));
    const [, second] = board.columns;
    expect(await listening(app.tickets).move(talk, { ticket: LOGIN, to: second })).toMatchObject({
      outcome: "confirmed",
    });
    expect((await health()).problems).toContainEqual(expect.objectContaining({ code: "move_rule" }));
  });
});

/** One that the rules of these tests say nothing about. */
function thirdColumn({ provider }: PeoplesBoard): string {
  return provider === "trello" ? "To Do" : "Todo";
}
