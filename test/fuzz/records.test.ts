import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { Registry } from "prom-client";
import { BOARDS, REPOSITORIES } from "../../connectors/index.js";
import { createStateGauges } from "../../src/app-metrics-state.js";
import { createCallers, listTokens, revokeToken } from "../../src/http/auth.js";
import { createKnocks } from "../../src/http/knocks.js";
import { createMembers } from "../../src/http/members.js";
import { createOauth } from "../../src/http/oauth.js";
import { createAdapter } from "../../src/http/oauth-adapter.js";
import type { OauthRecords } from "../../src/http/oauth-records.js";
import { createPageSessions } from "../../src/http/page-sessions.js";
import { createCatalogues } from "../../src/mcp/catalogues.js";
import {
  decodeActor,
  decodeAudit,
  decodeDocument,
  decodeHistory,
  decodeTenant,
  encodeActor,
} from "../../src/store/codec.js";
import { createMemoryStore } from "../../src/store/memory.js";
import { redisKeys } from "../../src/store/redis/keys.js";
import { changesOf, noteChanges } from "../../src/sync/changes.js";
import { createConnections } from "../../src/sync/connections.js";
import { createSealer } from "../../src/sync/seal.js";
import { newActor } from "../../src/tickets/arrive.js";
import { answered } from "../../src/tickets/confirm.js";
import { heardStatus } from "../../src/tickets/heard.js";
import { budgetsSettingOf, catalogueChoiceOf, speechSettingOf } from "../../src/tickets/settings.js";
import { createWorkflows } from "../../src/tickets/workflows.js";
import { fakeGraph } from "../support/fake-board.js";
import { type Fuzzed, fuzz, fuzzed } from "../support/fuzz.js";
import { jsonOf, jsonText, like, text } from "../support/hostile.js";
import { storeWith, tenantWith } from "../support/kept-values.js";
import { FakeTickets, WEB } from "../support/mcp.js";

/** What lies in Redis: written by a release before, by one to come, or by a hand. */

const ticket = {
  id: "jira.x.1",
  title: "Fix the login",
  workflow: "jira.x.w",
  status: "1",
  updatedAt: "2026-11-30T00:00:00Z",
};
const actor = encodeActor(newActor(ticket, "eng"));
const RECORD = ["ticket", "version", "at", "kind", "id", "name", "by", "hooks", "context", "entry"];
/** A record at rest with some of its bytes changed. */
const atRest = fc.oneof(
  text,
  fc
    .tuple(
      fc.constantFrom("1 ", "1 @2 ", "1 @9 ", "@2 ", "", "1e999 ", "-1 ", "NaN "),
      jsonText(jsonOf(RECORD)),
    )
    .map(([mark, json]) => mark + json),
  fc
    .tuple(fc.nat(actor.length), fc.nat(20), text)
    .map(([at, cut, put]) => `1 ${actor.slice(0, at)}${put}${actor.slice(at + cut)}`),
);

const now = () => new Date();
const tenant = createMemoryStore().tenant("acme");
const talk = { tenant, speaker: { person: "ann" }, conversation: "c", budgetMs: 1_000 };
const TOKEN = { id: "t", name: "ann", scopes: ["mcp:tools"], createdAt: "2026-11-30T00:00:00Z", hash: "h" };
const MEMBER = { name: "ann", id: "m", createdAt: "2026-11-30T00:00:00Z" };
const SIGN_IN = { tenant: "acme", name: "ann", id: "m", expiresAt: "2099-11-30T00:00:00Z" };
const ASKED = {
  person: "ann",
  ticket: "t",
  to: "2",
  from: "1",
  via: "m",
  fields: { a: "b" },
  comment: "c",
  until: 4e12,
};
const HEARD = { statuses: [["t", "1"]], moved: "t", offered: ["t", "u"] };
const WORKFLOW = {
  graph: fakeGraph(),
  connection: "eng",
  revision: 1,
  hooks: { 3: [{ run: "draft-pull-request" }] },
};
const CHANGES = {
  changes: [{ workflow: "w", kind: "edges", status: "1", moves: { added: [], removed: [] }, at: "x" }],
};
const NAMES = {
  names: { '["w","1"]': { wanted: "a", given: "a" } },
  aliases: { old: { workflow: "w", status: "1", until: "2099-11-30T00:00:00Z" } },
};
const ACCESS = {
  ...{ aud: "https://a.example/mcp", exp: 4e9, scope: "mcp:tools mcp:resources", clientId: "c" },
  extra: { tenant: "acme", person: "ann", client: "An editor" },
};
const CONNECTION = {
  ...{
    id: "eng",
    provider: "jira",
    settings: { project: "ENG" },
    sealed: "x",
    createdAt: "2026-11-30T00:00:00Z",
  },
  ...{
    health: { state: "ok", problems: [] },
    imported: { workflows: 1, tickets: 1, at: "2026-11-30T00:00:00Z" },
  },
};

/** Anything in the place of this. */
const kept = (example: object) =>
  fc.oneof({ weight: 4, arbitrary: like(example) }, { weight: 1, arbitrary: jsonOf(Object.keys(example)) });
const recordsWith = (value: unknown): OauthRecords => ({
  get: async () => ({ value, used: false }),
  save: async () => true,
  use: async () => true,
  delete: async () => {},
  deleteGrant: async () => {},
  deleteOwner: async () => {},
});
const members = (value: unknown) =>
  createMembers({ store: storeWith(value), records: recordsWith(value), codeKey: Buffer.alloc(32), now });
const addresses = { publicUrl: () => "https://a.example", alexaUrl: () => "https://a.example" };
const oauthWith = (value: unknown) =>
  createOauth({
    addresses,
    knocks: createKnocks({ addresses, take: async () => 0 }),
    store: storeWith(value),
    records: recordsWith(value),
    keys: [{ id: "k", key: Buffer.alloc(32, 1) }],
    clients: [],
    checkUrl: async () => {},
    now,
    report: () => {},
  });
const sealer = createSealer([{ id: "k", key: randomBytes(32) }]);
const connections = createConnections({
  kinds: BOARDS,
  vcsKinds: REPOSITORIES,
  hooksFor: () => ({}),
  checkUrl: async () => {},
  budgets: { take: async () => 0 },
  sealer,
  now,
});
async function countBoards(value: unknown): Promise<void> {
  const deps = {
    store: storeWith(value),
    jobs: { counts: noJobs },
    contract: async () => "x",
    known: String,
    now,
  };
  await createStateGauges([new Registry()], deps).refresh();
}
const noJobs = async () => ({ waiting: 0, running: 0, delayed: 0, schedules: 0, workers: 0 });
const tickets = new FakeTickets();
tickets.setGraphs("acme", WEB);

const documents: Readonly<Record<string, Fuzzed>> = {
  tokens: fuzzed(kept(TOKEN), (value) => listTokens(tenantWith(tenant, value))),
  "a token that is used": fuzzed(kept(TOKEN), (value) =>
    createCallers(storeWith(value), { ofHandles: () => 0 })("x"),
  ),
  "a token that is revoked": fuzzed(kept(TOKEN), (value) => revokeToken(tenantWith(tenant, value), "t")),
  members: fuzzed(kept(MEMBER), (value) => members(value).list(tenantWith(tenant, value))),
  "a pairing code": fuzzed(kept(SIGN_IN), (value) => members(value).redeem("ABCD-EFGH", "acme")),
  "a sign-in at the page": fuzzed(kept(SIGN_IN), (value) =>
    createPageSessions({
      knocks: { tried: async () => 0, wrong: async () => 0 },
      store: storeWith(value),
      records: recordsWith(value),
      members: { redeem: async () => undefined, isMember: async () => true },
      now,
    }).find("bwp_x"),
  ),
  "an OAuth client": fuzzed(kept({ client_id: "x", sealed: "k.x", savedAt: 1 }), (value) =>
    createAdapter(recordsWith(value), sealer, (why) => new Error(why))("Client").find("x"),
  ),
  "an OAuth token": fuzzed(kept(ACCESS), (value) => oauthWith(value).bearerOf("x", ACCESS.aud)),
  workflows: fuzzed(kept(WORKFLOW), (value) => createWorkflows().of(tenantWith(tenant, value))),
  connections: fuzzed(kept(CONNECTION), (value) => connections.list(tenantWith(tenant, value))),
  "a connection that is opened": fuzzed(kept(CONNECTION), async (value) => {
    const { name } = await connections.open(tenantWith(tenant, value), "eng");
    return name;
  }),
  changes: fuzzed(kept(CHANGES), (value) => changesOf(tenantWith(tenant, value), "w")),
  "changes that are added to": fuzzed(kept(CHANGES), (value) =>
    noteChanges(tenantWith(tenant, value), "w", [{ workflow: "w", kind: "created", at: "x" }]),
  ),
  "a team's choices": fuzzed(
    kept({ surface: "compact", locale: "en", confirm: "closing", calls: 1 }),
    (value) => {
      const own = tenantWith(tenant, value);
      return Promise.all([catalogueChoiceOf(own), speechSettingOf(own), budgetsSettingOf(own)]);
    },
  ),
  "names of tools": fuzzed(kept(NAMES), (value) =>
    createCatalogues({ tickets, now })
      .get(tenantWith(tenant, value), "generated")
      .then(({ catalogue }) => catalogue.tools.length),
  ),
  "a question": fuzzed(kept(ASKED), (value) =>
    answered({ ...talk, tenant: tenantWith(tenant, value) }, "token", { ticket: "t", to: "2" }, new Date()),
  ),
  "what was told": fuzzed(kept(HEARD), (value) =>
    heardStatus({ ...talk, tenant: tenantWith(tenant, value) }, "t"),
  ),
  "boards as metrics count them": fuzzed(kept(CONNECTION), (value) => countBoards(value)),
};

fuzz("records in Redis", {
  actor: fuzzed(atRest, (stored) => decodeActor(stored, "x")),
  document: fuzzed(atRest, (stored) => decodeDocument("setting", "x", stored)),
  history: fuzzed(atRest, (stored) => decodeHistory(stored, "x")),
  audit: fuzzed(atRest, (stored) => decodeAudit(stored, "x")),
  tenant: fuzzed(atRest, (stored) => decodeTenant(stored, "x")),
  "a channel": fuzzed(
    fc.oneof(
      text,
      text.map((id) => `bw:{${id}}:revisions`),
    ),
    (channel) => redisKeys("bw").changedTenant(channel),
  ),
  ...documents,
});

const sealed = sealer.seal("{}", "c");
fuzz("sealed secrets", {
  opened: fuzzed(
    fc.oneof(
      text,
      fc.tuple(fc.nat(sealed.length), text).map(([at, put]) => sealed.slice(0, at) + put + sealed.slice(at)),
    ),
    (given) => sealer.open(given, "c"),
  ),
  stale: fuzzed(text, (given) => sealer.stale(given)),
});
