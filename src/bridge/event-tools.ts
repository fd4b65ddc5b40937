import { BoardwalkError } from "../errors.js";
import { distinctNames, fitName, shortHash, slug, snakeCase } from "../machine/index.js";
import type { FsmEventFacts, FsmLogic } from "./logic.js";
import type { McpToolAnnotations } from "./types.js";

/** One event as a tool: everything about it but its handler. */
export interface EventTool {
  readonly event: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly annotations: McpToolAnnotations;
}

export interface EventToolOptions {
  /** Names an event's tool. @default machine id and event in snake_case */
  readonly toolName?: (eventType: string) => string;
  /** Titles an event's tool, for people. @default the event in words */
  readonly toolTitle?: (eventType: string) => string;
  /** Describes an event's tool. @default which event it sends, and from where it can be */
  readonly describeTool?: (eventType: string, fromStates: string[]) => string;
  readonly annotations?: Readonly<Record<string, McpToolAnnotations>>;
}

/** Clients drop tools whose names are longer, once the server's name is put before them. */
const MAX_NAME_LENGTH = 40;
const VALID_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/**
 * One tool per event, in the order in which the machine declares them. Names are valid for every client we know of,
 * and no two are equal: the later of two that would be is given a hash of its event.
 * @throws BoardwalkError `invalid` naming an event whose given name no client would take.
 */
export function eventTools(
  logic: Pick<FsmLogic, "id" | "events">,
  options: EventToolOptions = {},
): readonly EventTool[] {
  const facts = new Map(logic.events.map((event) => [event.type, event]));
  const names = distinctNames(facts.keys(), (type) =>
    nameOf(logic.id, facts.get(type) as FsmEventFacts, options),
  );
  return logic.events.map((event) => ({
    event: event.type,
    name: names.get(event.type) as string,
    title: options.toolTitle?.(event.type) ?? event.label ?? plainWords(event.type),
    description: describe(event, options),
    annotations: { ...annotationsOf(event), ...options.annotations?.[event.type] },
  }));
}

function nameOf(id: string | undefined, event: FsmEventFacts, options: EventToolOptions): string {
  if (options.toolName === undefined) {
    const prefix = id === undefined || id === "" ? "" : `${validId(id)}_`;
    return fitName(`${prefix}${eventName(event)}`, MAX_NAME_LENGTH);
  }
  const name = options.toolName(event.type);
  if (!VALID_NAME.test(name)) {
    throw new BoardwalkError(
      "invalid",
      `The tool name "${name}" for event "${event.type}" is not valid: use 1 to 64 letters, digits, "_" or "-".`,
    );
  }
  return name;
}

function validId(id: string): string {
  const valid = id.replace(/[^a-zA-Z0-9_-]+/g, "_");
  return /[a-zA-Z0-9]/.test(valid) ? valid : `fsm_${shortHash(id)}`;
}

function eventName({ type, label }: FsmEventFacts): string {
  const name = label === undefined ? snakeCase(type) : labelName(type, label);
  return /[a-z0-9]/.test(name) ? name : `event_${shortHash(type)}`;
}

/** "Move to 進行中" and "Move to 完了" have only "move to" in common with our alphabet. */
function labelName(type: string, label: string): string {
  const name = slug(label);
  const lost = /[^\p{ASCII}\p{M}]/u.test(label.normalize("NFKD"));
  return lost ? `${name}_${shortHash(type)}` : name;
}

function plainWords(type: string): string {
  const words = snakeCase(type).replaceAll("_", " ").trim();
  return words === "" ? type : words.charAt(0).toUpperCase() + words.slice(1);
}

function describe(event: FsmEventFacts, options: EventToolOptions): string {
  const from = [...event.from];
  if (options.describeTool !== undefined) return options.describeTool(event.type, from);
  const what = event.label ?? `Send the "${event.type}" event`;
  return `${what}. Available from: ${from.join(", ")}.`;
}

function annotationsOf(event: FsmEventFacts): McpToolAnnotations {
  return {
    readOnlyHint: false,
    destructiveHint: event.closes,
    idempotentHint: false,
    openWorldHint: event.effects,
  };
}
