import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type GithubEmulator, startGithubEmulator } from "../../connectors/github/emulator.js";
import { createGithubConnector } from "../../connectors/github/index.js";
import type { Connector, WebhookDelivery } from "../../src/board/connector.js";
import { siteOf } from "../../src/board/http.js";
import { sign } from "../../src/board/signature.js";
import { startWebhookSink, type WebhookSink } from "../support/webhook-sink.js";

const signal = new AbortController().signal;
const SECRET = "shared with GitHub";

let emulator: GithubEmulator;
let connector: Connector;
let saved: unknown[];

function connect(credentials: { readonly webhookSecret?: string } = { webhookSecret: SECRET }): Connector {
  return createGithubConnector(
    { owner: "acme", project: 7, apiUrl: emulator.url },
    { token: emulator.token, ...credentials },
    {
      connection: "c",
      checkUrl: async () => {},
      saveCredentials: async (next) => void saved.push(next),
      now: () => new Date(),
    },
  );
}

beforeEach(async () => {
  saved = [];
  emulator = await startGithubEmulator({
    repos: [{ owner: "acme", name: "web" }],
    projects: [
      {
        owner: "acme",
        number: 7,
        fields: [
          { name: "Status", options: ["Todo", "Done"] },
          { name: "Priority", options: ["High"] },
        ],
        items: [{ title: "Login fails", repo: "web", status: "Todo" }],
      },
    ],
  });
  connector = connect();
});
afterEach(() => emulator.close());

function deliveryOf(
  payload: unknown,
  event = "projects_v2_item",
  more: Record<string, string> = {},
): WebhookDelivery {
  const body = Buffer.from(typeof payload === "string" ? payload : JSON.stringify(payload));
  const signature = sign({ algorithm: "sha256", encoding: "hex", secret: SECRET, signed: [body] });
  return {
    method: "POST",
    url: "https://us.example/hook",
    receivedAt: new Date(),
    body,
    headers: {
      "content-type": "application/json",
      "x-github-event": event,
      "x-github-delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958",
      "x-hub-signature-256": `sha256=${signature}`,
      ...more,
    },
  };
}

const read = async (...given: Parameters<typeof deliveryOf>) =>
  (await connector.webhooks?.read(deliveryOf(...given)))?.hints;

/** An item event about our one item, changed as said. */
function event(action: string, changes?: object, project = emulator.project().state.id) {
  const node_id = emulator.project().item("Login fails").id;
  const projects_v2_item = { id: 1, node_id, project_node_id: project };
  return { action, projects_v2_item, sender: { login: "octocat" }, ...(changes ? { changes } : {}) };
}

function valueChange(from: object | null, to: object | null, field = emulator.project().state.fields[0]) {
  return { field_value: { field_node_id: field?.id, field_name: field?.name, from, to } };
}

const ticketHint = () => ({
  kind: "ticket",
  ticket: `github.${siteOf(emulator.url)}.${emulator.project().item("Login fails").id}`,
  by: "octocat",
});

describe("what a delivery suggests", () => {
  const option = (name: string) => ({ id: emulator.project().optionId(name), name });

  it("is to read an item whose column changed, also from and to No Status", async () => {
    await connector.pullWorkflows(signal);
    const changes = [
      valueChange(option("Todo"), option("Done")),
      valueChange(null, option("Todo")),
      valueChange(option("Todo"), null),
    ];
    for (const change of changes) expect(await read(event("edited", change))).toEqual([ticketHint()]);
  });

  it("is nothing when another field changed, a card was only dragged within its column, or it is another project's", async () => {
    await connector.pullWorkflows(signal);
    const other = valueChange(null, { id: "1" }, emulator.project().state.fields[1]);
    expect(await read(event("edited", other))).toEqual([]);
    expect(
      await read(
        event("edited", { field_value: { field_node_id: "PVTF_date", from: "2026-11-01", to: null } }),
      ),
    ).toEqual([]);
    expect(await read(event("reordered"))).toEqual([]);
    expect(await read(event("edited", valueChange(null, option("Todo")), "PVT_other"))).toEqual([]);
  });

  it("goes by the field's name while the project was never read", async () => {
    expect(await read(event("edited", valueChange(null, option("Todo"))))).toEqual([ticketHint()]);
    const other = valueChange(null, { id: "1" }, emulator.project().state.fields[1]);
    expect(await read(event("edited", other))).toEqual([]);
  });

  it("is to pull the workflow first when the option is new to us", async () => {
    await connector.pullWorkflows(signal);
    const change = valueChange(null, { id: "0badc0de", name: "New" });
    expect(await read(event("edited", change))).toEqual([{ kind: "workflow" }, ticketHint()]);
  });

  it.each(["created", "archived", "restored", "converted", "deleted"])(
    "is to read an item that was %s",
    async (action) => {
      expect(await read(event(action))).toEqual([ticketHint()]);
    },
  );

  it("is to pull the workflow of an edited project, and nothing for a stranger's", async () => {
    await connector.pullWorkflows(signal);
    const ours = { node_id: emulator.project().state.id };
    expect(await read({ action: "edited", projects_v2: ours }, "projects_v2")).toEqual([
      { kind: "workflow" },
    ]);
    expect(await read({ action: "deleted", projects_v2: ours }, "projects_v2")).toEqual([{ kind: "access" }]);
    expect(await read({ action: "edited", projects_v2: { node_id: "PVT_x" } }, "projects_v2")).toEqual([]);
  });

  it.each([
    ["ping", { zen: "." }],
    ["push", { ref: "refs/heads/main" }],
    ["projects_v2_item", { action: "edited" }],
    ["projects_v2_item", { action: "created", projects_v2_item: { node_id: "PVTI_x/../y" } }],
    ["projects_v2_item", null],
    ["projects_v2_item", [1]],
  ])("is nothing for %s %j", async (name, payload) => {
    expect(await read(payload, name)).toEqual([]);
  });

  it("is found in a form as well, as a hook made by hand may send it", async () => {
    const form = new URLSearchParams({ payload: JSON.stringify(event("created")) }).toString();
    const type = { "content-type": "application/x-www-form-urlencoded" };
    expect(await read(form, "projects_v2_item", type)).toEqual([ticketHint()]);
  });

  it("is not looked for in what is not JSON, or has no id", async () => {
    await expect(read("{")).rejects.toMatchObject({ code: "invalid" });
    await expect(
      read(event("created"), "projects_v2_item", { "x-github-delivery": "" }),
    ).rejects.toMatchObject({
      code: "invalid",
    });
  });

  it("is believed only with a sha256 signature", async () => {
    const delivery = deliveryOf(event("created"));
    const bare = delivery.headers["x-hub-signature-256"]?.slice("sha256=".length);
    for (const signature of [bare, `sha1=${bare}`, `SHA256=${bare}`]) {
      const headers = { ...delivery.headers, "x-hub-signature-256": signature };
      await expect(connector.webhooks?.read({ ...delivery, headers })).rejects.toMatchObject({
        code: "unauthorized",
      });
    }
  });
});

describe("registering", () => {
  let sink: WebhookSink;
  beforeEach(async () => {
    sink = await startWebhookSink();
  });
  afterEach(() => sink.close());

  it("makes a secret, tells GitHub, keeps it, and believes what is signed with it", async () => {
    const own = connect({});
    const url = sink.newUrl();
    expect(await own.webhooks?.ensure(url, signal)).toEqual({ url, state: "active", by: "boardwalk" });
    expect(saved).toEqual([
      { token: emulator.token, webhookSecret: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ]);
    const ping = await sink.next(url);
    expect(await own.webhooks?.read(ping)).toMatchObject({ hints: [] });
    emulator.project().move("Login fails", "Done");
    expect(await own.webhooks?.read(await sink.next(url))).toMatchObject({ hints: [ticketHint()] });
  });

  it("adopts its hook, wakes it when it sleeps, and gives it a new secret when the old one is lost", async () => {
    const url = sink.newUrl();
    await connector.webhooks?.ensure(url, signal);
    const [hook] = emulator.hooks.all;
    if (hook === undefined) throw new Error("no hook was made");
    Object.assign(hook, { active: false, events: ["projects_v2_item"] });
    await connector.webhooks?.ensure(url, signal);
    expect(hook).toMatchObject({ active: true, events: ["projects_v2_item", "projects_v2"] });
    await connect({}).webhooks?.ensure(url, signal);
    expect(emulator.hooks.all).toHaveLength(1);
    expect(saved).toEqual([{ token: emulator.token, webhookSecret: hook.config.secret }]);
    expect(hook.config.secret).not.toBe(SECRET);
  });

  it("tries again with another secret when the first could not be kept", async () => {
    const url = sink.newUrl();
    const forgetful = createGithubConnector(
      { owner: "acme", project: 7, apiUrl: emulator.url },
      { token: emulator.token },
      {
        connection: "c",
        checkUrl: async () => {},
        saveCredentials: () => Promise.reject(new Error("the store is down")),
        now: () => new Date(),
      },
    );
    await expect(forgetful.webhooks?.ensure(url, signal)).rejects.toThrow("the store is down");
    await connect({}).webhooks?.ensure(url, signal);
    expect(emulator.hooks.all.map(({ config }) => config.secret)).toEqual([
      (saved[0] as { webhookSecret: string }).webhookSecret,
    ]);
  });

  it("leaves it to people where the account may not", async () => {
    emulator.hooks.setAccess(false);
    const url = sink.newUrl();
    expect(await connector.webhooks?.ensure(url, signal)).toEqual({ url, state: "absent", by: "hand" });
  });
});
