import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import {
  startTrelloEmulator,
  type TrelloEmulator,
  type TrelloEmulatorOptions,
} from "../../connectors/trello/emulator.js";
import { until } from "../support/until.js";

/** The emulated Trello asked as anybody might ask the real one, not as our connector does. */

export function describeTrelloEmulator(
  name: string,
  extra: Pick<TrelloEmulatorOptions, "onExchange"> = {},
): void {
  describe(name, () => {
    const closing: (() => Promise<unknown>)[] = [];
    afterEach(async () => {
      await Promise.all(closing.splice(0).map((close) => close()));
    });
    const start: Start = async (options = {}) => {
      const emulator = await startTrelloEmulator({ ...extra, ...options });
      closing.push(() => emulator.close());
      return emulator;
    };
    describeAccess(start);
    describeResources(start);
    describeHooks(start, closing);
  });
}

type Start = (options?: TrelloEmulatorOptions) => Promise<TrelloEmulator>;

async function ask(emulator: TrelloEmulator, path: string, init: RequestInit = {}) {
  const headers = { authorization: emulator.authorization };
  const response = await fetch(`${emulator.url}/1${path}`, { headers, ...init });
  const text = await response.text();
  const type = response.headers.get("content-type") ?? "";
  return { status: response.status, type, text, json: /json/.test(type) ? JSON.parse(text) : undefined };
}

function describeAccess(start: Start): void {
  it("takes key and token from the header or from the address", async () => {
    const emulator = await start();
    const { apiKey, token } = emulator.credentials;
    expect((await ask(emulator, "/members/me")).json).toMatchObject({ username: "boardwalk" });
    const inAddress = await ask(emulator, `/members/me?key=${apiKey}&token=${token}`, { headers: {} });
    expect(inAddress.json).toMatchObject({ username: "boardwalk" });
  });

  it.each([
    ["nothing", "", 401, "unauthorized permission requested"],
    ["a wrong key", "?key=x&token=y", 401, "invalid key"],
    ["no token", "?key=KEY", 401, '{"message":"missing scopes"}'],
    ["a wrong token", "?key=KEY&token=y", 401, "invalid token"],
  ])("refuses %s in Trello's words", async (_what, query, status, text) => {
    const emulator = await start();
    const path = `/members/me${query.replace("KEY", emulator.credentials.apiKey)}`;
    expect(await ask(emulator, path, { headers: {} })).toMatchObject({ status, text });
  });

  it("refuses in plain text what is malformed, missing or not for this account", async () => {
    const emulator = await start();
    const missing = "65b0f0ffffffffffffffffff";
    const texts = async (...paths: string[]) =>
      Promise.all(paths.map(async (path) => (await ask(emulator, path)).text));
    expect(await texts("/cards/nonsense!", `/cards/${missing}`, `/boards/${missing}`)).toEqual([
      "invalid id",
      "The requested resource was not found.",
      "The requested resource was not found.",
    ]);
    const [card] = (await ask(emulator, `/boards/${emulator.boardId}/cards`)).json;
    const move = `/cards/${card.id}?idList=${missing}`;
    expect(
      await ask(emulator, move, { method: "PUT", headers: { authorization: emulator.authorization } }),
    ).toMatchObject({
      status: 400,
      type: expect.stringContaining("text/plain"),
      text: "invalid value for idList",
    });
    emulator.setMembership("none");
    expect(await ask(emulator, `/cards/${card.id}`)).toMatchObject({
      status: 401,
      text: "unauthorized card permission requested",
    });
  });

  it("counts requests in windows of ten seconds, by token and by key", async () => {
    let now = new Date();
    const emulator = await start({ now: () => now });
    const statuses = async (count: number) => {
      const all: number[] = [];
      for (let i = 0; i < count; i++) all.push((await ask(emulator, "/members/me")).status);
      return all;
    };
    emulator.limits.enforce({ perToken: 2 });
    expect(await statuses(3)).toEqual([200, 200, 429]);
    expect((await ask(emulator, "/members/me")).json).toEqual({
      error: "API_TOKEN_LIMIT_EXCEEDED",
      message: "Rate limit exceeded",
    });
    now = new Date(now.getTime() + 10_000);
    emulator.limits.enforce({ perKey: 1 });
    expect(await statuses(2)).toEqual([200, 429]);
    expect((await ask(emulator, "/members/me")).json).toMatchObject({ error: "API_KEY_LIMIT_EXCEEDED" });
  });
}

function describeResources(start: Start): void {
  it("filters lists and cards, and gives the fields asked for", async () => {
    const emulator = await start();
    emulator.archiveList("In Review");
    emulator.archiveCard("Thank the volunteers of last weekend");
    const count = async (path: string) =>
      (await ask(emulator, `/boards/${emulator.boardId}${path}`)).json.length;
    const lists = ["", "/open", "/closed", "/all", "?filter=closed"].map((part) => count(`/lists${part}`));
    expect(await Promise.all(lists)).toEqual([4, 4, 1, 5, 1]);
    const cards = ["", "/visible", "/open", "/closed", "/all"].map((part) => count(`/cards${part}`));
    expect(await Promise.all(cards)).toEqual([8, 8, 9, 1, 10]);
    const [card] = (await ask(emulator, `/boards/${emulator.boardId}/cards?fields=name,idList`)).json;
    expect(Object.keys(card).toSorted()).toEqual(["id", "idList", "name"]);
  });

  it("gives the newest of a page in the order they stand in, and forgets a second at its end", async () => {
    const second = (n: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, n));
    const cards = [3, 1, 2, 2, 0].map((n, i) => ({ title: `${i}`, list: "To Do", made: second(n) }));
    const emulator = await start({ board: { name: "Board", lists: [{ name: "To Do" }], cards } });
    const titles = async (query: string) => {
      const { json } = await ask(emulator, `/boards/${emulator.boardId}/cards?${query}`);
      return json.map(({ name }: { name: string }) => name);
    };
    const ids = [...emulator.world.cards.values()].map(({ id }) => id);
    expect(await titles("limit=2")).toEqual(["0", "3"]);
    expect(await titles(`limit=2&before=${ids[3]}`)).toEqual(["1", "4"]);
    expect(await titles(`before=${second(2).toISOString()}`)).toEqual(["1", "4"]);
    expect(await titles(`since=${second(2).toISOString()}`)).toEqual(["0", "2", "3"]);
  });

  it("keeps what is changed through it", async () => {
    const emulator = await start();
    const headers = { authorization: emulator.authorization };
    const send = (method: string, path: string) => ask(emulator, path, { method, headers });
    const list = (await send("POST", `/lists?name=Blocked&idBoard=${emulator.boardId}`)).json;
    const card = (await send("POST", `/cards?name=New&idList=${list.id}`)).json;
    await send("PUT", `/cards/${card.id}?name=Newer&closed=true`);
    await send("PUT", `/lists/${list.id}?name=Waiting&pos=top`);
    await send("POST", `/cards/${card.id}/actions/comments?text=Hello`);
    expect((await ask(emulator, `/cards/${card.shortLink}?list=true`)).json).toMatchObject({
      name: "Newer",
      closed: true,
      list: { name: "Waiting" },
    });
    expect((await ask(emulator, `/boards/${emulator.boardId}/lists`)).json[0].name).toBe("Waiting");
    const types = async (filter: string) =>
      (await ask(emulator, `/boards/${emulator.boardId}/actions?filter=${filter}`)).json.map(
        ({ type }: { type: string }) => type,
      );
    expect(await types("all")).toEqual([
      "commentCard",
      "updateList",
      "updateList",
      "updateCard",
      "updateCard",
      "createCard",
      "createList",
    ]);
    expect(await types("updateCard:closed,commentCard")).toEqual(["commentCard", "updateCard"]);
    expect((await ask(emulator, `/cards/${card.id}/actions`)).json).toHaveLength(1);
    await send("DELETE", `/cards/${card.id}`);
    expect((await ask(emulator, `/cards/${card.id}`)).status).toBe(404);
  });

  it("takes a card to another board when both ids are given, and a list as it is", async () => {
    const other = { name: "Other", lists: [{ name: "Elsewhere" }] };
    const board = { name: "Board", lists: [{ name: "To Do" }], cards: [{ title: "A", list: "To Do" }] };
    const emulator = await start({ board: { ...board, otherBoards: [other] } });
    const [card] = (await ask(emulator, `/boards/${emulator.boardId}/cards`)).json;
    const to = emulator.world.boards[1]?.id;
    const list = [...emulator.world.lists.values()].find(({ name }) => name === "Elsewhere")?.id;
    const headers = { authorization: emulator.authorization };
    const put = (query: string) => ask(emulator, `/cards/${card.id}?${query}`, { method: "PUT", headers });
    expect(await put(`idList=${list}`)).toMatchObject({ status: 400, text: "invalid value for idList" });
    expect((await put(`idList=${list}&idBoard=${to}`)).json).toMatchObject({ idBoard: to, idList: list });
    expect((await ask(emulator, `/lists/${list}/cards`)).json).toHaveLength(1);
  });
}

function describeHooks(start: Start, closing: (() => Promise<unknown>)[]): void {
  /** A receiver that answers each POST with the next of these, the last for ever. */
  async function receiver(...statuses: number[]) {
    const methods: string[] = [];
    const server = createServer((request, response) => {
      methods.push(request.method ?? "");
      request.resume();
      const answer = statuses.length > 1 && request.method === "POST" ? statuses.shift() : statuses[0];
      response.writeHead(request.method === "POST" ? (answer ?? 200) : 200).end();
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    closing.push(async () => server.close());
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, methods };
  }

  const register = (emulator: TrelloEmulator, callbackURL: string) =>
    ask(emulator, `/webhooks/?${new URLSearchParams({ callbackURL, idModel: emulator.boardId })}`, {
      method: "POST",
      headers: { authorization: emulator.authorization },
    });

  it("asks with HEAD before it keeps a webhook, and keeps each once", async () => {
    const emulator = await start();
    const { url, methods } = await receiver(200);
    expect((await register(emulator, url)).json).toMatchObject({ callbackURL: url, active: true });
    expect(methods).toEqual(["HEAD"]);
    expect(await register(emulator, url)).toMatchObject({
      status: 400,
      text: "A webhook with that callback, model, and token already exists",
    });
    const [kept] = (await ask(emulator, `/tokens/${emulator.credentials.token}/webhooks`)).json;
    expect((await ask(emulator, `/webhooks/${kept.id}`)).json).toEqual(kept);
    expect(await register(emulator, "http://127.0.0.1:9/hook")).toMatchObject({ status: 400 });
  });

  it("tries a delivery again, with the same words", async () => {
    const emulator = await start({ retryMs: 1 });
    const { url, methods } = await receiver(500, 500, 200);
    await register(emulator, url);
    emulator.renameList("Done", "Finished");
    await until(() => methods.filter((method) => method === "POST").length === 3);
    expect(emulator.webhooks.sent).toHaveLength(1);
    expect(emulator.webhooks.registered[0]).toMatchObject({ active: true, consecutiveFailures: 0 });
  });

  it("switches a webhook off whose receiver stays dead", async () => {
    const emulator = await start({ retryMs: 1, failuresToDisable: 2 });
    const { url } = await receiver(500);
    await register(emulator, url);
    const failures = () => emulator.webhooks.registered[0]?.consecutiveFailures;
    emulator.renameList("Done", "Finished");
    await until(() => failures() === 1);
    expect(emulator.webhooks.registered[0]).toMatchObject({ active: true });
    emulator.renameList("Finished", "Done");
    await until(() => failures() === 2);
    expect(emulator.webhooks.registered[0]).toMatchObject({ active: false });
    emulator.renameList("Done", "Finished");
    expect(emulator.webhooks.sent).toHaveLength(2);
  });

  it("deletes a webhook whose receiver says it is gone", async () => {
    const emulator = await start({ retryMs: 1 });
    const { url, methods } = await receiver(410);
    await register(emulator, url);
    emulator.renameList("Done", "Finished");
    await until(() => emulator.webhooks.registered.length === 0);
    expect(methods).toEqual(["HEAD", "POST"]);
  });
}
