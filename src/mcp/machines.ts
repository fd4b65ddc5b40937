import { type CompiledMachine, compile } from "../machine/compile.js";
import { fsmFromStatusGraph } from "../machine/index.js";
import type { KeptWorkflow } from "../tickets/tickets.js";

const machines = new WeakMap<KeptWorkflow["graph"], CompiledMachine<object>>();

/** The machine of a workflow as it is spoken of here: what may follow what, without the hooks; made once per graph. */
export function machineOf({ graph }: KeptWorkflow): CompiledMachine<object> {
  const made = machines.get(graph) ?? compile(fsmFromStatusGraph<object>(graph));
  machines.set(graph, made);
  return made;
}
