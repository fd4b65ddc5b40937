import { z } from "zod";
import type { FsmConfig, FsmTransitionConfig } from "../machine/index.js";
import { type EventToolOptions, eventTools } from "./event-tools.js";
import { isFinal, titleOf, transitionsOf } from "./flat.js";
import { eventFacts } from "./logic.js";

const action = z.object({
  event: z.string().describe("What to send when it is chosen."),
  tool: z.string().describe("The MCP tool that sends the same event."),
  label: z.string(),
  targets: z
    .array(z.string())
    .describe("States it may lead to; the state itself when it only does something."),
  guarded: z.boolean().describe("The machine may refuse it; a reason comes with the refusal."),
  closes: z.boolean().describe("It leads to an end: ask before doing it."),
  fields: z.record(z.string(), z.unknown()).optional().describe("JSON Schema of what to ask for."),
});

const screen = z.object({
  state: z.string(),
  title: z.string(),
  text: z.string().describe("What to say, the same as is spoken."),
  final: z.boolean(),
  actions: z.array(action),
});

const screens = z.object({
  version: z.literal(1),
  id: z.string().optional(),
  initial: z.string(),
  screens: z.record(z.string(), screen).describe("One for each state, by its name."),
});

export type FsmScreens = z.infer<typeof screens>;
export type FsmScreen = z.infer<typeof screen>;
export type FsmScreenAction = z.infer<typeof action>;

/** JSON Schema of what `toScreens` returns. */
export function screensJsonSchema(): Record<string, unknown> {
  return { ...z.toJSONSchema(screens), title: "Boardwalk screens" };
}

export interface ScreenOptions extends EventToolOptions {
  /** As for the bridge: what an event takes. */
  readonly eventSchemas?: Readonly<Record<string, z.ZodObject>>;
}

/** One screen for each state, from the machine the tools are made of: what can be tapped is what can be said. */
export function toScreens<C extends object>(machine: FsmConfig<C>, options: ScreenOptions = {}): FsmScreens {
  const facts = new Map(eventFacts(machine).map((event) => [event.type, event]));
  const tools = new Map(
    eventTools(
      { ...(machine.id === undefined ? {} : { id: machine.id }), events: [...facts.values()] },
      options,
    ).map((tool) => [tool.event, tool]),
  );
  const written = transitionsOf(machine);

  function actionOf(state: string, event: string, taken: readonly FsmTransitionConfig<C>[]): FsmScreenAction {
    const schema = options.eventSchemas?.[event];
    return {
      event,
      tool: tools.get(event)?.name ?? event,
      label: tools.get(event)?.title ?? event,
      targets: [...new Set(taken.map(({ target }) => target ?? state))],
      // One without a guard after the others always answers.
      guarded: taken.every(({ guard }) => guard !== undefined),
      closes: facts.get(event)?.closes === true,
      ...(schema === undefined
        ? {}
        : { fields: z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) }),
    };
  }

  function screenOf(state: string): FsmScreen {
    const leaving = new Map<string, FsmTransitionConfig<C>[]>();
    for (const { from, event, config } of written) {
      if (from === state) leaving.set(event, [...(leaving.get(event) ?? []), config]);
    }
    const title = titleOf(machine, state);
    return {
      state,
      title,
      text: machine.states[state]?.meta?.prompt ?? `Now in "${title}".`,
      final: isFinal(machine, state),
      actions: [...leaving].map(([event, taken]) => actionOf(state, event, taken)),
    };
  }

  return {
    version: 1,
    ...(machine.id === undefined ? {} : { id: machine.id }),
    initial: machine.initial,
    screens: Object.fromEntries(Object.keys(machine.states).map((state) => [state, screenOf(state)])),
  };
}
