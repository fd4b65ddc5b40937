import type { FsmConfig } from "../machine/index.js";
import { isFinal, titleOf, transitionsOf } from "./flat.js";
import { eventFacts } from "./logic.js";

export interface MermaidOptions {
  /** The state to mark as the one the machine is in. */
  readonly current?: string;
}

/**
 * The machine as a Mermaid state diagram. States and events may have any name; a guarded transition shows its reason,
 * or `?` where it has none.
 */
export function toMermaid<C extends object>(machine: FsmConfig<C>, { current }: MermaidOptions = {}): string {
  const names = Object.keys(machine.states);
  const idOf = new Map(names.map((name, i) => [name, `s${i}`]));
  const labels = new Map(eventFacts(machine).map(({ type, label }) => [type, label ?? type]));
  const lines = ["stateDiagram-v2"];
  for (const name of names) lines.push(`  state "${text(titleOf(machine, name))}" as ${idOf.get(name)}`);
  lines.push(`  [*] --> ${idOf.get(machine.initial)}`);
  for (const { from, event, config } of transitionsOf(machine)) {
    const condition = config.guard === undefined ? "" : ` [${config.reason ?? "?"}]`;
    const label = text(`${labels.get(event)}${condition}`);
    lines.push(`  ${idOf.get(from)} --> ${idOf.get(config.target ?? from)} : ${label}`);
  }
  for (const name of names) if (isFinal(machine, name)) lines.push(`  ${idOf.get(name)} --> [*]`);
  const here = current === undefined ? undefined : idOf.get(current);
  if (here !== undefined)
    lines.push("  classDef current font-weight:bold,stroke-width:4px", `  class ${here} current`);
  return `${lines.join("\n")}\n`;
}

/** Mermaid reads `#…;` as a character's code, and ends a statement at `;` or a line's end. */
function text(words: string): string {
  if (words.trim() === "") return "#160;";
  return words.replace(/\s+/g, " ").replace(/[#;:"<>\\{}%]/g, (char) => `#${char.codePointAt(0)};`);
}
