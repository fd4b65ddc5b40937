import fc from "fast-check";
import { z } from "zod";
import { BOARDS, REPOSITORIES } from "../../connectors/index.js";
import * as jiraShapes from "../../connectors/jira/shapes.js";
import * as linearShapes from "../../connectors/linear/shapes.js";
import * as trelloShapes from "../../connectors/trello/shapes.js";
import type { ConnectorKind } from "../../src/board/connector.js";
import { errorFromAnswer, parseRetryAfter } from "../../src/board/http.js";
import { createUrlCheck } from "../../src/board/safe-url.js";
import { sign } from "../../src/board/signature.js";
import { accountMember } from "../../src/http/members.js";
import { resourceAt } from "../../src/http/oauth-resources.js";
import { OPERATIONS } from "../../src/http/openapi.js";
import { parseBody } from "../../src/http/problems.js";
import { bearerOf } from "../../src/http/tokens.js";
import { wrongArgumentsOf } from "../../src/mcp/arguments.js";
import { FROZEN } from "../../src/mcp/catalogue.js";
import { createGuard } from "../../src/mcp/guard.js";
import { clientOf, idOf, requests } from "../../src/mcp/wire.js";
import { isTooDeep } from "../../src/tickets/depth.js";
import { type Fuzzed, fuzz, fuzzed, jsonOf, like, text } from "../support/fuzz.js";
import { quietKit } from "../support/quiet-kit.js";

/** Parsers of what strangers, tenants and boards send. */

const entries = <T>(all: readonly (readonly [string, T])[]) => Object.fromEntries(all);
const keysOf = (schema: z.ZodType): string[] =>
  schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];

fuzz(
  "bodies and queries of the admin API",
  entries(
    Object.entries(OPERATIONS).flatMap(([name, { body, query }]) =>
      [body, query]
        .filter((schema) => schema !== undefined)
        .map((schema, i) => [
          i === 0 ? name : `${name} query`,
          fuzzed(jsonOf(keysOf(schema)), (value) => parseBody(schema, value)),
        ]),
    ),
  ),
);

const tools = FROZEN.tools.map(({ name }) => name);
fuzz(
  "arguments of tools",
  entries(
    tools.map((name) => {
      const entry = FROZEN.find(name);
      if (entry === undefined) throw new Error(`no tool ${name}`);
      return [
        name,
        fuzzed(jsonOf(["ticket", "to", "from", "fields", "comment", "token", "query", "moveId"]), (given) => {
          const args = entry.args.safeParse(given);
          return args.success ? args.data : wrongArgumentsOf(args.error, given);
        }),
      ];
    }),
  ),
);

const SECRET = "a.secret.of.theirs";
const URL_GIVEN = "https://boardwalk.example/webhooks/x/y";
const NAMES = {
  jira: {
    settings: { baseUrl: "https://a.example", project: "ENG" },
    credentials: { email: "a@b.example", apiToken: "t", webhookSecret: SECRET },
  },
  linear: { settings: { team: "MOB" }, credentials: { apiKey: "k", webhookSecret: SECRET } },
  github: { settings: { owner: "acme", project: 1 }, credentials: { token: "t", webhookSecret: SECRET } },
  trello: {
    settings: { board: "65b0f0000000000000000001" },
    credentials: { apiKey: "k", token: "t", secret: SECRET },
  },
} as const;

/** As its board signs, whatever the body. */
function signed(body: Buffer): Record<string, string> {
  const sha256 = sign({ algorithm: "sha256", encoding: "hex", secret: SECRET, signed: [body] });
  return {
    "x-hub-signature": `sha256=${sha256}`,
    "x-hub-signature-256": `sha256=${sha256}`,
    "linear-signature": sha256,
    "x-trello-webhook": sign({
      algorithm: "sha1",
      encoding: "base64",
      secret: SECRET,
      signed: [body, URL_GIVEN],
    }),
  };
}

function webhookOf(kind: ConnectorKind): Fuzzed {
  const { settings, credentials } = NAMES[kind.provider as keyof typeof NAMES];
  const connector = kind.create(kind.settings.parse(settings), kind.credentials.parse(credentials), quietKit);
  const event = {
    ...{
      webhookEvent: "jira:issue_updated",
      timestamp: 1,
      issue: { id: "10001", key: "ENG-1", fields: {} },
      user: { accountId: "x" },
    },
    ...{
      action: "edited",
      type: "Issue",
      webhookTimestamp: Date.now(),
      webhookId: "w",
      organizationId: "o",
      data: { id: "d", teamId: "t" },
      updatedFrom: { stateId: "s" },
    },
    ...{
      projects_v2_item: { id: 1, node_id: "PVTI_x", project_node_id: "PVT_x" },
      changes: { field_value: {} },
      installation: { id: 1 },
    },
    ...{ model: { id: "m" }, actionTrello: { id: "a", type: "updateCard", data: { card: { id: "c" } } } },
  };
  const body = fc.oneof(
    fc.uint8Array({ maxLength: 2_000 }).map((bytes) => Buffer.from(bytes)),
    fc
      .oneof(like(event), jsonOf(Object.keys(event)))
      .map((value) => Buffer.from(JSON.stringify(value) ?? "")),
  );
  const headers = fc.record(
    {
      "x-github-event": text,
      "x-github-delivery": text,
      "linear-delivery": text,
      "x-atlassian-webhook-identifier": text,
    },
    { requiredKeys: [] },
  );
  return fuzzed(fc.tuple(body, headers, fc.boolean(), text), async ([bytes, given, believed, forged]) => {
    const signature = believed
      ? signed(bytes)
      : {
          "x-hub-signature": forged,
          "x-hub-signature-256": forged,
          "linear-signature": forged,
          "x-trello-webhook": forged,
          authorization: forged,
        };
    const delivery = {
      method: "POST",
      headers: { ...given, ...signature },
      body: bytes,
      url: URL_GIVEN,
      receivedAt: new Date(),
    };
    return await connector.webhooks?.read(delivery);
  });
}

fuzz("deliveries of boards", entries(BOARDS.map((kind) => [kind.provider, webhookOf(kind)])));

/** Every shape that a connector reads replies by, called as `safeParse` and told as an error where it does not fit. */
function shapesOf(
  board: string,
  module: Readonly<Record<string, unknown>>,
): readonly (readonly [string, Fuzzed])[] {
  return Object.entries(module)
    .filter((entry): entry is [string, z.ZodType] => entry[1] instanceof z.ZodType)
    .map(([name, shape]) => [
      `${board}.${name}`,
      fuzzed(jsonOf(keysOf(shape)), (value) => shape.safeParse(value).success),
    ]);
}

fuzz(
  "replies of boards",
  entries([
    ...shapesOf("jira", jiraShapes),
    ...shapesOf("linear", linearShapes),
    ...shapesOf("trello", trelloShapes),
    ...[...BOARDS, ...REPOSITORIES].flatMap(({ provider, settings, credentials }, i) => [
      [
        `${provider} ${i} settings`,
        fuzzed(
          jsonOf(["baseUrl", "apiUrl", "project", "team", "owner", "repo", "board"]),
          (value) => settings.safeParse(value).success,
        ),
      ] as const,
      [
        `${provider} ${i} credentials`,
        fuzzed(
          jsonOf(["token", "apiToken", "apiKey", "email", "appId", "privateKey", "tokenUrl"]),
          (value) => credentials.safeParse(value).success,
        ),
      ] as const,
    ]),
    [
      "refusals",
      fuzzed(
        fc.tuple(fc.integer({ min: 100, max: 599 }), text, text),
        ([status, said, wait]) => errorFromAnswer("Jira", { status, header: () => wait, text: said }).message,
      ),
    ],
    ["Retry-After", fuzzed(text, (value) => parseRetryAfter(value))],
  ]),
);

const check = createUrlCheck({ allowPrivateHosts: false, lookup: async () => ["93.184.216.34"] });
const guard = createGuard({ allowedHosts: ["a.example"], allowedOrigins: ["https://b.example"] });
const addresses = { publicUrl: () => "https://a.example", alexaUrl: () => "https://a.example" };
fuzz("headers, addresses and envelopes", {
  authorization: fuzzed(text, (header) => bearerOf(header)),
  "host and origin": fuzzed(fc.tuple(text, text), ([host, origin]) =>
    guard({ headers: { host, origin } } as Parameters<typeof guard>[0]),
  ),
  "a board's address": fuzzed(
    fc.oneof(
      text,
      text.map((host) => `https://${host}`),
      fc.webUrl(),
    ),
    (url) => check(url),
  ),
  "a resource": fuzzed(
    text.map((path) => `/t/${path}/mcp`),
    (path) => resourceAt(path, addresses)?.url,
  ),
  "an account": fuzzed(
    fc.oneof(
      text,
      fc.tuple(text, text, text).map((parts) => parts.join("/")),
    ),
    (id) => accountMember(id),
  ),
  "a JSON-RPC envelope": fuzzed(
    like({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "x", _meta: {} } }),
    (body) => [
      isTooDeep(body),
      requests(body).length,
      idOf(body),
      typeof body === "object" && body !== null ? clientOf(body) : undefined,
    ],
  ),
});
