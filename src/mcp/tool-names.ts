import { z } from "zod";
import { fitName, shortHash, slug } from "../machine/index.js";
import { safeParse } from "../parse.js";

/** Some clients join server and tool name and drop what is longer than 60. */
export const MAX_NAME_LENGTH = 40;

/** How long a tool name of before a rename is still understood. */
export const ALIAS_TTL_MS = 30 * 24 * 60 * 60 * 1000;

const JOINT = "_move_to_";

/** A destination that needs a name, identified by ids and spoken of by labels. */
export interface Destination {
  readonly workflow: string;
  readonly workflowName: string;
  readonly status: string;
  readonly statusName: string;
}

const alias = z.object({
  workflow: z.string(),
  status: z.string(),
  /** ISO 8601; not understood from then on. */
  until: z.string(),
  /** Nothing leads to that status now. Should it come back it is still known by this name, unless another has it. */
  gone: z.boolean().optional(),
});
export type ToolAlias = z.infer<typeof alias>;

/** What a tenant's catalogue has to remember, so that a name once heard stays what it was. */
export const keptNames = z.object({
  /** By workflow and status: the name the labels ask for, and the one given. */
  names: z.record(z.string(), z.object({ wanted: z.string(), given: z.string() })),
  aliases: z.record(z.string(), alias),
});
export type KeptNames = z.infer<typeof keptNames>;

export const NO_NAMES: KeptNames = { names: {}, aliases: {} };

export function destinationKey(workflow: string, status: string): string {
  return JSON.stringify([workflow, status]);
}

/** The name that the labels ask for: readable, valid, short enough, the same whatever else is on the board. */
export function wantedName(destination: Destination): string {
  const workflow = slug(destination.workflowName) || `board_${shortHash(destination.workflow)}`;
  const status = slug(destination.statusName) || `status_${shortHash(destination.status)}`;
  const room = MAX_NAME_LENGTH - JOINT.length;
  const shortStatus = fitName(status, Math.max(room - workflow.length, 18));
  return `${fitName(workflow, room - shortStatus.length)}${JOINT}${shortStatus}`;
}

/**
 * Names every destination. One whose own labels have not changed keeps its name; a new or renamed one never takes a
 * name that is `reserved`, in use, or an alias still understood: it gets a hash of its id.
 * @returns names by destination key, and what to remember for the next time.
 */
export function nameDestinations(
  destinations: readonly Destination[],
  kept: KeptNames,
  now: Date,
  reserved: Iterable<string> = [],
): { readonly names: ReadonlyMap<string, string>; readonly kept: KeptNames } {
  const keyed = destinations.map((destination) => ({
    destination,
    key: destinationKey(destination.workflow, destination.status),
    wanted: wantedName(destination),
  }));
  const names = new Map<string, string>();
  for (const { key, wanted } of keyed) {
    const before = own(kept.names, key);
    if (before?.wanted === wanted) names.set(key, before.given);
  }
  const aliases = liveAliases(kept, names, keyed, now);
  const taken = new Set([...reserved, ...names.values()]);
  for (const { key, wanted } of keyed) {
    if (names.has(key)) continue;
    const free = (name: string) => !taken.has(name) && leadsHere(aliases.get(name), key);
    const given = freeName(wanted, key, free);
    names.set(key, given);
    taken.add(given);
    // A status that got its old name back needs no alias for it.
    aliases.delete(given);
  }
  return { names, kept: { names: remember(keyed, names), aliases: Object.fromEntries(aliases) } };
}

type Keyed = { readonly destination: Destination; readonly key: string; readonly wanted: string };

/** Aliases that have not run out, and new ones for destinations that are about to be called otherwise, or are gone. */
function liveAliases(
  kept: KeptNames,
  names: ReadonlyMap<string, string>,
  keyed: readonly Keyed[],
  now: Date,
): Map<string, ToolAlias> {
  const present = new Map(keyed.map(({ key, destination }) => [key, destination]));
  const aliases = new Map<string, ToolAlias>();
  for (const [name, entry] of Object.entries(kept.aliases)) {
    if (Date.parse(entry.until) <= now.getTime()) continue;
    const { gone: _gone, ...back } = entry;
    aliases.set(name, present.has(destinationKey(entry.workflow, entry.status)) ? back : entry);
  }
  const until = new Date(now.getTime() + ALIAS_TTL_MS).toISOString();
  for (const [key, before] of Object.entries(kept.names)) {
    if (names.has(key)) continue;
    const ids = idsOf(key);
    if (ids !== undefined)
      aliases.set(before.given, { ...ids, until, ...(present.has(key) ? {} : { gone: true }) });
  }
  return aliases;
}

const ids = z.tuple([z.string(), z.string()]);

function idsOf(key: string): { workflow: string; status: string } | undefined {
  const parsed = safeParse(ids, JSON.parse(key));
  return parsed.success ? { workflow: parsed.data[0], status: parsed.data[1] } : undefined;
}

function leadsHere(entry: ToolAlias | undefined, key: string): boolean {
  return entry === undefined || entry.gone === true || destinationKey(entry.workflow, entry.status) === key;
}

function freeName(wanted: string, key: string, free: (name: string) => boolean): string {
  if (free(wanted)) return wanted;
  for (let attempt = 0; ; attempt++) {
    const hash = shortHash(`${key}#${attempt}`);
    const name = `${wanted.slice(0, MAX_NAME_LENGTH - hash.length - 1).replace(/_+$/, "")}_${hash}`;
    if (free(name)) return name;
  }
}

function remember(keyed: readonly Keyed[], names: ReadonlyMap<string, string>): KeptNames["names"] {
  return Object.fromEntries(
    keyed.map(({ key, wanted }) => [key, { wanted, given: names.get(key) ?? wanted }]),
  );
}

function own<T>(from: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(from, key) ? from[key] : undefined;
}
