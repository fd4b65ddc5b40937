import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  demoLinearTeam,
  type LinearEmulator,
  type LinearEmulatorOptions,
  startLinearEmulator,
} from "../../connectors/linear/emulator.js";
import { linear } from "../../connectors/linear/index.js";
import type { Connector, ConnectorKit, Hint, WebhookDelivery } from "../../src/board/connector.js";
import { sign } from "../../src/board/signature.js";
import { BoardwalkError } from "../../src/errors.js";
import { startWebhookSink, type WebhookSink } from "../support/webhook-sink.js";

/** Which deliveries are believed, what they suggest, and how a webhook is registered. */

const never = new AbortController().signal;
const SECRET = "a webhook secret of the test";
const HOUR_MS = 3_600_000;
const NOWHERE = "http://127.0.0.1:9/hook";
const quiet: ConnectorKit = {
  connection: "test",
  checkUrl: async () => {},
  saveCredentials: async () => {},
  now: () => new Date(),
};

let sink: WebhookSink;
const running: LinearEmulator[] = [];
beforeAll(async () => {
  sink = await startWebhookSink();
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((emulator) => emulator.close()));
});
afterAll(() => sink.close());

async function start(options: LinearEmulatorOptions = {}): Promise<LinearEmulator> {
  const emulator = await startLinearEmulator({
    ...demoLinearTeam({ issues: [{ title: "Told about" }] }),
    ...options,
  });
  running.push(emulator);
  return emulator;
}

function connect(
  emulator: LinearEmulator,
  credentials: object = {},
  kit: Partial<ConnectorKit> = {},
): Connector {
  return linear.create(
    linear.settings.parse({ team: "MOB", apiUrl: emulator.url }),
    linear.credentials.parse({ ...emulator.credentials, webhookSecret: SECRET, ...credentials }),
    { ...quiet, ...kit },
  );
}

function webhooksOf(connector: Connector): NonNullable<Connector["webhooks"]> {
  if (connector.webhooks === undefined) throw new Error("Linear has webhooks");
  return connector.webhooks;
}

/** A body as Linear would sign it, at this age, under this delivery id. */
function delivery(body: object, ageMs = 0, id = "0f7c8f2e-0000-4000-8000-000000000001"): WebhookDelivery {
  const receivedAt = new Date();
  const text = JSON.stringify({ webhookTimestamp: receivedAt.getTime() - ageMs, ...body });
  const signature = sign({ algorithm: "sha256", encoding: "hex", secret: SECRET, signed: [text] });
  const headers = {
    "Linear-Signature": signature,
    "Linear-Delivery": id,
    "Linear-Timestamp": String(receivedAt.getTime()),
  };
  return { method: "POST", url: NOWHERE, headers, body: Buffer.from(text), receivedAt };
}

async function errorOf(promise: Promise<unknown>): Promise<BoardwalkError> {
  const error = await promise.then(
    () => expect.fail("should have been refused"),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(BoardwalkError);
  return error as BoardwalkError;
}

const ISSUE = "11111111-2222-4333-8444-555555555555";
const issueEvent = (data: object = {}, more: object = {}) => ({
  action: "update",
  type: "Issue",
  data: { id: ISSUE, ...data },
  ...more,
});

describe("the time of a Linear delivery", () => {
  const read = async (body: object, ageMs: number, id?: string) =>
    webhooksOf(connect(await start())).read(delivery(body, ageMs, id));

  it("is the body's: a fresh one goes by the id Linear gave it", async () => {
    expect((await read(issueEvent(), 0, "the-id")).deliveryId).toBe("the-id");
    expect((await read(issueEvent(), 59_000, "the-id")).deliveryId).toBe("the-id");
  });

  it.each([61_000, HOUR_MS, 7 * HOUR_MS, 23 * HOUR_MS])(
    "may be %i ms ago, for a genuine retry is late; it is still only a hint",
    async (ageMs) => {
      expect((await read(issueEvent(), ageMs)).hints).toHaveLength(1);
    },
  );

  it("lets an old body pass once, whatever unsigned id it comes under", async () => {
    const webhooks = webhooksOf(connect(await start()));
    const first = delivery(issueEvent(), HOUR_MS, "first");
    const again = { ...first, headers: { ...first.headers, "Linear-Delivery": "second" } };
    expect((await webhooks.read(again)).deliveryId).toBe((await webhooks.read(first)).deliveryId);
    const other = delivery(issueEvent({ title: "Other" }), HOUR_MS, "first");
    expect((await webhooks.read(other)).deliveryId).not.toBe((await webhooks.read(first)).deliveryId);
  });

  it.each([25 * HOUR_MS, -61_000])("may not be %i ms ago", async (ageMs) => {
    expect(await errorOf(read(issueEvent(), ageMs))).toMatchObject({ code: "unauthorized" });
  });

  it("has to be in the body: the header's is not signed", async () => {
    expect(await errorOf(read({ ...issueEvent(), webhookTimestamp: undefined }, 0))).toMatchObject({
      code: "invalid",
    });
  });
});

describe("what a Linear delivery suggests", () => {
  async function hintsOf(body: object, known = true): Promise<readonly Hint[]> {
    const emulator = await start({ teams: [...demoLinearTeam().teams, WEB] });
    const connector = connect(emulator);
    if (known) await connector.pullWorkflows(never);
    const filled = JSON.parse(
      JSON.stringify(body)
        .replaceAll("$MOB", emulator.workspace.teamOf("MOB")?.id ?? "")
        .replaceAll("$WEB", emulator.workspace.teamOf("WEB")?.id ?? "")
        .replaceAll("$TODO", emulator.state("Todo").id),
    ) as object;
    return (await webhooksOf(connector).read(delivery(filled))).hints;
  }
  const WEB = { key: "WEB", name: "Web", states: [{ name: "Todo", type: "unstarted" }] };
  const ticket = expect.objectContaining({ kind: "ticket", ticket: expect.stringMatching(ISSUE) });

  it.each([
    ["an issue of ours", issueEvent({ teamId: "$MOB", stateId: "$TODO" }), [ticket]],
    ["an issue that left us", issueEvent({ teamId: "$WEB" }, { updatedFrom: { teamId: "$MOB" } }), [ticket]],
    ["an issue of another team", issueEvent({ teamId: "$WEB" }), []],
    ["an issue removed", issueEvent({ teamId: "$MOB" }, { action: "remove" }), [ticket]],
    [
      "a state we do not know",
      issueEvent({ teamId: "$MOB", stateId: ISSUE }),
      [{ kind: "workflow" }, ticket],
    ],
    ["lost access to teams", { action: "teamAccessChanged", type: "PermissionChange" }, [{ kind: "access" }]],
    ["a revoked app", { action: "revoked", type: "OAuthAuthorization" }, [{ kind: "access" }]],
    ["a changed state, should Linear tell one day", { type: "WorkflowState" }, [{ kind: "workflow" }]],
    ["a comment", { action: "create", type: "Comment", data: { id: ISSUE } }, []],
    ["an issue without an id we can use", issueEvent({ id: "../../x" }), []],
  ])("of %s", async (_what, body, hints) => {
    expect(await hintsOf(body)).toEqual(hints);
  });

  it("of any issue, before the team is known", async () => {
    expect(await hintsOf(issueEvent({ teamId: "$WEB", stateId: ISSUE }), false)).toEqual([ticket]);
  });

  it("names who did it, to tell our own echo", async () => {
    const [hint] = await hintsOf(issueEvent({}, { actor: { id: "someone", type: "user" } }));
    expect(hint).toMatchObject({ by: "someone" });
  });

  it("nothing, when it is signed but no delivery of Linear's", async () => {
    const webhooks = webhooksOf(connect(await start()));
    const error = await errorOf(webhooks.read(delivery({ type: 7 })));
    expect(error).toMatchObject({ code: "invalid" });
  });
});

describe("registering a Linear webhook", () => {
  it("makes a secret, tells Linear, then saves it; what comes is believed", async () => {
    const emulator = await start();
    const saved: object[] = [];
    const connector = connect(
      emulator,
      { webhookSecret: undefined },
      { saveCredentials: async (credentials) => void saved.push(credentials as object) },
    );
    const url = sink.newUrl();
    expect(await webhooksOf(connector).ensure(url, never)).toMatchObject({
      state: "active",
      by: "boardwalk",
    });
    expect(emulator.webhooks.registered).toMatchObject([
      { url, resourceTypes: ["Issue", "PermissionChange", "OAuthAuthorization"], allPublicTeams: false },
    ]);
    expect(saved).toEqual([
      { ...emulator.credentials, webhookSecret: emulator.webhooks.registered[0]?.secret },
    ]);
    emulator.moveIssue("MOB-1", "Done");
    const { hints } = await webhooksOf(connector).read(await sink.next(url));
    expect(hints).toMatchObject([{ kind: "ticket", by: emulator.workspace.someoneElse.id }]);
    emulator.webhooks.announce("PermissionChange", {});
    expect((await webhooksOf(connector).read(await sink.next(url))).hints).toEqual([{ kind: "access" }]);
  });

  it("gives one that is there a secret again when ours was never saved", async () => {
    const emulator = await start();
    const fails = async () => {
      throw new Error("disk full");
    };
    const without = { webhookSecret: undefined };
    const first = connect(emulator, without, { saveCredentials: fails });
    await expect(webhooksOf(first).ensure(NOWHERE, never)).rejects.toThrow();
    const lost = emulator.webhooks.registered[0]?.secret;
    await webhooksOf(connect(emulator, without)).ensure(NOWHERE, never);
    expect(emulator.webhooks.registered).toHaveLength(1);
    expect(emulator.webhooks.registered[0]?.secret).not.toBe(lost);
  });

  it("adopts one for our URL and adds what it lacks; another team's is left alone", async () => {
    const emulator = await start({
      teams: [
        ...demoLinearTeam().teams,
        { key: "WEB", name: "Web", states: [{ name: "Todo", type: "unstarted" }] },
      ],
    });
    const [mob, web] = emulator.workspace.teams;
    if (mob === undefined || web === undefined) throw new Error("two teams");
    emulator.webhooks.add({ url: NOWHERE, team: web });
    emulator.webhooks.add({ url: NOWHERE, team: mob, resourceTypes: ["Comment"], secret: "old" });
    await webhooksOf(connect(emulator)).ensure(NOWHERE, never);
    expect(emulator.webhooks.registered.map(({ resourceTypes }) => resourceTypes)).toEqual([
      ["Issue"],
      ["Comment", "Issue", "PermissionChange", "OAuthAuthorization"],
    ]);
    expect(emulator.webhooks.registered[1]?.secret).toBe(SECRET);
  });

  it("finds ours behind many others", async () => {
    const emulator = await start();
    const connector = connect(emulator);
    for (let n = 0; n < 120; n++) emulator.webhooks.add({ url: `${NOWHERE}/${n}` });
    await webhooksOf(connector).ensure(NOWHERE, never);
    await webhooksOf(connector).ensure(NOWHERE, never);
    expect(emulator.webhooks.registered).toHaveLength(121);
  });

  it("enables once what Linear disabled, then says it is failing", async () => {
    const emulator = await start();
    const webhooks = webhooksOf(connect(emulator));
    await webhooks.ensure(NOWHERE, never);
    const id = emulator.webhooks.registered[0]?.id ?? "";
    emulator.webhooks.disable(id);
    expect(await webhooks.ensure(NOWHERE, never)).toMatchObject({ state: "active" });
    expect(emulator.webhooks.registered[0]?.enabled).toBe(true);
    emulator.webhooks.disable(id);
    expect(await webhooks.ensure(NOWHERE, never)).toMatchObject({ state: "failing" });
    expect(emulator.webhooks.registered[0]?.enabled).toBe(false);
  });

  it("is for admins: others are told to make one by hand, and believed to have when they bring its secret", async () => {
    const emulator = await start({ users: [{ name: "Robin" }] });
    const without = webhooksOf(connect(emulator, { webhookSecret: undefined }));
    expect(await errorOf(without.ensure(NOWHERE, never))).toMatchObject({
      code: "forbidden",
      message: expect.stringMatching(/by hand/),
    });
    expect(await webhooksOf(connect(emulator)).ensure(NOWHERE, never)).toMatchObject({ by: "hand" });
    expect(emulator.webhooks.registered).toEqual([]);
  });

  it("is told again what nobody took, under the same id and with the same bytes", async () => {
    const emulator = await start();
    const taken: { id: string | undefined; body: string }[] = [];
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const id = request.headers["linear-delivery"] as string | undefined;
      taken.push({ id, body: Buffer.concat(chunks).toString("utf8") });
      response.writeHead(taken.length < 3 ? 503 : 200).end();
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
    await webhooksOf(connect(emulator)).ensure(url, never);
    emulator.moveIssue("MOB-1", "Done");
    await emulator.webhooks.settled();
    server.close();
    expect(taken).toHaveLength(3);
    expect(new Set(taken.map((each) => JSON.stringify(each))).size).toBe(1);
    expect(taken[0]?.id).toBeTruthy();
  });
});
