import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Demo, startDemo } from "../../src/demo.js";
import { issueToken } from "../../src/http/auth.js";
import { type OauthService, oauthServiceOf } from "../support/oauth-service.js";

/** Ten thousand attempts to get at what is another person's or another tenant's. None may succeed. */

const PROBES = 10_000;
const AT_ONCE = 25;
const SEED = 20_261_130;

let demo: Demo;
let service: OauthService;

interface Person {
  readonly tenant: "acme" | "globex";
  readonly name: string;
  /** By address. */
  readonly tokens: Readonly<Record<string, string>>;
  readonly refresh: string;
  /** Sessions, by address. */
  readonly sessions: Readonly<Record<string, string>>;
  /** Of the question whether to close that ticket. */
  readonly question: { readonly ticket: string; readonly status: string; readonly token: string };
}

const PEOPLE = [
  ["acme", "ann", { ticket: "ENG-8", to: "Done", fields: { resolution: "Done" } }],
  ["acme", "bob", { ticket: "ENG-8", to: "Done", fields: { resolution: "Done" } }],
  ["globex", "gil", { ticket: "ENG-4", to: "Done", fields: { resolution: "Done" } }],
] as const;
/** Words that only the other tenant's tickets have. */
const SECRET = {
  acme: /second tap|two coupons|Battery drains|large photos/i,
  globex: /signing keys|trial ends|opening hours|Refunds stay/i,
};
const paths = { everybody: "/mcp", acme: "/t/acme/mcp", globex: "/t/globex/mcp", alexa: "/alexa/mcp" };
type Where = keyof typeof paths;

let people: readonly Person[];
let serviceToken: string;
let staticTokens: Readonly<Record<"acme" | "globex", string>>;

interface Reply {
  readonly status: number;
  readonly text: string;
  readonly session: string | null;
}

async function send(where: Where, token: string, body: object, session?: string): Promise<Reply> {
  const response = await fetch(`${demo.line.url}${paths[where]}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${token}`,
      ...(session === undefined ? {} : { "mcp-session-id": session }),
    },
    body: JSON.stringify(body),
  });
  return {
    status: response.status,
    text: await response.text(),
    session: response.headers.get("mcp-session-id"),
  };
}

const rpc = (method: string, params: object = {}) => ({ jsonrpc: "2.0", id: 1, method, params });
const call = (name: string, args: object = {}) => rpc("tools/call", { name, arguments: args });
const facts = ({ text }: Reply) =>
  ((JSON.parse(text) as { result?: { structuredContent?: Record<string, unknown> } }).result
    ?.structuredContent ?? {}) as {
    outcome?: string;
    ticket?: { id: string; status: { name: string } };
    question?: { token?: string };
  };

beforeAll(async () => {
  demo = await startDemo({ port: 0, host: "127.0.0.1", inMemory: true, logLevel: "silent" });
  service = oauthServiceOf(demo.app, { url: demo.line.url, admin: demo.line.admin.token });
  people = await Promise.all(PEOPLE.map(([tenant, name, wish]) => enroll(tenant, name, wish)));
  const tenant = demo.app.store.tenant("acme");
  serviceToken = (await issueToken(tenant, { name: "svc", scopes: ["mcp:service"] }, new Date())).token;
  const [acme, globex] = demo.line.tenants.map(({ token }) => token);
  staticTokens = { acme: acme ?? "", globex: globex ?? "" };
});
afterAll(() => demo.close());

async function enroll(tenant: "acme" | "globex", name: string, wish: object): Promise<Person> {
  const tokens: Record<string, string> = {};
  const sessions: Record<string, string> = {};
  let refresh = "";
  for (const where of ["everybody", tenant, "alexa"] as const) {
    const linked = await service.link(await service.pair(tenant, name), `${demo.line.url}${paths[where]}`);
    tokens[where] = linked.access_token;
    refresh = linked.refresh_token ?? "";
    const params = {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "x", version: "1" },
    };
    sessions[where] = (await send(where, linked.access_token, rpc("initialize", params))).session ?? "";
  }
  const asked = facts(await send("alexa", tokens.alexa ?? "", call("move_ticket", wish)));
  const { ticket, question } = asked;
  if (question?.token === undefined || ticket === undefined)
    throw new Error(`No question was asked: ${JSON.stringify(asked)}`);
  return {
    tenant,
    name,
    tokens,
    refresh,
    sessions,
    question: { ticket: ticket.id, status: ticket.status.name, token: question.token },
  };
}

/** The same numbers in every run. */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5) | 0;
    return ((state ^ (state >>> 13)) >>> 0) % sides;
  };
}

type Probe = () => Promise<string | undefined>;

/** One attempt, made up at random; it answers what went wrong, if anything. */
function probeOf(roll: (sides: number) => number): { readonly kind: string; readonly run: Probe } {
  const pick = <T>(items: readonly T[]): T => items[roll(items.length)] as T;
  const mine = pick(people);
  const theirs = pick(people.filter((one) => one !== mine));
  const home = pick(["everybody", mine.tenant, "alexa"] as const);
  const token = mine.tokens[home] ?? "";
  const asks = [
    rpc("tools/list"),
    call("find_tickets"),
    call("describe_board"),
    call("move_ticket", { ticket: theirs.question.ticket, to: "Done" }),
    rpc("resources/list"),
  ] as const;
  const foreign = people.find(({ tenant }) => tenant !== mine.tenant) as Person;
  const status = async (reply: Promise<Reply>, wanted: readonly number[]) => {
    const { status: got } = await reply;
    return wanted.includes(got) ? undefined : `answered ${got}`;
  };
  const hidesOthers = async (reply: Promise<Reply>) => {
    const { text } = await reply;
    return SECRET[foreign.tenant].test(text) ? `told of another tenant: ${text.slice(0, 200)}` : undefined;
  };
  const notConfirmed = async (reply: Promise<Reply>) => {
    const { outcome } = facts(await reply);
    return outcome === "confirmed" || outcome === "accepted" ? `a move was ${outcome}` : undefined;
  };

  const kinds: readonly (readonly [string, Probe])[] = [
    [
      "a token at an address that it is not for",
      () =>
        status(
          send(pick(Object.keys(paths).filter((one) => one !== home) as Where[]), token, pick(asks)),
          TURNED_AWAY,
        ),
    ],
    [
      "a token with something changed",
      () => status(send(home, changed(token, roll), pick(asks)), TURNED_AWAY),
    ],
    [
      "two tokens put together",
      () =>
        status(
          send(home, token.slice(0, 20) + (theirs.tokens.alexa ?? "").slice(20), pick(asks)),
          TURNED_AWAY,
        ),
    ],
    ["what renews a token, as a token", () => status(send(home, theirs.refresh, pick(asks)), TURNED_AWAY)],
    ["a made-up token", () => status(send(home, made(43, roll), pick(asks)), TURNED_AWAY)],
    [
      "another's session",
      () => status(send(home, token, pick(asks), pick(Object.values(theirs.sessions))), [404]),
    ],
    ["a made-up session", () => status(send(home, token, pick(asks), made(36, roll)), [404])],
    [
      "one's session where other tools are shown",
      () => {
        const session = mine.sessions[home === "alexa" ? "everybody" : "alexa"];
        return status(send(home, token, pick(asks), session), [404]);
      },
    ],
    [
      "another tenant's ticket by its id",
      () => {
        const ticket = foreign.question.ticket;
        const tool = pick([
          call("read_ticket", { ticket }),
          call("list_moves", { ticket }),
          call("check_progress", { ticket }),
          call("undo_move", { ticket }),
          call("move_ticket", { ticket, to: "Done", token: foreign.question.token }),
        ]);
        return hidesOthers(send("alexa", mine.tokens.alexa ?? "", tool));
      },
    ],
    [
      "another tenant's ticket as a resource",
      () => {
        const uri = `ticket://${pick(["eng", "mobile", "events", "platform"])}/${foreign.question.ticket}`;
        return hidesOthers(send(home, token, rpc("resources/read", { uri })));
      },
    ],
    [
      "another's yes",
      () => {
        const { ticket, token: yes } = theirs.question;
        const args = { ticket, to: "Done", token: yes };
        return notConfirmed(send("alexa", mine.tokens.alexa ?? "", call("move_ticket", args)));
      },
    ],
    [
      "a yes with something changed",
      () => {
        const { ticket, token: yes } = mine.question;
        const args = { ticket, to: "Done", token: changed(yes, roll) };
        return notConfirmed(send("alexa", mine.tokens.alexa ?? "", call("move_ticket", args)));
      },
    ],
    [
      "one's yes for another ticket",
      () => {
        const args = {
          ticket: pick(["MOB-3", "ENG-7", "ENG-2"]),
          to: "Done",
          token: mine.question.token,
        };
        return notConfirmed(send("alexa", mine.tokens.alexa ?? "", call("move_ticket", args)));
      },
    ],
    [
      "a service's token for a person's matter",
      () => status(send("alexa", serviceToken, pick(asks.slice(1, 4))), [401]),
    ],
    [
      "a tenant's token at the other's address",
      () =>
        status(
          send(mine.tenant === "acme" ? "globex" : "acme", staticTokens[mine.tenant], pick(asks)),
          [403],
        ),
    ],
    ["all that one can see", () => hidesOthers(send(home, token, pick(asks.slice(1, 3))))],
  ];
  const [name, probe] = pick(kinds);
  const run = async () => {
    const wrong = await probe();
    return wrong === undefined ? undefined : `${mine.name} with ${name}: ${wrong}`;
  };
  return { kind: name, run };
}

/** A wrong token, and after so many of them also the word to wait. */
const TURNED_AWAY = [401, 429];

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

function made(length: number, roll: (sides: number) => number): string {
  return Array.from({ length }, () => LETTERS[roll(LETTERS.length)]).join("");
}

function changed(secret: string, roll: (sides: number) => number): string {
  const at = roll(secret.length);
  const other = LETTERS[(LETTERS.indexOf(secret[at] ?? "A") + 1 + roll(LETTERS.length - 1)) % LETTERS.length];
  return secret.slice(0, at) + other + secret.slice(at + 1);
}

describe("ten thousand probes", () => {
  it("by people who are let in, at what is not theirs, get nothing", async () => {
    const roll = dice(SEED);
    const probes = Array.from({ length: PROBES }, () => probeOf(roll));
    const kinds = new Map<string, number>();
    for (const { kind } of probes) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    expect(kinds.size).toBe(16);
    expect(Math.min(...kinds.values())).toBeGreaterThan(PROBES / 32);
    const wrong: string[] = [];
    for (let from = 0; from < probes.length; from += AT_ONCE) {
      const said = await Promise.all(probes.slice(from, from + AT_ONCE).map(({ run }) => run()));
      wrong.push(...said.filter((one) => one !== undefined));
    }
    expect(wrong).toEqual([]);
  }, 300_000);

  it("have moved nothing, and left each one's own yes as good as it was", async () => {
    for (const { name, tokens, question } of people.filter((one) => one.name !== "bob")) {
      const read = await send("alexa", tokens.alexa ?? "", call("read_ticket", { ticket: question.ticket }));
      expect(read.text, name).toContain(question.status);
      const args = { ticket: question.ticket, to: "Done", token: question.token };
      const said = facts(await send("alexa", tokens.alexa ?? "", call("move_ticket", args)));
      expect(["confirmed", "accepted"], `${name}: ${JSON.stringify(said)}`).toContain(said.outcome);
    }
  });
});
