import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  createFsmMcpBridge,
  type FsmConfig,
  fsmFromStatusGraph,
  resolveUtterance,
  type StatusGraph,
  screensJsonSchema,
  toMermaid,
  toScreens,
  toUtterances,
} from "../../../src/index.js";

const coffee: FsmConfig<{ paid: boolean }> = {
  id: "coffee",
  initial: "idle",
  context: { paid: false },
  states: {
    idle: { meta: { prompt: "Ready to order." }, on: { ORDER: { target: "ordering", actions: () => {} } } },
    ordering: {
      on: {
        CONFIRM: { target: "done", guard: (c) => c.paid, reason: "Pay first." },
        CANCEL: "idle",
        addSugar: { assign: () => ({}) },
        MIXED: [{ target: "idle", guard: () => false }, { target: "done" }],
      },
      onEnter: { run: "grind" },
    },
    done: { final: true },
  },
};

const board: StatusGraph = {
  id: "eng",
  name: "Engineering",
  statuses: [
    { id: "10", name: "To Do", category: "todo", order: 1, aliases: [] },
    { id: "20", name: 'In "Review"; #1', category: "doing", order: 2, aliases: [] },
    { id: "30", name: "完了", category: "done", order: 3, aliases: [] },
    { id: "40", name: "in-review #1", category: "doing", order: 4, aliases: [] },
  ],
  moves: [
    { id: "a", from: "10", to: "20" },
    { id: "b", from: "20", to: "30" },
    { id: "c", from: "20", to: "40" },
  ],
  edges: "authoritative",
};

describe("toMermaid", () => {
  it("draws states, transitions, conditions and ends, and marks where it is", () => {
    expect(toMermaid(coffee, { current: "ordering" })).toBe(`stateDiagram-v2
  state "idle" as s0
  state "ordering" as s1
  state "done" as s2
  [*] --> s0
  s0 --> s1 : ORDER
  s1 --> s2 : CONFIRM [Pay first.]
  s1 --> s0 : CANCEL
  s1 --> s1 : addSugar
  s1 --> s0 : MIXED [?]
  s1 --> s2 : MIXED
  s2 --> [*]
  classDef current font-weight:bold,stroke-width:4px
  class s1 current
`);
  });

  it("calls a board's statuses by name, whatever is in it", () => {
    const drawn = toMermaid(fsmFromStatusGraph(board));
    expect(drawn).toContain('  state "In #34;Review#34;#59; #35;1" as s1');
    expect(drawn).toContain("  s0 --> s1 : Move to In #34;Review#34;#59; #35;1");
    expect(drawn).toContain('  state "完了" as s2');
    expect(toMermaid(fsmFromStatusGraph(board), { current: "gone" })).not.toContain("class ");
  });

  it("shows something even for a blank name", () => {
    expect(toMermaid({ initial: " ", states: { " ": { on: { "\n": " " } } } })).toContain(
      "s0 --> s0 : #160;\n",
    );
  });

  it("lets no name break out of its line", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.string({ minLength: 1, unit: "binary" }), { minLength: 1, maxLength: 5 }),
        (names) => {
          const on = Object.fromEntries(names.map((name) => [name, { target: names[0] ?? "" }]));
          const states = Object.fromEntries(names.map((name) => [name, { on }]));
          const own = Object.keys(states);
          if (own.length !== names.length) return;
          const lines = toMermaid({ initial: names[0] ?? "", states })
            .trimEnd()
            .split("\n");
          expect(lines).toHaveLength(2 + own.length + own.length * own.length);
          for (const line of lines.slice(1)) {
            expect(line).toMatch(
              /^ {2}(state "[^"]*" as s\d+|\[\*\] --> s\d+|s\d+ --> s\d+ : [^;:]*(#\d+;[^;:]*)*)$/,
            );
          }
        },
      ),
    );
  });
});

describe("toScreens", () => {
  const schemas = { eventSchemas: { ORDER: z.object({ drink: z.string() }) } };

  it("describes one screen a state, whose actions are the tools", () => {
    const { screens, ...rest } = toScreens(coffee, schemas);
    expect(rest).toEqual({ version: 1, id: "coffee", initial: "idle" });
    expect(screens.idle).toMatchObject({
      title: "idle",
      text: "Ready to order.",
      final: false,
      actions: [
        {
          event: "ORDER",
          tool: "coffee_order",
          label: "Order",
          targets: ["ordering"],
          guarded: false,
          closes: false,
          fields: { type: "object", properties: { drink: { type: "string" } }, required: ["drink"] },
        },
      ],
    });
    expect(screens.ordering?.actions).toMatchObject([
      { event: "CONFIRM", guarded: true, closes: true },
      { event: "CANCEL", guarded: false, closes: false },
      { event: "addSugar", targets: ["ordering"] },
      { event: "MIXED", targets: ["idle", "done"], guarded: false, closes: true },
    ]);
    expect(screens.done).toMatchObject({ final: true, actions: [], text: 'Now in "done".' });
    const tools = createFsmMcpBridge(coffee, { ...schemas, hooks: { grind: async () => undefined } }).tools;
    const named = new Set(Object.values(screens).flatMap(({ actions }) => actions.map(({ tool }) => tool)));
    expect(named).toEqual(new Set(tools.map(({ name }) => name)));
  });

  it("shows a board's statuses by name", () => {
    const { screens } = toScreens(fsmFromStatusGraph(board));
    expect(screens["10"]).toMatchObject({ state: "10", title: "To Do", text: "Now in To Do." });
    expect(screens["20"]?.actions[0]).toMatchObject({ label: "Move to 完了", closes: true });
  });

  it("fits the published JSON Schema, and nothing else does", () => {
    const published = JSON.parse(
      readFileSync(new URL("../../../docs/screens.schema.json", import.meta.url), "utf8"),
    );
    expect(published).toEqual(screensJsonSchema());
    const valid = new Ajv2020({ strict: false }).compile(published);
    for (const made of [toScreens(coffee, schemas), toScreens(fsmFromStatusGraph(board))]) {
      expect(valid(JSON.parse(JSON.stringify(made))), JSON.stringify(valid.errors)).toBe(true);
    }
    expect(valid({ ...toScreens(coffee), version: 2 })).toBe(false);
    expect(valid({ ...toScreens(coffee), screens: { idle: { state: "idle" } } })).toBe(false);
  });
});

describe("toUtterances", () => {
  it("says what people would, in three languages", () => {
    const machine = fsmFromStatusGraph({
      initial: "todo",
      graph: { todo: ["in_progress"], in_progress: [] },
    });
    const of = (locale: "en" | "pt" | "ja") => toUtterances(machine, { locale })[0]?.utterances.slice(0, 2);
    expect(of("en")).toEqual(["move it to in progress", "set it to in progress"]);
    expect(of("pt")).toEqual(["mova para in progress", "passe para in progress"]);
    expect(of("ja")).toEqual(["in progressに移動して", "in progressにして"]);
    const words = { ORDER: "fazer um pedido" };
    expect(toUtterances(coffee, { locale: "pt", words })[0]).toEqual({
      event: "ORDER",
      utterances: ["fazer um pedido", "por favor, fazer um pedido", "quero fazer um pedido"],
    });
    expect(toUtterances(fsmFromStatusGraph(board))[0]?.utterances).toContain('move it to In "Review"; #1');
  });

  it("resolve back to their event, whatever their case and punctuation", () => {
    const utterances = toUtterances(fsmFromStatusGraph(board));
    expect(resolveUtterance(utterances, "Move it to 完了.")).toBe("MOVE_TO_30");
    expect(resolveUtterance(utterances, "MOVE IT TO IN REVIEW 1!")).toBe("MOVE_TO_20");
    expect(resolveUtterance(utterances, "move it to in review 1 2")).toBe("MOVE_TO_40");
    expect(resolveUtterance(utterances, "make coffee")).toBeUndefined();
  });

  it("of any machine resolve back to their own event, in every language", () => {
    const names = fc.uniqueArray(
      fc.oneof(
        fc.constantFrom("In Review", "in-review", "IN_REVIEW", "完了", "進行中", "!!!", "é", "É", "a 2", "a"),
        fc.string({ minLength: 1 }),
      ),
      { minLength: 1, maxLength: 12 },
    );
    fc.assert(
      fc.property(
        names,
        fc.constantFrom("en" as const, "pt" as const, "ja" as const),
        fc.boolean(),
        (events, locale, moves) => {
          const states = Object.fromEntries(events.map((name) => [name, {}]));
          const on = Object.fromEntries(
            events.map((name) => [moves ? `MOVE_TO_${name}` : name, { target: name }]),
          );
          if (Object.keys(states).length !== events.length) return;
          const machine: FsmConfig = { initial: "start!", states: { ...states, "start!": { on } } };
          const utterances = toUtterances(machine, { locale });
          expect(utterances.map(({ event }) => event)).toEqual(Object.keys(on));
          for (const { event, utterances: said } of utterances) {
            expect(said.length).toBeGreaterThan(0);
            for (const one of said) expect(resolveUtterance(utterances, one)).toBe(event);
          }
        },
      ),
    );
  });
});
