import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { App, AppOptions } from "../../src/app.js";
import { type RedisServer, startRedis } from "../support/redis.js";
import { callApi, type Listener, listenModern, serviceEnv } from "../support/sync-world.js";
import { until } from "../support/until.js";

/** docs/connectors.md, followed to the letter: its connector, given to the service as it says, moves cards. */

/** Below the repository, so that the blocks find the packages they import. */
const dir = resolve("node_modules/.cache", `own-connector-${process.pid}`);
const [connector = "", use = ""] = [
  ...readFileSync("docs/connectors.md", "utf8").matchAll(/```ts\n(.*?)```/gs),
].map(([, code = ""]) => code);

interface Plank {
  readonly url: string;
  readonly columns: { id: string; name: string; finished: boolean }[];
  readonly cards: Map<string, { id: string; title: string; column: string; changed: string }>;
  readonly writes: string[];
  readonly server: Server;
}

const TOKEN = randomBytes(12).toString("hex");

/** The made-up board: columns and cards, and nothing that stops a card. */
async function startPlank(): Promise<Plank> {
  const columns = [
    { id: "c1", name: "Ideas", finished: false },
    { id: "c2", name: "Building", finished: false },
    { id: "c3", name: "Shipped", finished: true },
  ];
  const at = () => new Date().toISOString();
  const cards: Plank["cards"] = new Map(
    ["Paint the fence", "Mend the gate"].map((title, i) => [
      `k${i}`,
      { id: `k${i}`, title, column: "c1", changed: at() },
    ]),
  );
  const writes: string[] = [];
  const server = createServer(async (request, response) => {
    const [, kind = "", id = ""] = (request.url ?? "").split("/");
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const answer = (status: number, body: unknown) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    if (request.headers.authorization !== `Bearer ${TOKEN}`) return answer(401, {});
    if (kind === "columns") return answer(200, columns);
    if (id === "") return answer(200, [...cards.values()]);
    const card = cards.get(id);
    if (card === undefined) return answer(404, {});
    if (request.method === "PATCH") {
      const { column } = JSON.parse(Buffer.concat(chunks).toString()) as { column: string };
      writes.push(`${id} ${column}`);
      cards.set(id, { ...card, column, changed: at() });
    }
    return answer(200, cards.get(id));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, columns, cards, writes, server };
}

let redis: RedisServer;
let plank: Plank;
let app: App;
let client: Listener;

beforeAll(async () => {
  mkdirSync(dir, { recursive: true });
  const library = { '"boardwalk"': "src/index.ts", '"boardwalk/service"': "src/service.ts" };
  const local = Object.entries(library).reduce(
    (code, [name, file]) => code.replaceAll(name, JSON.stringify(pathToFileURL(resolve(file)).href)),
    connector,
  );
  writeFileSync(join(dir, "plank.ts"), local);
  const module = (await import(pathToFileURL(join(dir, "plank.ts")).href)) as {
    plank: NonNullable<AppOptions["boards"]>[number];
  };
  const { createApp, loadConfig } = await import("../../src/service.js");
  plank = await startPlank();
  redis = await startRedis();
  // As the second block does, with the settings of a test.
  const env = { ...process.env };
  Object.assign(process.env, serviceEnv(redis.url));
  app = await createApp(loadConfig({}), { boards: [module.plank] });
  process.env = env;
  const url = app.url ?? "";
  await callApi(url, "POST", "/tenants", { id: "garden", name: "Garden" });
  const { token } = (await callApi(url, "POST", "/tenants/garden/tokens", { name: "ann" })) as {
    token: string;
  };
  await callApi(url, "POST", "/tenants/garden/connections", {
    ...{ id: "yard", provider: "plank", settings: { baseUrl: plank.url }, credentials: { token: TOKEN } },
  });
  await callApi(url, "POST", "/tenants/garden/connections/yard/sync?wait=true");
  client = await listenModern(`${url}/mcp`, token);
}, 60_000);

afterAll(async () => {
  await client?.close();
  await app?.close();
  await redis?.stop();
  plank?.server.closeAllConnections();
  plank?.server.close();
  rmSync(dir, { recursive: true, force: true });
});

describe("the connector of docs/connectors.md", () => {
  it("is about sixty lines, and given to the service in three", () => {
    expect(connector.trimEnd().split("\n").length).toBeLessThanOrEqual(70);
    expect(use).toContain("createApp(loadConfig({}), { boards: [plank] })");
  });

  it("is what a strict compiler takes", async () => {
    const inRepository = connector
      .replace('"boardwalk/service"', JSON.stringify(resolve("src/service.js")))
      .replace('"boardwalk"', JSON.stringify(resolve("src/index.js")));
    writeFileSync(join(dir, "checked.ts"), inRepository);
    const options = [
      "--noEmit",
      "--strict",
      "--exactOptionalPropertyTypes",
      "--skipLibCheck",
      "--ignoreConfig",
    ];
    const target = ["--module", "nodenext", "--target", "es2023", "--lib", "es2023", "--types", "node"];
    const tsc = promisify(execFile)(process.execPath, [
      "node_modules/typescript/lib/tsc.js",
      ...options,
      ...target,
      join(dir, "checked.ts"),
    ]);
    const said = await tsc.then(
      () => "",
      (failed: { stdout: string }) => failed.stdout,
    );
    expect(said).toBe("");
  });

  it("shows the board's columns as tools, and moves a card by one of them", async () => {
    expect(await client.tools()).toEqual(
      expect.arrayContaining(["plank_move_to_building", "plank_move_to_shipped"]),
    );
    const moved = await client.call("plank_move_to_building", { ticket: "paint the fence" });
    expect(moved.facts).toMatchObject({ outcome: "confirmed", spoken: "Moved Paint the fence to Building." });
    expect(plank.cards.get("k0")?.column).toBe("c2");
    expect(plank.writes).toEqual(["k0 c2"]);
  });

  it("moves a card by what a person says", async () => {
    const said = (await callApi(app.url ?? "", "POST", "/tenants/garden/say", {
      sentence: "move mend the gate to building",
    })) as { answer: { outcome: string } };
    expect(said.answer.outcome).toBe("confirmed");
    expect(plank.cards.get("k1")?.column).toBe("c2");
  });

  it("follows a column that gets another name", async () => {
    const heard = client.heard;
    Object.assign(plank.columns[1] ?? {}, { name: "In the workshop" });
    await callApi(app.url ?? "", "POST", "/tenants/garden/connections/yard/sync?wait=true");
    await until(() => client.heard > heard);
    expect(await client.tools()).toContain("plank_move_to_in_the_workshop");
  });

  it("says so when a card is gone", async () => {
    plank.cards.delete("k1");
    const gone = await client.call("plank_move_to_shipped", { ticket: "mend the gate" });
    expect(gone.facts).toMatchObject({ outcome: "refused", code: "not_found_or_hidden" });
    expect(plank.writes).toHaveLength(2);
  });
});
