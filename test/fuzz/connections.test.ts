import { generateKeyPairSync } from "node:crypto";
import fc from "fast-check";
import { BOARDS, REPOSITORIES } from "../../connectors/index.js";
import { errorFromAnswer, parseRetryAfter } from "../../src/board/http.js";
import { createUrlCheck, isPublicAddress } from "../../src/board/safe-url.js";
import { BoardwalkError } from "../../src/errors.js";
import { openBoard } from "../../src/sync/open-board.js";
import { newConnection } from "../../src/sync/records.js";
import { type Fuzzed, fuzz, fuzzed } from "../support/fuzz.js";
import { like, text } from "../support/hostile.js";

/** What a team gives to connect a board: settings, credentials, addresses. */

const { privateKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
});
const SHARED = {
  vcs: {
    provider: "github",
    repo: "acme/web",
    base: "main",
    apiUrl: "https://a.example",
    draftFallback: "ready",
  },
  hooks: [{ on: "enter", status: "In Review", run: "draft-pull-request" }],
  allowedMoves: { "To Do": ["In Progress"] },
};
const OAUTH = {
  accessToken: "a",
  refreshToken: "r",
  clientId: "c",
  clientSecret: "s",
  tokenUrl: "https://a.example/token",
};
const GIVEN: Readonly<Record<string, readonly [settings: object, ...credentials: object[]]>> = {
  jira: [
    { baseUrl: "https://a.example", project: "ENG", board: 1, timeoutMs: 1_000 },
    { email: "a@b.example", apiToken: "t", webhookSecret: "s" },
    OAUTH,
  ],
  linear: [{ team: "MOB", apiUrl: "https://a.example" }, { apiKey: "k", webhookSecret: "s" }, OAUTH],
  github: [
    { owner: "acme", project: 1, statusField: "Status", apiUrl: "https://a.example/api/v3" },
    { token: "t", webhookSecret: "s" },
    { appId: "7", installationId: "8", privateKey },
  ],
  trello: [
    { board: "65b0f0000000000000000001", apiUrl: "https://a.example" },
    { apiKey: "k", token: "t", secret: "s" },
  ],
};

const deps = {
  kinds: BOARDS,
  vcsKinds: REPOSITORIES,
  hooksFor: () => ({}),
  checkUrl: async () => {},
  budgets: { take: async () => 0 },
  now: () => new Date(),
};

function opened(provider: string): Fuzzed {
  const [settings, ...credentials] = GIVEN[provider] ?? [{}];
  const given = fc.record({
    id: fc.constant("eng"),
    provider: fc.oneof({ weight: 8, arbitrary: fc.constant(provider) }, text),
    settings: like({ ...settings, ...SHARED }),
    credentials: fc.oneof(...credentials.map((each) => like({ ...each, vcs: { token: "t" } }))),
  });
  return fuzzed(given, (connection) => {
    const wanted = newConnection.safeParse(connection);
    if (!wanted.success) return undefined;
    return openBoard(deps, { ...wanted.data, name: "acme/eng" }, { saveCredentials: async () => {} }).name;
  });
}

const check = createUrlCheck({ allowPrivateHosts: false, lookup: async () => ["93.184.216.34"] });
const address = fc.oneof(
  text,
  text.map((host) => `https://${host}`),
  fc.webUrl(),
  fc.tuple(fc.ipV6(), text).map(([host, path]) => `https://[${host}]/${path}`),
);

fuzz("settings, credentials and addresses of boards", {
  ...Object.fromEntries(BOARDS.map(({ provider }) => [provider, opened(provider)])),
  "a board's address": fuzzed(address, (url) => check(url)),
  "a literal address": fuzzed(fc.oneof(text, fc.ipV4(), fc.ipV6(), fc.ipV4Extended()), (literal) =>
    isPublicAddress(literal),
  ),
  "a wait": fuzzed(
    fc.oneof(
      text,
      fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
      fc.double().map(String),
    ),
    (value) => {
      const ms = parseRetryAfter(value);
      if (ms !== undefined && !(ms >= 0 && ms <= 86_400_000)) throw new Error(`a wait of ${ms} ms`);
      return ms;
    },
  ),
  refusals: fuzzed(fc.tuple(fc.integer({ min: 100, max: 599 }), text, text), ([status, said, wait]) => {
    const { message } = errorFromAnswer("Jira", { status, header: () => wait, text: said });
    if (message.length > 1_000) throw new Error(`${message.length} characters to be said`);
    return new BoardwalkError("invalid", message).message;
  }),
});
