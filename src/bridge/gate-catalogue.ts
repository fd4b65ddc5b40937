import { BoardwalkError } from "../errors.js";
import type { FsmSnapshot } from "../machine/index.js";
import type { GateAllowed } from "./gate-replies.js";
import {
  type BoundTool,
  type GateTool,
  type HandleArgument,
  type ListedTool,
  type PreparedTool,
  prepareTool,
} from "./gate-tools.js";
import type { FsmLogic } from "./logic.js";

/** A gate's tools, and what of them is open where. Decides nothing about a call: that is the gate's. */
export class GateCatalogue<C extends object> {
  readonly #logic: FsmLogic<C>;
  readonly #tools = new Map<string, PreparedTool>();

  constructor(logic: FsmLogic<C>) {
    this.#logic = logic;
  }

  /** @throws BoardwalkError `invalid` naming a misspelt state or event, or both tools of one name. */
  add(tool: GateTool | BoundTool, handle: HandleArgument | undefined): void {
    const prepared = prepareTool(tool, this.#logic, handle);
    const other = this.#tools.get(prepared.name);
    if (other !== undefined) {
      throw new BoardwalkError(
        "invalid",
        `The tools "${other.tool.name}" and "${tool.name}" would both be called "${prepared.name}".`,
      );
    }
    this.#tools.set(prepared.name, prepared);
  }

  names(): string[] {
    return [...this.#tools.keys()];
  }

  get(name: string): PreparedTool | undefined {
    return this.#tools.get(name);
  }

  /** What a list shows in this state; without one, every tool, saying when it is open. */
  list(snapshot: FsmSnapshot<C> | undefined): ListedTool[] {
    const tools = [...this.#tools.values()];
    if (snapshot === undefined) return tools.map(({ always }) => always);
    const atStart = this.#isStart(snapshot);
    return tools
      .filter((tool) => this.isOpen(tool, snapshot))
      .map((tool) => (atStart ? tool.compact : tool.full));
  }

  /** Whether lists differ between these states. */
  differs(before: FsmSnapshot<C>, after: FsmSnapshot<C>): boolean {
    const [was, is] = [this.#isStart(before), this.#isStart(after)];
    for (const tool of this.#tools.values()) {
      const open = this.isOpen(tool, before);
      if (open !== this.isOpen(tool, after)) return true;
      if (open && was !== is && tool.compact.description !== tool.full.description) return true;
    }
    return false;
  }

  isOpen({ states }: PreparedTool, snapshot: FsmSnapshot<C>): boolean {
    return states === undefined || states.some((state) => this.#logic.matches(snapshot, state));
  }

  /** The bound tools open in this state, for replies that say what to do instead. */
  allowed(snapshot: FsmSnapshot<C>): GateAllowed[] {
    const allowed: GateAllowed[] = [];
    for (const tool of this.#tools.values()) {
      if (tool.states === undefined || !this.isOpen(tool, snapshot)) continue;
      allowed.push({ tool: tool.name, ...(tool.event === undefined ? {} : { event: tool.event }) });
    }
    return allowed;
  }

  #isStart(snapshot: FsmSnapshot<C>): boolean {
    return snapshot.value === this.#logic.initial;
  }
}
