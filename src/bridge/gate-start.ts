import type { GateTool, HandleArgument } from "./gate-tools.js";
import type { StateGate } from "./gate-types.js";

/** The tool that gives out handles, for gates that keep workflows by handle. */
export function startTool<C extends object>(
  gate: StateGate<C>,
  key: string | undefined,
): GateTool | undefined {
  if (key === undefined) return undefined;
  const of = gate.id === undefined ? "" : ` ${gate.id}`;
  return {
    name: gate.id === undefined ? "start" : `${gate.id}_start`,
    title: `Start a new${of} workflow`,
    description: `Starts a new${of} workflow and gives its "${key}". Pass that to every other tool of this workflow.`,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    async handler(_args, ctx) {
      const handle = await gate.createHandle(ctx);
      const { value: state } = await gate.getSnapshot(ctx, handle);
      return {
        content: [
          {
            type: "text",
            text: `A new${of} workflow was started. Pass ${key} "${handle}" with every call on it.`,
          },
        ],
        structuredContent: { ok: true, [key]: handle, state },
      };
    },
  };
}

export function handleArgument(
  key: string | undefined,
  start: string | undefined,
): HandleArgument | undefined {
  if (key === undefined) return undefined;
  const from = start === undefined ? "Which workflow is meant." : `The handle that ${start} gave.`;
  return { key, description: `${from} Pass the same one with every call on that workflow.` };
}
