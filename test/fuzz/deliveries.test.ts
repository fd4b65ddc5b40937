import fc from "fast-check";
import { BOARDS } from "../../connectors/index.js";
import type { ConnectorKind } from "../../src/board/connector.js";
import { sign } from "../../src/board/signature.js";
import { type Fuzzed, fuzz, fuzzed } from "../support/fuzz.js";
import { jsonOf, jsonText, like, text } from "../support/hostile.js";
import { quietKit } from "../support/quiet-kit.js";

/** Webhooks, believed and forged. */

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
/** Jira's apps sign with the secret of their login. */
const APP = {
  settings: { baseUrl: "https://api.atlassian.com/ex/jira/x", project: "ENG" },
  credentials: { accessToken: "a", refreshToken: "r", clientId: "c", clientSecret: SECRET },
};

const EVENTS: Readonly<Record<string, object>> = {
  jira: {
    webhookEvent: "jira:issue_updated",
    timestamp: 1,
    issue: {
      id: "10001",
      key: "ENG-1",
      fields: { updated: "2026-11-30T00:00:00.000+0000", status: { id: "3" } },
    },
    user: { accountId: "x" },
  },
  linear: {
    action: "update",
    type: "Issue",
    webhookTimestamp: Date.now(),
    webhookId: "w",
    organizationId: "o",
    actor: { id: "u" },
    data: { id: "d", teamId: "t", stateId: "s", updatedAt: "2026-11-30T00:00:00Z" },
    updatedFrom: { stateId: "s", teamId: "t" },
  },
  github: {
    action: "edited",
    projects_v2_item: { id: 1, node_id: "PVTI_x", project_node_id: "PVT_x" },
    projects_v2: { node_id: "PVT_x" },
    changes: { field_value: { field_type: "single_select", from: { id: "a" }, to: { id: "b" } } },
    sender: { login: "ann" },
    installation: { id: 1 },
  },
  trello: {
    model: { id: "65b0f0000000000000000001" },
    action: {
      id: "a",
      type: "updateCard",
      date: "2026-11-30T00:00:00.000Z",
      memberCreator: { id: "m" },
      data: {
        card: { id: "c" },
        board: { id: "65b0f0000000000000000001" },
        old: { idList: "l" },
        listAfter: { id: "n" },
      },
    },
  },
};

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

const base64url = (json: string) => Buffer.from(json).toString("base64url");
/** As Jira signs for an app: what is signed is the token alone. */
const token = fc
  .tuple(jsonText(like({ alg: "HS256", typ: "JWT" })), jsonText(like({ exp: 4e9, iss: "x" })))
  .map(([header, claims]) => {
    const said = `${base64url(header)}.${base64url(claims)}`;
    const signature = sign({ algorithm: "sha256", encoding: "base64", secret: SECRET, signed: [said] });
    return `JWT ${said}.${signature}`;
  });

const HEADERS = [
  ...["x-github-event", "x-github-delivery", "x-github-hook-id", "linear-delivery", "linear-event"],
  ...["x-atlassian-webhook-identifier", "x-atlassian-webhook-flow", "x-trello-webhook", "content-type"],
];
const event = fc.constantFrom("projects_v2_item", "projects_v2", "ping", "push", "Issue");

function deliveriesTo(
  kind: ConnectorKind,
  { settings, credentials }: { settings: object; credentials: object },
): Fuzzed {
  const connector = kind.create(kind.settings.parse(settings), kind.credentials.parse(credentials), quietKit);
  const example = EVENTS[kind.provider] ?? {};
  const body = fc.oneof(
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 2_000 }).map((bytes) => Buffer.from(bytes)) },
    {
      weight: 8,
      arbitrary: jsonText(fc.oneof(like(example), jsonOf(Object.keys(example)))).map((json) =>
        Buffer.from(json),
      ),
    },
  );
  const headers = fc.dictionary(fc.oneof(fc.constantFrom(...HEADERS), text), fc.oneof(text, event), {
    maxKeys: 4,
  });
  const believed = fc.constantFrom("signed", "with a token", "forged");
  return fuzzed(
    fc.tuple(body, headers, event, token, believed, text),
    async ([bytes, given, kindOfEvent, bearer, how, forged]) => {
      const proof = {
        signed: () => signed(bytes),
        "with a token": () => ({ authorization: bearer }),
        forged: () => Object.fromEntries([...HEADERS, "authorization"].map((name) => [name, forged])),
      };
      const delivery = {
        method: "POST",
        headers: { "x-github-event": kindOfEvent, ...given, ...proof[how as keyof typeof proof]() },
        body: bytes,
        url: URL_GIVEN,
        receivedAt: new Date(),
      };
      const read = await connector.webhooks?.read(delivery);
      // Whoever keeps it, or tells how late it was, could not.
      if (read?.sentAt !== undefined) read.sentAt.toISOString();
      return read;
    },
  );
}

const all = BOARDS.map(
  (kind) => [kind.provider, deliveriesTo(kind, NAMES[kind.provider as keyof typeof NAMES])] as const,
);
const [jira] = BOARDS.filter(({ provider }) => provider === "jira");
fuzz("deliveries of boards", {
  ...Object.fromEntries(all),
  ...(jira === undefined ? {} : { "jira, of an app": deliveriesTo(jira, APP) }),
});
