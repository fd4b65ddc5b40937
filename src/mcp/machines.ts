import { type FsmConfig, fsmFromStatusGraph } from "../machine/index.js";
import type { KeptWorkflow } from "../tickets/tickets.js";

const machines = new WeakMap<KeptWorkflow["graph"], FsmConfig<object>>();

/** The machine of a workflow as it is spoken of here: what may follow what, without the hooks; made once per graph. */
export function machineOf({ graph }: KeptWorkflow): FsmConfig<object> {
  const made = machines.get(graph) ?? fsmFromStatusGraph<object>(graph);
  machines.set(graph, made);
  return made;
}
