import { describe, expectTypeOf, it } from "vitest";
import {
  createFsmActor,
  createFsmMcpBridge,
  type FsmConfig,
  type FsmToolName,
  fsmFromStatusGraph,
  type MoveEventName,
} from "../../../src/index.js";

describe("types made from a literal machine", () => {
  const graph = {
    id: "ticket",
    initial: "todo",
    graph: { todo: ["in progress"], "in progress": ["done", "todo"], done: [] },
  } as const;
  type Moves = "MOVE_TO_IN_PROGRESS" | "MOVE_TO_DONE" | "MOVE_TO_TODO";

  it("name a graph's events, in send and in tool names", () => {
    const machine = fsmFromStatusGraph({
      id: "ticket",
      initial: "todo",
      graph: { todo: ["in progress"], "in progress": ["done", "todo"], done: [] },
    });
    const actor = createFsmActor(machine);
    expectTypeOf(actor.send).parameter(0).toHaveProperty("type").toEqualTypeOf<Moves>();
    const { tools } = createFsmMcpBridge(machine);
    expectTypeOf(tools[0]?.name).toEqualTypeOf<
      "ticket_move_to_in_progress" | "ticket_move_to_done" | "ticket_move_to_todo" | undefined
    >();
    // @ts-expect-error: no status is called so.
    void actor.send({ type: "MOVE_TO_DOEN" });
    expectTypeOf(fsmFromStatusGraph(graph)).toExtend<
      FsmConfig<object, "todo" | "in progress" | "done", Moves>
    >();
  });

  it("name a config's events", () => {
    const machine = {
      id: "coffee",
      initial: "idle",
      states: { idle: { on: { orderDrink: "busy", CANCEL: "idle" } }, busy: { on: { READY: "idle" } } },
    } as const;
    const actor = createFsmActor(machine);
    expectTypeOf(actor.send)
      .parameter(0)
      .toHaveProperty("type")
      .toEqualTypeOf<"orderDrink" | "CANCEL" | "READY">();
    expectTypeOf(createFsmMcpBridge(machine).tools[0]?.name).toEqualTypeOf<
      "coffee_order_drink" | "coffee_cancel" | "coffee_ready" | undefined
    >();
  });

  it("check a typed config's initial state and targets", () => {
    type Lamp = FsmConfig<object, "on" | "off", "TOGGLE">;
    // @ts-expect-error: a misspelt target.
    const target: Lamp = { initial: "on", states: { on: { on: { TOGGLE: "of" } }, off: {} } };
    // @ts-expect-error: a misspelt initial state.
    const initial: Lamp = { initial: "onn", states: { on: {}, off: {} } };
    // @ts-expect-error: a misspelt event.
    const event: Lamp = { initial: "on", states: { on: { on: { TOGLE: "off" } }, off: {} } };
    void [target, initial, event];
  });

  it("stay out of the way of machines known only at run time", () => {
    const machine: FsmConfig<{ n: number }> = { initial: "a", context: { n: 1 }, states: { a: {} } };
    expectTypeOf(createFsmActor(machine).send).parameter(0).toHaveProperty("type").toBeString();
    expectTypeOf(createFsmActor(machine).getSnapshot().context).toEqualTypeOf<{ n: number }>();
    expectTypeOf(createFsmMcpBridge(machine).tools[0]?.name).toEqualTypeOf<string | undefined>();
    const widened = { initial: "a", states: { a: { on: { GO: "a" } } } };
    createFsmActor(widened);
    createFsmMcpBridge(widened);
    const named = createFsmMcpBridge(widened, { toolName: (event) => `do_${event}` });
    expectTypeOf(named.tools[0]?.name).toEqualTypeOf<string | undefined>();
    const events = fsmFromStatusGraph({ initial: "a", graph: { a: ["a"] }, eventName: (s) => s });
    expectTypeOf(createFsmActor(events).send).parameter(0).toHaveProperty("type").toBeString();
    const typed = fsmFromStatusGraph<{ n?: number }>({
      initial: "a",
      context: {},
      graph: { a: ["b"], b: [] },
    });
    expectTypeOf(createFsmActor(typed).getSnapshot().context).toEqualTypeOf<{ n?: number }>();
  });

  it("spell names as the library does", () => {
    expectTypeOf<MoveEventName<"In Review" | "Done!" | "Révisé">>().toEqualTypeOf<
      "MOVE_TO_IN_REVIEW" | "MOVE_TO_DONE_" | "MOVE_TO_R_VIS_"
    >();
    expectTypeOf<MoveEventName<"完了">>().toEqualTypeOf<string>();
    expectTypeOf<FsmToolName<"my machine", "HTTPServerUp" | "a1B" | "__X__">>().toEqualTypeOf<
      "my_machine_httpserver_up" | "my_machine_a1_b" | "my_machine__x_"
    >();
    expectTypeOf<FsmToolName<"m", "完了">>().toEqualTypeOf<string>();
    expectTypeOf<FsmToolName<"m", "A_VERY_LONG_EVENT_NAME_THAT_GOES_ON_AND_ON">>().toEqualTypeOf<string>();
  });
});
