import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Demo, startDemo } from "../../src/demo.js";
import { issueToken } from "../../src/http/auth.js";
import type { TenantStore } from "../../src/store/store.js";
import type { Locale } from "../../src/tickets/sentences/sentences.js";
import { checkSpoken } from "../support/speech.js";
import { until } from "../support/until.js";

/** A talk as a voice host has it: on the surface that never changes, without a session, word by word. */

let demo: Demo;
let tenant: TenantStore;
const tokens = new Map<string, string>();

beforeAll(async () => {
  demo = await startDemo({ port: 0, host: "127.0.0.1", inMemory: true, logLevel: "silent" });
  tenant = demo.app.store.tenant("acme");
  for (const name of ["ann", "bob", "cem"])
    tokens.set(name, (await issueToken(tenant, { name }, new Date())).token);
});
afterAll(() => demo.close());

interface Facts {
  readonly spoken: string;
  readonly outcome?: string;
  readonly ticket?: { readonly key: string; readonly status: { readonly name: string } };
  readonly question?: {
    readonly about: string;
    readonly token?: string;
    readonly options: { label: string }[];
  };
  readonly [fact: string]: unknown;
}

interface From {
  readonly person?: string;
  readonly locale?: Locale;
  readonly acceptLanguage?: string;
}

async function hear(name: string, args: object = {}, { person = "ann", locale, acceptLanguage }: From = {}) {
  const response = await fetch(`${demo.line.url}/alexa/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${tokens.get(person)}`,
      ...(acceptLanguage === undefined ? {} : { "accept-language": acceptLanguage }),
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: "1",
      method: "tools/call",
      params: { name, arguments: args },
    }),
  });
  const { result } = (await response.json()) as { result: { structuredContent: Facts } };
  return checkSpoken(result.structuredContent, locale);
}

/** The move's end, which may come after the answer. */
async function ending(answer: Facts): Promise<Facts> {
  if (answer.outcome !== "accepted") return answer;
  return await until(async () => {
    const now = await hear("check_progress", { moveId: answer.moveId });
    return now.outcome === "accepted" ? undefined : now;
  });
}

async function aTicketIn(status: string): Promise<string> {
  const { tickets } = await hear("find_tickets", { status });
  const [first] = tickets as { key: string; connection: string }[];
  if (first === undefined) throw new Error(`nothing is in ${status}`);
  return first.key;
}

describe("a talk on the frozen surface", () => {
  it("finds a ticket by a key said letter by letter, and goes on about it", async () => {
    const key = await aTicketIn("In Progress");
    const [letters = "", number = ""] = key.split("-");
    const read = await hear("read_ticket", { ticket: `${[...letters].join(" ")} ${number}` });
    expect(read.ticket?.key).toBe(key);
    expect((await hear("list_moves", { ticket: "it" })).ticket?.key).toBe(key);
    expect((await hear("read_ticket", { ticket: "it" }, { person: "bob" })).ticket).toBeUndefined();
  });

  it("asks before a ticket is closed, and does it for that person's yes alone", async () => {
    const key = await aTicketIn("In Review");
    const asked = await hear("move_ticket", { ticket: key, to: "done" });
    expect(asked).toMatchObject({ outcome: "question", question: { about: "confirm" } });
    expect(asked.spoken).toMatch(/ would go from In Review to .+\. Shall I do that\?$/);
    const token = asked.question?.token;
    const stolen = await hear("move_ticket", { ticket: key, to: "done", token }, { person: "bob" });
    expect(stolen.outcome).toBe("refused");
    expect((await hear("read_ticket", { ticket: key })).ticket?.status.name).toBe("In Review");
    const answer = await ending(await hear("move_ticket", { ticket: key, to: "done", token }));
    expect(["confirmed", "question"]).toContain(answer.outcome);
    expect(answer.question?.about).not.toBe("confirm");
  });

  it("says what it can in the team's language, or in the client's where the team has chosen none", async () => {
    const portuguese = await hear("describe_board", {}, { locale: "pt-BR", acceptLanguage: "pt-BR" });
    expect(portuguese.spoken).toMatch(/^Os quadros conectados são /);
    await tenant.saveDocument("setting", "speech", { version: 0, value: { locale: "ja-JP" } });
    const japanese = await hear("read_ticket", { ticket: "それ" }, { locale: "ja-JP", person: "cem" });
    expect(japanese.spoken).toBe("どのチケットのことか分かりません。番号かタイトルの言葉を言ってください。");
    const none = await hear("find_tickets", { query: "給与計算" }, { locale: "ja-JP" });
    expect(none).toMatchObject({ total: 0, spoken: expect.stringContaining("見つかりません") });
  });

  it.each([
    ["en", "I still need to know which ticket you mean. Please give its key or a few words from its title."],
    ["pt-BR", "Ainda falta o cartão. Diga a chave ou algumas palavras do título."],
    ["ja-JP", "チケットがまだ分かりません。番号かタイトルの言葉を言ってください。"],
  ] as const)("says in the language of the talk what a tool was not given: %s", async (locale, spoken) => {
    const before = await tenant.getDocument("setting", "speech");
    await tenant.saveDocument("setting", "speech", { version: before?.version ?? 0, value: { locale } });
    expect(await hear("read_ticket", {}, { locale })).toMatchObject({ code: "invalid", spoken });
    for (const args of [{ ticket: 7 }, { ticket: "x".repeat(501) }, { ticket: "x", colour: "red" }])
      expect(await hear("read_ticket", args, { locale })).toMatchObject({ code: "invalid" });
    expect(await hear("find_tickets", { cursor: "bm9uZQ" }, { locale })).toMatchObject({ code: "invalid" });
  });
});
