import type { z } from "zod";
import type { Budgets, Choice, ConnectorKind, ConnectorKit, Reach, Turns } from "../board/connector.js";
import { createEtiquette, type Limit } from "../board/etiquette.js";
import { checkLease } from "../board/lease.js";
import type { Vcs, VcsKind } from "../board/vcs.js";
import { BoardwalkError } from "../errors.js";
import { safeParse } from "../parse.js";
import type { HookRun, OpenBoard } from "../tickets/boards.js";
import { type SharedSettings, sharedCredentials, sharedSettings } from "./records.js";

/** From settings and credentials to a board that can be spoken to, and the hooks that go with it. */

export interface OpenerDeps {
  readonly kinds: readonly ConnectorKind[];
  readonly vcsKinds: readonly VcsKind[];
  /** Makes the hooks that a connection with this repository can run, by name. */
  readonly hooksFor: (vcs: Vcs, settings: SharedSettings) => Readonly<Record<string, HookRun>>;
  checkUrl(url: string): Promise<void>;
  /** Absent where the operator lets boards be anywhere. */
  readonly reach?: Reach;
  /** Counts what is asked of boards; shared by all processes where they share a store. */
  readonly budgets: Budgets;
  readonly turns?: Turns;
  now(): Date;
  readonly tells?: BoardTells;
  /** Told of each secret before it is used, so that no log can show it. */
  hide?(secret: string): void;
}

/** Told of what goes on between us and boards, by the board's kind. */
export interface BoardTells {
  request(provider: string): void;
  limited(provider: string, limit: Limit): void;
  refreshed(provider: string, how: "renewed" | "refused" | "failed"): void;
}

export interface BoardToOpen {
  /** `{tenant}/{connection}`. */
  readonly name: string;
  readonly provider: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly credentials: Readonly<Record<string, unknown>>;
}

/** @throws BoardwalkError `invalid` that names what is wrong with settings or credentials, never their values. */
export function openBoard(
  deps: OpenerDeps,
  { name, provider, settings, credentials }: BoardToOpen,
  keeping: Pick<ConnectorKit, "saveCredentials" | "shared">,
): OpenBoard {
  const kind = kindOf(deps, provider);
  hideSecrets(deps, credentials);
  const ownSettings = parsePart(kind.settings, boardPart(settings), "settings");
  const ownCredentials = parsePart(kind.credentials, boardPart(credentials), "credentials");
  const etiquette = etiquetteOf(deps, kind, ownSettings, ownCredentials);
  const kit = kitOf(deps, { provider, name }, etiquette, keeping);
  const connector = kind.create(ownSettings, ownCredentials, kit);
  return {
    name: nameOf(provider),
    connector: etiquette.listen(connector),
    hooks: openHooks(deps, settings, credentials),
  };
}

/**
 * Which boards can be chosen with these credentials, where the board lists them.
 * @throws BoardwalkError `invalid`, as `openBoard`, or what the board says.
 */
export async function boardChoices(
  deps: OpenerDeps,
  { name, provider, settings, credentials }: BoardToOpen,
  keeping: Pick<ConnectorKit, "saveCredentials">,
  signal: AbortSignal,
): Promise<{ readonly setting: string; readonly choices: readonly Choice[] } | undefined> {
  const kind = kindOf(deps, provider);
  if (kind.choices === undefined) return undefined;
  hideSecrets(deps, credentials);
  const { setting } = kind.choices;
  const { [setting]: _chosen, ...others } = boardPart(settings);
  const ownSettings = parsePart(kind.choices.settings, others, "settings");
  const ownCredentials = parsePart(kind.credentials, boardPart(credentials), "credentials");
  const etiquette = etiquetteOf(deps, kind, ownSettings, ownCredentials);
  const kit = kitOf(deps, { provider, name }, etiquette, keeping);
  return { setting, choices: await kind.choices.list(ownSettings, ownCredentials, kit, signal) };
}

function kindOf({ kinds }: OpenerDeps, provider: string): ConnectorKind {
  const kind = kinds.find((candidate) => candidate.provider === provider);
  if (kind !== undefined) return kind;
  const known = kinds.map((candidate) => candidate.provider).join(", ");
  throw new BoardwalkError("invalid", `There is no connector for "${provider}". Known boards are: ${known}.`);
}

/** What is the board's own of settings or credentials. */
function boardPart(given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { vcs: _vcs, hooks: _hooks, allowedMoves: _moves, ...own } = given;
  return own;
}

type Etiquette = ReturnType<typeof createEtiquette>;

function etiquetteOf(
  deps: OpenerDeps,
  kind: ConnectorKind,
  settings: unknown,
  credentials: unknown,
): Etiquette {
  const { provider } = kind;
  return createEtiquette(
    nameOf(provider),
    kind.budgets?.(settings, credentials) ?? [],
    deps.budgets,
    (limit) => deps.tells?.limited(provider, limit),
  );
}

function kitOf(
  deps: OpenerDeps,
  { provider, name }: Pick<BoardToOpen, "provider" | "name">,
  etiquette: Etiquette,
  keeping: Pick<ConnectorKit, "saveCredentials" | "shared">,
): ConnectorKit {
  return {
    connection: name,
    async checkUrl(url) {
      await deps.checkUrl(url);
      await etiquette.pass();
      // Last, because all before it may have taken long.
      checkLease();
      deps.tells?.request(provider);
    },
    ...(deps.reach === undefined ? {} : { reach: deps.reach }),
    ...(deps.turns === undefined ? {} : { turns: deps.turns }),
    refreshed: (how) => deps.tells?.refreshed(provider, how),
    ...keeping,
    now: deps.now,
  };
}

function openHooks(
  deps: OpenerDeps,
  settings: Readonly<Record<string, unknown>>,
  credentials: Readonly<Record<string, unknown>>,
): Readonly<Record<string, HookRun>> {
  const shared = parsePart(sharedSettings, settings, "settings");
  const { vcs: vcsCredentials } = parsePart(sharedCredentials, credentials, "credentials");
  if (shared.vcs === undefined) {
    if (shared.hooks.length > 0)
      throw new BoardwalkError(
        "invalid",
        "settings.hooks open pull requests, so settings.vcs must name the repository.",
      );
    return {};
  }
  if (vcsCredentials === undefined)
    throw new BoardwalkError(
      "invalid",
      "settings.vcs names a repository, so credentials.vcs must hold its token.",
    );
  const { provider, draftFallback: _fallback, emptyCommit: _commit, ...own } = shared.vcs;
  const kind = deps.vcsKinds.find((candidate) => candidate.provider === provider);
  if (kind === undefined)
    throw new BoardwalkError("invalid", `There is no connector for repositories at "${provider}".`);
  const vcs = kind.create(
    parsePart(kind.settings, own, "settings.vcs"),
    parsePart(kind.credentials, vcsCredentials, "credentials.vcs"),
    deps,
  );
  return deps.hooksFor(vcs, shared);
}

export function parsePart<T>(schema: z.ZodType<T>, value: unknown, where: string): T {
  const parsed = safeParse(schema, value);
  if (!parsed.success) throw invalid(parsed.error, where);
  return parsed.data;
}

/** Names what is wrong, never the value: it may be a secret. */
export function invalid(error: z.ZodError, where = ""): BoardwalkError {
  const faults = error.issues.map(
    (issue) =>
      `${[where, ...issue.path.map(String)].filter((part) => part !== "").join(".") || "the body"}: ${issue.message}`,
  );
  return new BoardwalkError("invalid", `This connection cannot be used as given. ${faults.join("; ")}.`, {
    data: { faults },
  });
}

/** Every text in it, however deep: one by one, since recursion has its end. */
function hideSecrets(deps: OpenerDeps, credentials: unknown): void {
  const left: unknown[] = [credentials];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value === "string") deps.hide?.(value);
    else if (typeof value === "object" && value !== null)
      for (const inner of Object.values(value)) left.push(inner);
  }
}

const NAMES: Readonly<Record<string, string>> = {
  jira: "Jira",
  linear: "Linear",
  github: "GitHub",
  trello: "Trello",
};

function nameOf(provider: string): string {
  return NAMES[provider] ?? provider;
}
