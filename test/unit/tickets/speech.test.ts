import { afterEach, describe, expect, it } from "vitest";
import { ERROR_CODES, type ErrorCode } from "../../../src/errors.js";
import {
  ARGUMENT_NAMES,
  type ArgumentFault,
  LOCALES,
  type Locale,
  localeAccepted,
} from "../../../src/tickets/sentences/sentences.js";
import type { HookShape, TicketShape } from "../../../src/tickets/shapes.js";
import { speechIn } from "../../../src/tickets/speech.js";
import { type Desk, openDesk } from "../../support/desk.js";
import { createFakeBoard } from "../../support/fake-board.js";
import { faultsOf, USUAL_WORDS, wordsIn } from "../../support/speech.js";

const LONG = Array.from({ length: 60 }, (_, i) => `word${i}`).join(" ");
const TITLES: readonly string[] = [
  "Login bug on the second tap",
  "🏗 **Fix** `auth` <b>now</b>! See https://evil.example/x?y=1 #42 @here",
  "A & B | C / D ~ 100% {json} \\ [link](http://x.y)",
  "   ",
  "👀✅",
  LONG,
  "ログイン画面のバグを修正する必要があるのでできるだけ早く対応してくださいとても長い題名ですから切り詰める必要があります".repeat(
    2,
  ),
  "Corrigir o erro de autenticação — “agora” (urgente)",
  "Ends with a question?",
];
const STATUSES: readonly string[] = [
  "In Review",
  "QA / UAT",
  "Done ✅",
  "",
  "Debt (+ Broken Windows)",
  LONG,
  "レビュー中",
];

function ticket(title: string, status: string, i = 1): TicketShape {
  return {
    id: `fake.site.${i}`,
    key: `ENG-${i}`,
    title,
    connection: "web",
    workflow: "fake.site.wf",
    status: { id: `s${i % 3}`, name: status, category: "doing" },
  };
}

const HOOKS: readonly HookShape[][] = [
  [],
  [{ hook: "draft-pull-request", state: "done", result: { number: 7, draft: true } }],
  [{ hook: "draft-pull-request", state: "done", result: { number: 7, draft: false, existing: true } }],
  [{ hook: "draft-pull-request", state: "owed" }],
  [{ hook: "draft-pull-request", state: "waiting", reason: "There is no branch for it yet." }],
  [
    {
      hook: "draft-pull-request",
      state: "failed",
      reason: `GitHub said "no" (422) at https://api.github.com/x. ${LONG}`,
    },
  ],
  [
    { hook: "notify_team", state: "failed" },
    { hook: "tell-qa", state: "waiting", reason: "Waiting for *them*" },
    { hook: "three", state: "done" },
  ],
];

interface Said {
  readonly spoken: string;
  readonly outcome?: string;
  readonly question?: unknown;
}

/** Everything that can be said of these in one language. */
function* everything(locale: Locale): Generator<Said> {
  const say = speechIn(locale);
  for (const title of TITLES) {
    for (const name of STATUSES) {
      const one = ticket(title, name);
      const many = [one, ticket(title, name, 2), ticket(TITLES[0] ?? "", name, 3), ticket("Other", name, 4)];
      const open = STATUSES.map((status, i) => ({ status: { id: String(i), name: status } }));
      const move = { ticket: one, to: name };
      const field = { name, type: "option", allowed: STATUSES.map((label) => ({ id: label, label })) };
      for (const list of [[], [one], many]) {
        yield { spoken: say.found(list, list.length === 4 ? 57 : list.length) };
        yield { outcome: list.length > 0 ? "question" : "refused", spoken: say.notFound(list.slice(0, 3)) };
      }
      for (const openMoves of [[], open]) {
        yield { spoken: say.ticket(one, openMoves) };
        yield { spoken: say.ticket({ ...one, archived: true }, openMoves) };
        yield { spoken: say.ticket({ ...one, detached: true }, openMoves) };
        yield { outcome: "refused", spoken: say.noStatus(one, title, openMoves) };
        yield { outcome: "refused", spoken: say.closed(move, openMoves) };
        for (const path of [
          ["In Progress", "Done"],
          ["A", "B", "C", "Done"],
          ["A", "B", "C", "D", "Done"],
        ])
          yield { outcome: "refused", spoken: say.closed(move, openMoves, { path }) };
        yield {
          outcome: "refused",
          spoken: say.closed(move, openMoves, { why: "That is your team's own rule, not the board's." }),
        };
        yield { outcome: "refused", spoken: say.otherBoard(one, openMoves) };
      }
      for (const hooks of HOOKS) {
        yield { outcome: "confirmed", spoken: say.moved(move, hooks) };
        yield { outcome: "confirmed", spoken: say.movedOn(move, name, hooks) };
        yield { outcome: "confirmed", spoken: say.already(move, hooks) };
      }
      for (const code of [...ERROR_CODES, undefined])
        yield { outcome: "refused", spoken: say.refused(one, `The board said: {"x": "${title}"}`, code) };
      yield { outcome: "question", spoken: say.which(many) };
      yield { outcome: "question", spoken: say.whichStatus(STATUSES) };
      yield { outcome: "question", spoken: say.whichMove(move, STATUSES) };
      yield { outcome: "question", spoken: say.needsField(move, field) };
      yield { outcome: "question", spoken: say.needsField(move, { name, type: "unsupported" }) };
      yield { outcome: "question", spoken: say.confirm(move, false, false) };
      yield { outcome: "question", spoken: say.confirm(move, true, false) };
      yield { outcome: "question", spoken: say.confirm(move, true, true) };
      yield { outcome: "conflict", spoken: say.conflict(one, name) };
      yield { outcome: "conflict", spoken: say.busy(move) };
      yield { outcome: "conflict", spoken: say.undoTooLate(one) };
      yield { outcome: "accepted", spoken: say.accepted(move) };
      yield { outcome: "unknown", spoken: say.unknown(move) };
      yield { outcome: "refused", spoken: say.nothingPending(one) };
      yield { outcome: "refused", spoken: say.nothingToUndo(one) };
      yield {
        spoken: say.board(
          title,
          STATUSES.map((status, i) => ({ name: status, tickets: i })),
        ),
      };
      yield { spoken: say.boards(STATUSES) };
    }
  }
  yield { outcome: "refused", spoken: say.nothingPending() };
  yield { outcome: "refused", spoken: say.nothingToUndo() };
  yield { outcome: "refused", spoken: say.notConfirmed() };
  yield { outcome: "refused", spoken: say.nothingMeant() };
  yield { outcome: "question", spoken: say.oneAtATime() };
  yield { spoken: say.boards([]) };
  for (const fault of FAULTS) yield { outcome: "refused", spoken: say.wrongArguments(fault) };
}

const FAULTS: readonly ArgumentFault[] = [
  ...ARGUMENT_NAMES.flatMap((name) =>
    (["missing", "wrong", "long"] as const).map((kind) => ({ kind, name })),
  ),
  ...[["colour"], ["a_b", "c-d", "e.f", "g"], ["$$"], [], TITLES, ["https://evil.example", "<b>{x}"]].map(
    (names) => ({ kind: "unknown" as const, names }),
  ),
  { kind: "unnamed" },
  { kind: "gone" },
];

describe.each(LOCALES)("what is said in %s", (locale) => {
  it("is short, sayable and honest, whatever the board calls things", () => {
    const faulty = [...everything(locale)].flatMap((said) => {
      const faults = faultsOf({ ...said }, locale).filter((fault) => !tolerated(fault));
      return faults.length === 0 ? [] : [`${said.spoken} -- ${faults.join(", ")}`];
    });
    expect(faulty.slice(0, 10)).toEqual([]);
  });

  it("stays below forty words where titles are as long as titles are", () => {
    const say = speechIn(locale);
    const one = ticket("Password reset link expires too soon", "In Review");
    const move = { ticket: one, to: "In Progress" };
    const open = ["To Do", "Done"].map((name) => ({ status: { id: name, name } }));
    for (const spoken of [
      say.moved(move, HOOKS[1] ?? []),
      say.closed(move, open),
      say.confirm(move, true, true),
      say.conflict(one, "Done"),
      say.accepted(move),
      say.unknown(move),
      say.which([one, one, one]),
    ])
      expect(wordsIn(spoken), spoken).toBeLessThanOrEqual(USUAL_WORDS);
  });

  it("has a sentence for every code, with one thing to do", () => {
    for (const code of ERROR_CODES) {
      const spoken = speechIn(locale).because(undefined, code satisfies ErrorCode);
      expect(faultsOf({ spoken, outcome: "refused" }, locale), spoken).toEqual([]);
    }
  });
});

/** Titles stand in these sentences without the facts beside them, so their own words are ours here. */
function tolerated(fault: string): boolean {
  return fault === "claims a move" ? false : fault === "holds a programmer's word";
}

describe("what is wrong with a tool's arguments", () => {
  it("has a sentence of its own for each, in each language", () => {
    const said = LOCALES.flatMap((locale) =>
      FAULTS.filter((fault) => fault.kind !== "unknown").map((fault) =>
        speechIn(locale).wrongArguments(fault),
      ),
    );
    expect(new Set(said).size).toBe(said.length);
  });
});

describe("twins", () => {
  const say = speechIn("en");
  const twin = (i: number, over: Partial<TicketShape> = {}) => ({
    ...ticket("Login bug", "To Do", i),
    ...over,
  });

  it("are told apart by where they are, else by their keys, else by their boards", () => {
    const done = { id: "9", name: "Done", category: "done" };
    expect(say.labels([twin(3), twin(6, { status: done })])).toEqual([
      "Login bug, in To Do",
      "Login bug, in Done",
    ]);
    expect(say.labels([twin(3), twin(6)])).toEqual(["Login bug, ENG-3", "Login bug, ENG-6"]);
    const { key: _, ...card } = twin(3);
    expect(say.labels([card, { ...card, id: "x", connection: "shop" }])).toEqual([
      "Login bug, web",
      "Login bug, shop",
    ]);
    expect(say.labels([twin(3), ticket("Login page", "To Do")])).toEqual(["Login bug", "Login page"]);
  });
});

describe("the checker", () => {
  it.each([
    ["Moved it to Done.", { outcome: "accepted" }, "claims a move"],
    ["It was moved.", {}, "claims a move"],
    ["See https://x.example.", {}, "holds an address"],
    ["Use *stars*.", {}, "holds a symbol"],
    ["Call move_ticket.", {}, "holds a tool"],
    ["It failed with no_such_move.", {}, "holds a code"],
    ["It failed.", { outcome: "refused" }, "leaves its hearer without a next step"],
    ["No end", {}, "does not end as a sentence"],
    [`${LONG} ${LONG}.`, {}, "is 120 words long"],
  ])("finds fault with %s", (spoken, facts, fault) => {
    expect(faultsOf({ spoken, ...facts })).toContain(fault);
  });

  it("knows a claim in the other languages", () => {
    expect(faultsOf({ spoken: "Movi o cartão para Feito." }, "pt-BR")).toContain("claims a move");
    expect(faultsOf({ spoken: "完了に移動しました。" }, "ja-JP")).toContain("claims a move");
  });
});

describe("the language of a talk", () => {
  let desk: Desk | undefined;
  afterEach(async () => {
    await desk?.close();
    desk = undefined;
  });

  it("is the tenant's, unless the talk asks for another; the client's counts where neither has chosen", async () => {
    desk = await openDesk(createFakeBoard([["ENG-1", "Login bug", "2"]]));
    const read = async (over: Parameters<Desk["talk"]>[0]) =>
      (await desk?.tickets.read(desk.talk(over), { ticket: "ENG-1" }))?.spoken;
    expect(await read({})).toContain("is in In Progress");
    expect(await read({ acceptLanguage: "fr, pt;q=0.8, en;q=0.5" })).toContain("está em In Progress");
    const setting = { version: 0, value: { locale: "ja-JP" } };
    await desk.store.tenant("acme").saveDocument("setting", "speech", setting);
    expect(await read({ acceptLanguage: "pt" })).toContain("In Progressにあります");
    expect(await read({ locale: "pt-BR" })).toContain("está em In Progress");
  });

  it("is kept when something goes wrong, and when the board refuses", async () => {
    desk = await openDesk(createFakeBoard([["ENG-1", "Login bug", "2"]]));
    const talk = desk.talk({ locale: "pt-BR" });
    const done = await desk.tickets.move(talk, { ticket: "ENG-1", to: "Done" });
    expect(done.spoken).toBe(
      "Login bug está em In Progress e de lá não pode ir para Done. Pode ir para To Do ou In Review. O caminho passa por In Review.",
    );
    await expect(desk.tickets.find(talk, { cursor: "bm9uZQ" })).rejects.toMatchObject({
      code: "invalid",
      message: "Essa página não existe mais. Peça a busca de novo, desde o início.",
    });
  });

  it("is read from a header by weight", () => {
    expect(localeAccepted("*")).toBeUndefined();
    expect(localeAccepted("de, ja;q=0.3, pt-PT;q=0.7")).toBe("pt-BR");
    expect(localeAccepted("en;q=0")).toBeUndefined();
  });
});
