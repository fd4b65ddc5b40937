import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import {
  type BoardSeed,
  demoTrelloBoard,
  startTrelloEmulator,
  type TrelloEmulator,
  type TrelloEmulatorOptions,
  type TrelloSeed,
} from "../../connectors/trello/emulator.js";
import { trello } from "../../connectors/trello/index.js";
import type {
  Connector,
  ConnectorKit,
  Hint,
  Move,
  Ticket,
  WebhookDelivery,
} from "../../src/board/connector.js";
import { BoardwalkError } from "../../src/errors.js";
import { startWebhookSink, type WebhookSink } from "../support/webhook-sink.js";

/** What only Trello has. Run by its own test, and once more under the eyes of the published description. */

const never = new AbortController().signal;
const OTHER: BoardSeed = { name: "Other", lists: [{ name: "Elsewhere" }] };
const LONG_AGO = new Date("2024-03-01T10:00:00Z");

export function describeTrello(name: string, extra: Pick<TrelloEmulatorOptions, "onExchange"> = {}): void {
  describe(name, () => {
    const running: TrelloEmulator[] = [];
    afterEach(async () => {
      await Promise.all(running.splice(0).map((emulator) => emulator.close()));
    });
    const start: Start = async (board, options = {}) => {
      const seed = board === undefined ? {} : { board: { ...demoTrelloBoard(), ...board } };
      const emulator = await startTrelloEmulator({ ...extra, ...options, ...seed });
      running.push(emulator);
      return emulator;
    };
    describeLists(start);
    describeCards(start);
    describeLeaving(start);
    describeMoves(start);
    describeRefusals(start);
    describeProbe(start);
    describeRegistration(start);
    describeDeliveries(start);
  });
}

type Start = (
  board?: Partial<TrelloSeed>,
  options?: Omit<TrelloEmulatorOptions, "board">,
) => Promise<TrelloEmulator>;

interface Connecting {
  readonly settings?: object;
  readonly credentials?: object;
  readonly kit?: Partial<ConnectorKit>;
}

function connect(emulator: TrelloEmulator, { settings, credentials, kit }: Connecting = {}): Connector {
  const quietKit: ConnectorKit = {
    connection: "test",
    checkUrl: async () => {},
    saveCredentials: async () => {},
    now: () => new Date(),
  };
  return trello.create(
    trello.settings.parse({ board: emulator.boardId, apiUrl: emulator.url, ...settings }),
    trello.credentials.parse({ ...emulator.credentials, ...credentials }),
    { ...quietKit, ...kit },
  );
}

async function pull(connector: Connector, since?: Date): Promise<Ticket[]> {
  const all: Ticket[] = [];
  for await (const ticket of connector.pullTickets(since, never)) all.push(ticket);
  return all;
}

async function called(connector: Connector, title: string): Promise<Ticket> {
  const found = (await pull(connector)).find((ticket) => ticket.title === title);
  if (found === undefined) throw new Error(`no ticket "${title}"`);
  return found;
}

const moveTo = (id: string): Move => ({ id, to: id, fields: [] });

async function refusalOf(promise: Promise<unknown>): Promise<BoardwalkError> {
  const thrown = await promise.then(
    (value) => expect.fail(`should have been refused, but gave ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(BoardwalkError);
  return thrown as BoardwalkError;
}

function writes(emulator: TrelloEmulator): string[] {
  return emulator.journal.filter(({ method }) => method !== "GET").map(({ method }) => method);
}

function describeLists(start: Start): void {
  describe("lists", () => {
    it("are statuses from left to right; an archived one is retired and no target", async () => {
      const emulator = await start();
      emulator.archiveList("Backlog");
      emulator.reorderList("Done", 1);
      const [graph] = await connect(emulator).pullWorkflows(never);
      expect(graph?.statuses.map(({ name, retired = false }) => [name, retired])).toEqual([
        ["Done", false],
        ["Backlog", true],
        ["To Do", false],
        ["In Progress", false],
        ["In Review", false],
      ]);
      expect(graph).toMatchObject({ initial: emulator.listId("Done"), edges: "implied" });
      expect(graph?.moves.map((move) => [move.from, move.to])).not.toContainEqual([
        "*",
        emulator.listId("Backlog"),
      ]);
      expect(new Set(graph?.statuses.map(({ category }) => category))).toEqual(new Set(["unknown"]));
    });

    it("are said by their place where nobody can say the name", async () => {
      const lists = ["To Do", "👀", "   ", "Done ✅"].map((name) => ({ name }));
      const emulator = await start({ lists, cards: [] });
      const [graph] = await connect(emulator).pullWorkflows(never);
      expect(graph?.statuses.map(({ aliases }) => aliases)).toEqual([
        [],
        ["list 2", "column 2"],
        ["list 3", "column 3"],
        [],
      ]);
    });

    it("are of the same workflow however the board was named", async () => {
      const emulator = await start();
      const ids = await Promise.all(
        [emulator.boardId, "bwDemo01", "https://trello.com/b/bwDemo01/house-and-events"].map(
          async (board) => (await connect(emulator, { settings: { board } }).pullWorkflows(never))[0]?.id,
        ),
      );
      expect(new Set(ids).size).toBe(1);
      expect(ids[0]).toContain(emulator.boardId);
    });

    it("leave the workflow when they go to another board", async () => {
      const emulator = await start({ otherBoards: [OTHER] });
      const connector = connect(emulator);
      emulator.moveListToBoard("In Review", "Other");
      const [graph] = await connector.pullWorkflows(never);
      expect(graph?.statuses.map(({ name }) => name)).not.toContain("In Review");
    });
  });
}

function describeCards(start: Start): void {
  describe("cards", () => {
    it("are called by the number Trello shows on them", async () => {
      const emulator = await start();
      const keys = (await pull(connect(emulator))).map(({ key }) => key);
      expect(keys.toSorted()).toEqual(Array.from({ length: 10 }, (_, i) => `card-${i + 1}`).toSorted());
    });

    it.each(["separator", "board", "mirror", "link"] as const)(
      "of role %s are no tickets",
      async (cardRole) => {
        const emulator = await start({ cards: [] });
        const card = emulator.addCard({ title: "---", list: "To Do", cardRole });
        const connector = connect(emulator);
        const { id: real } = emulator.addCard({ title: "A ticket", list: "To Do" });
        const tickets = await pull(connector);
        expect(tickets.map(({ title }) => title)).toEqual(["A ticket"]);
        const id = tickets[0]?.id.replace(real, card.id) ?? "";
        expect(await connector.readTicket(id, never)).toBeUndefined();
      },
    );

    it("are archived by themselves or with their list, and keep their status", async () => {
      const emulator = await start();
      emulator.archiveCard("Order name tags for the open day");
      emulator.archiveList("In Review");
      const archived = (await pull(connect(emulator))).filter((ticket) => ticket.archived);
      expect(archived.map(({ title, status }) => [title, status]).toSorted()).toEqual([
        ["Order name tags for the open day", emulator.listId("To Do")],
        ["Write the newsletter about the new menu", emulator.listId("In Review")],
      ]);
      for (const ticket of archived) {
        expect(ticket.immovable).toMatch(/archived/);
        expect(await connect(emulator).readTicket(ticket.id, never)).toEqual(ticket);
        expect(await connect(emulator).openMoves(ticket, never)).toEqual([]);
      }
    });

    it("are told when their list is archived or comes back, though their own time does not change", async () => {
      const cards = [{ title: "Of the list", list: "To Do", made: LONG_AGO, lastActivity: LONG_AGO }];
      const emulator = await start({ cards });
      const connector = connect(emulator);
      const since = new Date();
      expect(await pull(connector, since)).toEqual([]);
      for (const closed of [true, false]) {
        emulator.archiveList("To Do", closed);
        const [ticket] = await pull(connector, since);
        expect(ticket).toMatchObject({ title: "Of the list", updatedAt: LONG_AGO.toISOString() });
        expect(ticket?.archived ?? false).toBe(closed);
      }
    });

    it("are all read with one request, however many lists there are", async () => {
      const cards = Array.from({ length: 400 }, (_, i) => ({ title: `Card ${i}`, list: "To Do" }));
      const emulator = await start({ cards });
      const connector = connect(emulator);
      expect(await pull(connector)).toHaveLength(400);
      expect(emulator.journal.filter(({ path }) => path.includes("/cards"))).toHaveLength(1);
      expect(emulator.journal).toHaveLength(2);
    });

    it("are read to the end, page after page, though many were made in the same second", async () => {
      const now = Date.now();
      const cards = Array.from({ length: 2_345 }, (_, i) => ({
        title: `Card ${i}`,
        list: "To Do",
        made: new Date(now - Math.floor(i / 400) * 1000),
      }));
      const emulator = await start({ cards });
      const tickets = await pull(connect(emulator));
      expect(tickets).toHaveLength(2_345);
      expect(new Set(tickets.map(({ title }) => title)).size).toBe(2_345);
    });

    it("are nothing where this account is not a member", async () => {
      const emulator = await start({ otherBoards: [{ ...OTHER, member: false }] });
      const connector = connect(emulator);
      const ticket = await called(connector, "Repair the coffee machine on the second floor");
      emulator.moveCardToBoard(ticket.title, "Other", "Elsewhere");
      expect(await connector.readTicket(ticket.id, never)).toBeUndefined();
      expect(await pull(connector, new Date(0))).toHaveLength(9);
    });
  });
}

function describeLeaving(start: Start): void {
  describe("leaving the board", () => {
    it("is told to a poll, card by card and with a whole list", async () => {
      const emulator = await start({ otherBoards: [OTHER] });
      const connector = connect(emulator);
      const before = await pull(connector);
      const since = new Date();
      emulator.moveCardToBoard("Book a room for the spring workshop", "Other", "Elsewhere");
      emulator.moveListToBoard("In Progress", "Other");
      const gone = (await pull(connector, since)).filter(({ workflow }) => workflow !== before[0]?.workflow);
      expect(gone.map(({ title }) => title).toSorted()).toEqual([
        "Book a room for the spring workshop",
        "Print the tickets for the summer concert",
        "Repair the coffee machine on the second floor",
      ]);
      const ids = new Set(before.map(({ id }) => id));
      expect(gone.every(({ id }) => ids.has(id))).toBe(true);
      expect(new Set(gone.map(({ workflow }) => workflow)).size).toBe(1);
    });

    it("and coming to it is told of a list's cards too, though their own time does not change", async () => {
      const cards = [{ title: "Of the list", list: "Elsewhere", made: LONG_AGO, lastActivity: LONG_AGO }];
      const emulator = await start({ cards: [], otherBoards: [{ ...OTHER, cards }] });
      const connector = connect(emulator);
      const since = new Date();
      expect(await pull(connector, since)).toEqual([]);
      const { world, boardId } = emulator;
      const list = [...world.lists.values()].find(({ name }) => name === "Elsewhere");
      const here = world.boardOf(boardId);
      if (list === undefined || here === undefined) expect.fail("no such list");
      world.moveListToBoard(list, here, world.someoneElse);
      expect(await pull(connector, since)).toMatchObject([{ title: "Of the list", status: list.id }]);
    });

    it("leaves no move open here, and none is made", async () => {
      const emulator = await start({ otherBoards: [OTHER] });
      const connector = connect(emulator);
      const ticket = await called(connector, "Book a room for the spring workshop");
      emulator.moveCardToBoard(ticket.title, "Other", "Elsewhere");
      expect(await connector.openMoves(ticket, never)).toEqual([]);
      const elsewhere = [...emulator.world.lists.values()].find(({ name }) => name === "Elsewhere");
      for (const list of [emulator.listId("Done"), elsewhere?.id ?? ""]) {
        expect(await refusalOf(connector.move(ticket, moveTo(list), {}, never))).toMatchObject({
          code: "no_such_move",
        });
      }
      expect(writes(emulator)).toEqual([]);
    });
  });
}

function describeMoves(start: Start): void {
  describe("moving", () => {
    it("puts the card to the bottom of the list", async () => {
      const emulator = await start();
      const connector = connect(emulator);
      const ticket = await called(connector, "Thank the volunteers of last weekend");
      await connector.move(ticket, moveTo(emulator.listId("To Do")), {}, never);
      const inList = emulator.world.cardsOf(emulator.world.boards[0] as never);
      const toDo = inList.filter((card) => card.list.id === emulator.listId("To Do"));
      expect(toDo.map(({ name }) => name).at(-1)).toBe(ticket.title);
    });

    it("never leaves the board, whatever list is named", async () => {
      const emulator = await start({ otherBoards: [OTHER] });
      const connector = connect(emulator);
      const ticket = await called(connector, "Thank the volunteers of last weekend");
      const other = [...emulator.world.lists.values()].find(({ name }) => name === "Elsewhere")?.id ?? "";
      for (const list of [other, emulator.boardId, "65b0f0ffffffffffffffffff"]) {
        const refused = await refusalOf(connector.move(ticket, moveTo(list), {}, never));
        expect(refused).toMatchObject({ code: "stale_workflow", retryable: true });
      }
      expect(writes(emulator)).toEqual([]);
    });

    it("does not go to an archived list, and offers it no longer", async () => {
      const emulator = await start();
      const connector = connect(emulator);
      const ticket = await called(connector, "Thank the volunteers of last weekend");
      const review = emulator.listId("In Review");
      expect((await connector.openMoves(ticket, never)).map(({ to }) => to)).toContain(review);
      emulator.archiveList("In Review");
      expect(await refusalOf(connector.move(ticket, moveTo(review), {}, never))).toMatchObject({
        code: "stale_workflow",
      });
      expect((await connector.openMoves(ticket, never)).map(({ to }) => to)).not.toContain(review);
      expect(writes(emulator)).toEqual([]);
    });

    it("offers a new list after half a minute, and at once to a card that is in one", async () => {
      let now = new Date();
      const emulator = await start();
      const connector = connect(emulator, { kit: { now: () => now } });
      const ticket = await called(connector, "Thank the volunteers of last weekend");
      const names = async () => (await connector.openMoves(ticket, never)).map(({ name }) => name);
      expect(await names()).not.toContain("Blocked");
      emulator.addList({ name: "Blocked" });
      emulator.moveCard(ticket.title, "Blocked");
      emulator.addList({ name: "Waiting" });
      expect(await names()).toContain("Waiting");
      emulator.addList({ name: "Later" });
      now = new Date(now.getTime() + 31_000);
      expect(await names()).toContain("Later");
    });

    it("reads the lists once for many tickets", async () => {
      const emulator = await start();
      const connector = connect(emulator);
      const tickets = await pull(connector);
      const before = emulator.journal.length;
      for (const ticket of tickets) await connector.openMoves(ticket, never);
      const asked = emulator.journal.slice(before).filter(({ path }) => path.includes("/lists"));
      expect(asked).toHaveLength(0);
    });

    it("leaves a card in an archived list alone", async () => {
      const emulator = await start();
      const connector = connect(emulator);
      const ticket = await called(connector, "Thank the volunteers of last weekend");
      emulator.archiveList("Done");
      const move = connector.move(ticket, moveTo(emulator.listId("To Do")), {}, never);
      expect(await refusalOf(move)).toMatchObject({ code: "archived" });
      expect(writes(emulator)).toEqual([]);
    });

    it("writes no move where the card is there already, and still adds the comment", async () => {
      const emulator = await start();
      const connector = connect(emulator);
      const ticket = await called(connector, "Thank the volunteers of last weekend");
      await connector.move(ticket, moveTo(ticket.status), { comment: "All of them." }, never);
      expect(writes(emulator)).toEqual(["POST"]);
      expect(commentsOf(emulator)).toEqual(["All of them."]);
    });

    it("takes no fields", async () => {
      const emulator = await start();
      const connector = connect(emulator);
      const ticket = await called(connector, "Thank the volunteers of last weekend");
      const input = { fields: { resolution: "Done" } };
      const move = connector.move(ticket, moveTo(emulator.listId("To Do")), input, never);
      expect(await refusalOf(move)).toMatchObject({ code: "invalid" });
      expect(writes(emulator)).toEqual([]);
    });

    it("adds the comment apart, and says so when only the comment failed", async () => {
      const emulator = await start();
      const connector = connect(emulator);
      const ticket = await called(connector, "Thank the volunteers of last weekend");
      const said = "Crash 🚀 & café, 100% #1?";
      const moved = await connector.move(ticket, moveTo(emulator.listId("To Do")), { comment: said }, never);
      expect(moved).not.toHaveProperty("remark");
      expect(commentsOf(emulator)).toEqual([said]);
      emulator.setGate(({ method }) => (method === "POST" ? { before: async () => "lost" } : undefined));
      const again = await connector.move(moved, moveTo(emulator.listId("Done")), { comment: said }, never);
      expect(again).toMatchObject({ status: emulator.listId("Done") });
      expect(again.remark).toMatch(/^The comment could not be added\. [A-Z].*\.$/);
    });
  });
}

/** A server that is not the emulator. */
async function answering(answer: RequestListener) {
  const server = createServer(answer);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}`, close };
}

function commentsOf(emulator: TrelloEmulator): unknown[] {
  return emulator.world.actions.filter(({ type }) => type === "commentCard").map(({ data }) => data.text);
}

function describeRefusals(start: Start): void {
  describe("refusing", () => {
    it.each([
      ["a token that may only read", (emulator: TrelloEmulator) => emulator.grant({ write: false })],
      ["an observer", (emulator: TrelloEmulator) => emulator.setMembership("observer")],
    ])("is forbidden to %s, and is no expired login", async (_who, restrict) => {
      const emulator = await start();
      const connector = connect(emulator);
      const ticket = await called(connector, "Thank the volunteers of last weekend");
      restrict(emulator);
      const move = connector.move(ticket, moveTo(emulator.listId("To Do")), {}, never);
      expect(await refusalOf(move)).toMatchObject({ code: "forbidden" });
      expect(await connector.readTicket(ticket.id, never)).toMatchObject({ status: ticket.status });
    });

    it.each<[string, Connecting, (emulator: TrelloEmulator) => void]>([
      ["a wrong key", { credentials: { apiKey: "wrong" } }, () => {}],
      ["a wrong token", { credentials: { token: "wrong" } }, () => {}],
      ["an expired token", {}, (emulator) => emulator.grant({ expires: LONG_AGO })],
    ])("asks for a new login after %s", async (_what, connecting, change) => {
      const emulator = await start();
      change(emulator);
      const connector = connect(emulator, connecting);
      expect(await refusalOf(connector.pullWorkflows(never))).toMatchObject({ code: "auth_expired" });
      expect(emulator.journal).toHaveLength(1);
    });

    it.each(["key", "token"] as const)("waits ten seconds when the %s's window is full", async (which) => {
      const emulator = await start();
      const connector = connect(emulator);
      emulator.limits.refuseNext(3, which);
      const refused = await refusalOf(connector.pullWorkflows(never));
      expect(refused).toMatchObject({ code: "rate_limited", retryAfterMs: 10_000 });
      expect(refused.message).toContain("10 seconds");
      // Each further try would only prolong it.
      expect(emulator.journal).toHaveLength(1);
    });

    it("stays within the limits where one request per card would not", async () => {
      const cards = Array.from({ length: 400 }, (_, i) => ({ title: `Card ${i}`, list: "To Do" }));
      const emulator = await start({ cards });
      emulator.limits.enforce();
      const connector = connect(emulator);
      await connector.pullWorkflows(never);
      for (let poll = 0; poll < 10; poll++) await pull(connector, new Date());
    });

    it("keeps key, token and secret out of every address but the one that Trello has for tokens, and out of errors", async () => {
      const emulator = await start();
      const { apiKey, token, secret } = emulator.credentials;
      const connector = connect(emulator);
      const sink = await startWebhookSink();
      await connector.pullWorkflows(never);
      const ticket = await called(connector, "Thank the volunteers of last weekend");
      await connector.move(ticket, moveTo(emulator.listId("To Do")), { comment: "x" }, never);
      await connector.webhooks?.ensure(sink.newUrl(), never);
      await connector.probe(never);
      const withSecret = emulator.journal
        .map(({ path }) => path)
        .filter((path) => [apiKey, token, secret].some((each) => path.includes(each)));
      expect(new Set(withSecret.map((path) => path.replace(token, "{token}")))).toEqual(
        new Set(["/1/tokens/{token}", "/1/tokens/{token}/webhooks"]),
      );
      await Promise.all([emulator.close(), sink.close()]);
      for (const call of [
        () => connector.webhooks?.ensure("https://us.example/hook", never),
        () => connector.pullWorkflows(never),
        () => connector.move(ticket, moveTo(ticket.status), {}, never),
      ]) {
        const error = await refusalOf(call() as Promise<unknown>);
        const everything = inspect(error, { depth: 10, showHidden: true });
        for (const each of [apiKey, token, secret]) expect(everything).not.toContain(each);
      }
      for (const { message } of await connector.probe(never)) expect(message).not.toContain(token);
    });

    it("follows no redirect, which would carry the token elsewhere", async () => {
      const elsewhere: (string | undefined)[] = [];
      const target = await answering((request, response) => {
        elsewhere.push(request.headers.authorization);
        response.end("{}");
      });
      const board = await answering((_request, response) => {
        response.writeHead(302, { location: target.url }).end();
      });
      const emulator = await start();
      const connector = connect(emulator, { settings: { apiUrl: board.url } });
      expect(await refusalOf(connector.pullWorkflows(never))).toMatchObject({ code: "invalid" });
      expect(elsewhere).toEqual([]);
      await Promise.all([board.close(), target.close()]);
    });

    it("takes no settings or credentials that could not be right, and repeats none", () => {
      const credentials = { apiKey: 'a"b', token: "c\r\nd" };
      const parsed = trello.credentials.safeParse(credentials);
      expect(parsed.success).toBe(false);
      expect(String(parsed.error)).not.toContain('a"b');
      for (const board of ["", "My board", "../members/me", "dQHqCoh", "https://evil.example/b/dQHqCohZ"])
        expect(trello.settings.safeParse({ board }).success, board).toBe(false);
    });
  });
}

function describeProbe(start: Start): void {
  describe("probing", () => {
    it.each<[string, Connecting, (emulator: TrelloEmulator) => void, string]>([
      ["a token that may not write", {}, (e) => e.grant({ write: false }), "forbidden"],
      ["an observer", {}, (e) => e.setMembership("observer"), "forbidden"],
      ["a stranger to the board", {}, (e) => e.setMembership("none"), "not_found_or_hidden"],
      ["a board that is nowhere", { settings: { board: "nowhere0" } }, () => {}, "not_found_or_hidden"],
      ["a closed board", {}, (e) => e.closeBoard(), "archived"],
      [
        "a token about to expire",
        {},
        (e) => e.grant({ expires: new Date(Date.now() + 3 * 24 * 3_600_000) }),
        "expires_soon",
      ],
      ["no secret", { credentials: { secret: undefined } }, () => {}, "no_secret"],
      ["a wrong token", { credentials: { token: "wrong" } }, () => {}, "auth_expired"],
    ])("tells of %s, with what to do", async (_what, connecting, change, code) => {
      const emulator = await start();
      change(emulator);
      const problems = await connect(emulator, connecting).probe(never);
      expect(problems.map((problem) => problem.code)).toEqual([code]);
      for (const { message, fix } of problems) {
        expect(message).toMatch(/^[A-Z].*\.$/);
        expect(fix).toMatch(/^[A-Z].*\.$/);
      }
    });

    it("has nothing against a token that expires in a year", async () => {
      const emulator = await start();
      emulator.grant({ expires: new Date(Date.now() + 365 * 24 * 3_600_000) });
      expect(await connect(emulator).probe(never)).toEqual([]);
    });
  });
}

function describeRegistration(start: Start): void {
  describe("registering", () => {
    let sink: WebhookSink | undefined;
    const urlOf = async () => {
      sink ??= await startWebhookSink();
      return sink.newUrl();
    };
    afterEach(async () => {
      await sink?.close();
      sink = undefined;
    });

    it("is not offered without the app's secret", async () => {
      const emulator = await start();
      expect(connect(emulator, { credentials: { secret: undefined } }).webhooks).toBeUndefined();
    });

    it("happens once when two processes begin at once", async () => {
      const emulator = await start();
      const url = await urlOf();
      const both = [connect(emulator), connect(emulator)].map(({ webhooks }) => webhooks?.ensure(url, never));
      expect(await Promise.all(both)).toEqual([
        { url, state: "active", by: "boardwalk" },
        { url, state: "active", by: "boardwalk" },
      ]);
      expect(emulator.webhooks.registered).toHaveLength(1);
    });

    it("adopts the one whose answer was lost", async () => {
      const emulator = await start();
      const url = await urlOf();
      emulator.setFaults({ status: 502, times: 1, afterWork: true, writesOnly: true });
      const { webhooks } = connect(emulator);
      expect(await refusalOf(webhooks?.ensure(url, never) as Promise<unknown>)).toMatchObject({
        code: "unavailable",
      });
      expect(await webhooks?.ensure(url, never)).toMatchObject({ state: "active" });
      expect(emulator.webhooks.registered).toHaveLength(1);
    });

    it("switches one that Trello gave up on again, once", async () => {
      const emulator = await start();
      const url = await urlOf();
      const { webhooks } = connect(emulator);
      await webhooks?.ensure(url, never);
      const [registered] = emulator.webhooks.registered;
      for (const state of ["active", "failing", "failing"]) {
        (registered as { active: boolean }).active = false;
        expect(await webhooks?.ensure(url, never)).toMatchObject({ state });
      }
      expect(emulator.webhooks.registered).toHaveLength(1);
    });

    it("says so when nobody answers at our address, without telling the address", async () => {
      const emulator = await start();
      const { webhooks } = connect(emulator);
      const refused = await refusalOf(webhooks?.ensure("http://127.0.0.1:9/a-secret-path", never) as never);
      expect(refused.code).toBe("invalid");
      expect(refused.message).toMatch(/could not reach/);
      expect(inspect(refused, { depth: 10 })).not.toContain("a-secret-path");
    });

    it("says so too when it would switch one on and nobody answers any more", async () => {
      const emulator = await start();
      const url = await urlOf();
      const { webhooks } = connect(emulator);
      await webhooks?.ensure(url, never);
      (emulator.webhooks.registered[0] as { active: boolean }).active = false;
      await sink?.close();
      sink = undefined;
      const refused = await refusalOf(webhooks?.ensure(url, never) as never);
      expect(refused.message).toMatch(/could not reach/);
      expect(inspect(refused, { depth: 10 })).not.toContain(new URL(url).pathname);
    });

    it("leaves webhooks of other boards and addresses alone", async () => {
      const emulator = await start({ otherBoards: [OTHER] });
      const [one, two] = [await urlOf(), await urlOf()];
      const { webhooks } = connect(emulator);
      await webhooks?.ensure(one, never);
      await webhooks?.ensure(two, never);
      const other = emulator.world.boards[1]?.id ?? "";
      await connect(emulator, { settings: { board: other } }).webhooks?.ensure(one, never);
      const kept = emulator.webhooks.registered.map(({ callbackURL, idModel }) => [callbackURL, idModel]);
      expect(kept).toEqual([
        [one, emulator.boardId],
        [two, emulator.boardId],
        [one, other],
      ]);
    });
  });
}

function describeDeliveries(start: Start): void {
  describe("deliveries", () => {
    let sink: WebhookSink | undefined;
    afterEach(async () => {
      await sink?.close();
      sink = undefined;
    });

    async function listening(seed?: Partial<TrelloSeed>) {
      const emulator = await start(seed);
      const connector = connect(emulator);
      sink = await startWebhookSink();
      const url = sink.newUrl();
      await connector.webhooks?.ensure(url, never);
      const ticket = await called(connector, "Thank the volunteers of last weekend");
      const told = async (act: () => unknown): Promise<readonly Hint[]> => {
        const from = emulator.webhooks.sent.length;
        act();
        const sent = emulator.webhooks.sent.slice(from).map((each) => deliveryOf(each));
        const read = await Promise.all(sent.map((delivery) => connector.webhooks?.read(delivery)));
        return read.flatMap((each) => each?.hints ?? []);
      };
      return { emulator, connector, ticket, told, url };
    }

    it("tell of a card's move, name, archiving, coming and going", async () => {
      const { emulator, ticket, told } = await listening({ otherBoards: [OTHER] });
      const by = emulator.world.someoneElse.id;
      const ofTicket = [{ kind: "ticket", ticket: ticket.id, by }];
      const { title } = ticket;
      expect(await told(() => emulator.moveCard(title, "To Do"))).toEqual(ofTicket);
      expect(await told(() => emulator.archiveCard(title))).toEqual(ofTicket);
      expect(await told(() => emulator.archiveCard(title, false))).toEqual(ofTicket);
      expect(await told(() => emulator.editCard(title, { name: "Another" }))).toEqual(ofTicket);
      expect(await told(() => emulator.moveCardToBoard("Another", "Other", "Elsewhere"))).toEqual(ofTicket);
      expect(await told(() => emulator.addCard({ title: "New", list: "Done" }))).toMatchObject([
        { kind: "ticket" },
      ]);
      expect(await told(() => emulator.deleteCard("New"))).toMatchObject([{ kind: "ticket" }]);
    });

    it("take a card dragged within its list, and one described anew, for no news", async () => {
      const { emulator, ticket, told } = await listening();
      expect(await told(() => emulator.repositionCard(ticket.title, 7))).toEqual([]);
      expect(await told(() => emulator.editCard(ticket.title, { desc: "More words" }))).toEqual([]);
      expect(emulator.webhooks.sent).toHaveLength(2);
    });

    it("tell when the lists change", async () => {
      const { emulator, told } = await listening({ otherBoards: [OTHER] });
      const changes = [
        () => emulator.addList({ name: "Blocked" }),
        () => emulator.renameList("Blocked", "Waiting"),
        () => emulator.reorderList("Waiting", 1),
        () => emulator.archiveList("Waiting"),
        () => emulator.moveListToBoard("In Review", "Other"),
        () => emulator.renameBoard("Another name"),
      ];
      for (const change of changes) expect(await told(change)).toEqual([{ kind: "workflow" }]);
    });

    it("ask for the lists too when a card is in one we do not know", async () => {
      const { emulator, ticket, told } = await listening();
      emulator.addList({ name: "Blocked" });
      const hints = await told(() => emulator.moveCard(ticket.title, "Blocked"));
      expect(hints.map(({ kind }) => kind)).toEqual(["workflow", "ticket"]);
    });

    it("of one action are one, whichever webhook brings it", async () => {
      const { emulator, connector, ticket } = await listening();
      const callbackURL = sink?.newUrl() ?? "";
      await fetch(
        `${emulator.url}/1/webhooks/?${new URLSearchParams({ callbackURL, idModel: ticket.id.split(".")[2] ?? "" })}`,
        { method: "POST", headers: { authorization: emulator.authorization } },
      );
      emulator.moveCard(ticket.title, "To Do");
      const sent = emulator.webhooks.sent.map((each) => deliveryOf(each));
      const ids = await Promise.all(
        sent.map(async (each) => (await connector.webhooks?.read(each))?.deliveryId),
      );
      expect(ids).toHaveLength(2);
      expect(new Set(ids)).toEqual(new Set([emulator.world.actions.at(-1)?.id]));
    });

    it("are signed with the address they were sent to", async () => {
      const { emulator, connector, ticket, url } = await listening();
      emulator.moveCard(ticket.title, "To Do");
      const [sent] = emulator.webhooks.sent;
      if (sent === undefined) expect.fail("nothing was sent");
      const delivery = { ...deliveryOf(sent), url: `${url}/` };
      expect(await refusalOf(connector.webhooks?.read(delivery) as never)).toMatchObject({
        code: "unauthorized",
      });
    });

    it("are believed only in the one way their signature is written", async () => {
      const { emulator, connector, ticket } = await listening();
      // The last sign of base64 carries two bits that decoders drop: every other reading must be refused.
      for (let round = 0; round < 8; round++) {
        emulator.repositionCard(ticket.title, round);
        const sent = emulator.webhooks.sent.at(-1);
        if (sent === undefined) expect.fail("nothing was sent");
        const signature = sent.headers["x-trello-webhook"] ?? "";
        const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        const next = alphabet[alphabet.indexOf(signature.at(-2) ?? "") + 1] ?? "";
        for (const forged of [`${signature.slice(0, -2)}${next}=`, signature.slice(0, -1), ` ${signature}`]) {
          const delivery = deliveryOf({ ...sent, headers: { ...sent.headers, "x-trello-webhook": forged } });
          expect(await refusalOf(connector.webhooks?.read(delivery) as never)).toMatchObject({
            code: "unauthorized",
          });
        }
      }
    });
  });
}

function deliveryOf(sent: TrelloEmulator["webhooks"]["sent"][number]): WebhookDelivery {
  return {
    method: "POST",
    headers: sent.headers,
    body: Buffer.from(sent.body),
    url: sent.url,
    receivedAt: new Date(),
  };
}
