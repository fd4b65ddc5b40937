import { createHash } from "node:crypto";
import type { Tool } from "@modelcontextprotocol/server";
import { toUtterances } from "../bridge/utterances.js";
import { BoardwalkError } from "../errors.js";
import { moveEvent } from "../machine/index.js";
import { SAMPLE_SENTENCES } from "../tickets/say.js";
import type { Tickets } from "../tickets/tickets.js";
import type { Call } from "./call.js";
import type { Catalogue } from "./catalogue.js";
import { frozenContract } from "./contract.js";
import type { Dispatcher } from "./dispatcher.js";
import { machineOf } from "./machines.js";
import type { Surface } from "./principal.js";
import { LEGACY_VERSIONS, MODERN_VERSION } from "./server.js";

/** The tools as each kind of client is answered them, for people to look at. */

export interface ShownTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly readOnly: boolean;
  readonly destructive: boolean;
  readonly arguments: readonly { readonly name: string; readonly required: boolean }[];
  /** Things to say for it. */
  readonly phrases: readonly string[];
  /** The workflow in which it moves, by its name; left out where it is for all. */
  readonly workflow?: string;
}

/** What a list of tools does not tell of one. */
type About = Pick<ShownTool, "phrases" | "workflow">;

export interface ShownSurface {
  readonly id: "2025" | "2026" | "alexa";
  readonly path: string;
  readonly protocolVersions: readonly string[];
  /** The same for everybody until the service itself is another version. */
  readonly frozen: boolean;
  /** Of the list, as JSON: another one is another contract. */
  readonly sha256: string;
  readonly tools: readonly ShownTool[];
}

export interface ShownDeps {
  readonly tickets: Tickets;
  readonly legacy: Dispatcher;
  readonly modern: Dispatcher;
  /** A call of somebody of the tenant on that surface. */
  callFor(surface: Surface): Promise<Call>;
}

/** Asks the very servers that answer the clients, and adds what can be said for each tool. */
export async function shownSurfaces(deps: ShownDeps): Promise<readonly ShownSurface[]> {
  const [generated, frozen] = await Promise.all([deps.callFor("generated"), deps.callFor("frozen")]);
  const about = await aboutTools(deps.tickets, generated);
  const shown = (tools: readonly Tool[]) => tools.map((tool) => shownTool(tool, about));
  const [legacy, modern, alexa, contract] = await Promise.all([
    listed(deps.legacy, generated),
    listed(deps.modern, generated),
    listed(deps.legacy, frozen),
    frozenContract(),
  ]);
  const { tenant } = generated.principal;
  const path = `/t/${tenant?.id ?? ""}/mcp`;
  const ours = { path, frozen: false };
  return [
    {
      ...ours,
      id: "2025",
      protocolVersions: LEGACY_VERSIONS,
      sha256: hashOf(legacy),
      tools: shown(legacy),
    },
    {
      ...ours,
      id: "2026",
      protocolVersions: [MODERN_VERSION],
      sha256: hashOf(modern),
      tools: shown(modern),
    },
    {
      id: "alexa",
      path: contract.path,
      protocolVersions: contract.protocolVersions,
      frozen: true,
      sha256: contract.sha256,
      tools: shown(alexa),
    },
  ];
}

/** What the revision of 2026 wants in every request; earlier ones look past it. */
const ENVELOPE = {
  "io.modelcontextprotocol/protocolVersion": MODERN_VERSION,
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** The tools of a catalogue that nobody is answered yet. */
export function previewedTools(catalogue: Catalogue): readonly ShownTool[] {
  const about = new Map(aboutMoves(catalogue));
  return catalogue.tools.map((tool) => shownTool(tool, about));
}

async function listed(dispatcher: Dispatcher, call: Call): Promise<readonly Tool[]> {
  const request = { jsonrpc: "2.0" as const, id: "tools", method: "tools/list", params: { _meta: ENVELOPE } };
  const { message } = await dispatcher.request(request, call);
  if ("error" in message) throw new BoardwalkError("internal", "The list of tools could not be made.");
  return (message.result as unknown as { tools: readonly Tool[] }).tools;
}

function hashOf(tools: readonly Tool[]): string {
  return createHash("sha256").update(JSON.stringify(tools)).digest("hex");
}

function shownTool(tool: Tool, about: ReadonlyMap<string, About>): ShownTool {
  const { name, title = tool.name, description = "", annotations, inputSchema } = tool;
  const required = new Set(inputSchema.required ?? []);
  return {
    name,
    title,
    description,
    readOnly: annotations?.readOnlyHint === true,
    destructive: annotations?.destructiveHint === true,
    arguments: Object.keys(inputSchema.properties ?? {}).map((argument) => ({
      name: argument,
      required: required.has(argument),
    })),
    ...(about.get(name) ?? { phrases: [] }),
  };
}

/** By tool name. The core's speak of a ticket that is there and a status that is. */
async function aboutTools(tickets: Tickets, call: Call): Promise<ReadonlyMap<string, About>> {
  const { catalogue, principal } = call;
  const { tenant, speaker } = principal;
  const found = tenant && (await tickets.find({ tenant, speaker, budgetMs: 0 }, {})).tickets[0];
  const ticket = found?.title.split(/[:.,;]/)[0]?.toLowerCase() ?? "the login bug";
  const status = catalogue.workflows
    .find(({ graph }) => graph.id === found?.workflow)
    ?.graph.statuses.find(({ id, retired }) => !retired && id !== found?.status.id);
  const words = { ticket, status: status?.name.toLowerCase() ?? "in review" };
  const core = Object.entries(SAMPLE_SENTENCES).map(([tool, sentences]): [string, About] => [
    tool,
    { phrases: sentences.map((sentence) => filled(sentence, words)) },
  ]);
  return new Map([...core, ...aboutMoves(catalogue)]);
}

function filled(sentence: string, { ticket, status }: { readonly ticket: string; readonly status: string }) {
  return sentence.replace("{ticket}", () => ticket).replace("{status}", () => status);
}

function* aboutMoves({ workflows, toolFor }: Catalogue): Iterable<readonly [string, About]> {
  for (const kept of workflows) {
    const byEvent = new Map(
      toUtterances(machineOf(kept)).map(({ event, utterances }) => [event, utterances]),
    );
    for (const { id } of kept.graph.statuses) {
      const [tool, phrases] = [toolFor(kept.graph.id, id), byEvent.get(moveEvent(id))];
      if (tool !== undefined && phrases !== undefined) yield [tool, { phrases, workflow: kept.graph.name }];
    }
  }
}
