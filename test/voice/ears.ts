import { readFileSync } from "node:fs";
import { createMemoryStore } from "../../src/store/memory.js";
import type { TenantStore } from "../../src/store/store.js";
import { newActor } from "../../src/tickets/actor.js";
import type { Talked } from "../../src/tickets/points.js";
import { type Resolved, resolveTicket } from "../../src/tickets/resolve.js";
import { createViews, type TenantView } from "../../src/tickets/view.js";
import { createWorkflows } from "../../src/tickets/workflows.js";

/** The boards of boards.json as a tenant has them, and how well what is said of them was understood. */

interface Board {
  readonly name: string;
  readonly statuses: readonly { id: string; name: string; category: string; aliases: string[] }[];
  readonly tickets: Readonly<Record<string, string>>;
}

export type Meant = string | readonly string[] | null | { readonly near: string };
type Context = { told?: string; moved?: string; offered?: string[] };
export type Reference = readonly [board: string, said: string, meant: Meant, context?: Context];

interface References {
  readonly plain: readonly Reference[];
  readonly talk: readonly Reference[];
  readonly hard: readonly Reference[];
  readonly statuses: readonly (readonly [board: string, said: string, meant: string | string[] | null])[];
}

function load<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(name, import.meta.url), "utf8")) as T;
}

export const boards = load<Readonly<Record<string, Board>>>("boards.json");
export const references = load<References>("references.json");

export async function viewOf(names: readonly string[]): Promise<TenantView> {
  const store = createMemoryStore().tenant("acme");
  for (const name of names) await keep(store, name);
  return await createViews(createWorkflows()).fresh(store);
}

async function keep(store: TenantStore, name: string): Promise<void> {
  const board = boards[name];
  if (board === undefined) throw new Error(`no board ${name}`);
  const statuses = board.statuses.map((status, order) => ({ ...status, order }));
  const graph = { id: name, name: board.name, statuses, moves: [], edges: "implied" };
  await store.saveDocument("workflow", name, {
    version: 0,
    value: { graph, connection: name, revision: 1, hooks: {} },
  });
  const tickets = Object.entries(board.tickets).map(([key, title]) => ({
    id: idOf(key),
    key,
    title,
    workflow: name,
    status: statuses[0]?.id ?? "",
    updatedAt: "2026-01-01T00:00:00Z",
  }));
  await store.saveActors(tickets.map((ticket) => newActor(ticket, name)));
}

export async function allViews(): Promise<ReadonlyMap<string, TenantView>> {
  const names = Object.keys(boards);
  const views = await Promise.all([...names.map((name) => viewOf([name])), viewOf(names)]);
  return new Map([...names, "all"].map((name, i) => [name, views[i] as TenantView]));
}

export interface Verdict {
  readonly right: boolean;
  /** A ticket was taken that was not the one meant. */
  readonly wrong: boolean;
  readonly got: string;
}

export function judge(view: TenantView, [, said, meant, context]: Reference): Verdict {
  const got = resolveTicket(view, said, talkedOf(context));
  return { right: isRight(got, meant), wrong: isWrong(got, meant), got: describe(got) };
}

type Got = ReturnType<typeof resolveTicket>;

function isRight(got: Got, meant: Meant): boolean {
  if (meant === null) return got.kind === "none";
  if (typeof meant === "string") return got.kind === "one" && keyOf(got.value) === meant;
  if (isNear(meant)) {
    if (got.kind === "one") return got.heard === true && keyOf(got.value) === meant.near;
    return choices(got).includes(meant.near);
  }
  return got.kind !== "one" && choices(got).sort().join() === [...meant].sort().join();
}

function isWrong(got: Got, meant: Meant): boolean {
  if (got.kind !== "one") return false;
  const key = keyOf(got.value);
  return (
    meant === null || (typeof meant === "string" ? key !== meant : isNear(meant) ? key !== meant.near : true)
  );
}

function isNear(meant: Meant): meant is { readonly near: string } {
  return meant !== null && typeof meant === "object" && "near" in meant;
}

function choices(got: Resolved<{ ticket: { key?: string | undefined } }>): string[] {
  return (got.kind === "many" ? got.values : got.kind === "none" ? got.near : []).map(keyOf);
}

function keyOf(record: { ticket: { key?: string | undefined } }): string {
  return record.ticket.key ?? "";
}

function describe(got: Got): string {
  if (got.kind === "one") return `${keyOf(got.value)}${got.heard ? " by sound" : ""}`;
  return `${got.kind === "many" ? "asks" : "none, near"} ${choices(got).join(", ")}`;
}

function talkedOf({ told, moved, offered }: Context = {}): Talked {
  return {
    ...(told === undefined ? {} : { told: idOf(told) }),
    ...(moved === undefined ? {} : { moved: idOf(moved) }),
    ...(offered === undefined ? {} : { offered: offered.map(idOf) }),
  };
}

function idOf(key: string): string {
  return `fake.site.${key.replace("-", "")}`;
}
