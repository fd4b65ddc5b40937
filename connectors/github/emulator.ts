import type { ErrorRequestHandler } from "express";
import { createEmulatorHost, type EmulatorHost, type JournalEntry } from "../../src/board/emulator.js";
import {
  appTokenRoute,
  authenticate,
  createLimits,
  type EmulatedApp,
  isWrite,
  operationOf,
} from "./emulator/gate.js";
import { createGraphqlRoute } from "./emulator/graphql.js";
import { createOrgHooks, type OrgHooks } from "./emulator/hooks.js";
import { createProjectHandle, type ProjectHandle } from "./emulator/project-handle.js";
import { addItem, createProject, type ProjectSeed, type ProjectState } from "./emulator/projects.js";
import { notFound, problem } from "./emulator/replies.js";
import { closePull, createRepo, growBranch, type Pull, type Repo, type RepoSeed } from "./emulator/repos.js";
import { createRoot } from "./emulator/resolvers.js";
import { createRestRoutes } from "./emulator/rest.js";
import type { GraphqlWorld } from "./emulator/views.js";

export interface GithubEmulatorOptions {
  readonly port?: number;
  readonly repos?: readonly RepoSeed[];
  readonly projects?: readonly ProjectSeed[];
  /** The one token it accepts. */
  readonly token?: string;
  /** Whose token it is. */
  readonly viewer?: string;
  /** Whether a new webhook is greeted with a ping. By default yes, as GitHub does. */
  readonly pings?: boolean;
  /** A GitHub App whose installation tokens it accepts too. */
  readonly app?: EmulatedApp;
}

export interface GithubEmulator {
  /** Base for `apiUrl`; `/api/v3` below it works too, as on an Enterprise Server. */
  readonly url: string;
  /** The header value it accepts. */
  readonly authorization: string;
  readonly token: string;
  readonly journal: readonly JournalEntry[];
  readonly host: EmulatorHost;
  /** Creates the branch, or puts more commits on it. */
  addBranch(repo: string, name: string, options?: { readonly commitsAhead?: number }): void;
  removeBranch(repo: string, name: string): void;
  pulls(repo: string): readonly Pull[];
  closePull(repo: string, number: number, options?: { readonly merged?: boolean }): void;
  /** What the token may do in that repository from now on. */
  setAccess(repo: string, access: Repo["access"]): void;
  setDraftsSupported(repo: string, supported: boolean): void;
  /** What people do on a project's own page. By default the first project. */
  project(owner?: string, number?: number): ProjectHandle;
  readonly hooks: OrgHooks;
  /** The scopes of a classic token; left out, a token without scopes, which may do everything. */
  setScopes(scopes: readonly string[] | undefined): void;
  /** Pages of items larger than this are answered 502, as GitHub does when they get heavy. */
  setLargestPage(size: number): void;
  /** The next requests (one, unless said) are over a limit. `secondary` is GitHub's brake on bursts. */
  limit(
    kind: "primary" | "secondary",
    options?: { readonly seconds?: number; readonly times?: number },
  ): void;
  close(): Promise<void>;
}

/** An emulated GitHub, in memory: see DESIGN "Emulators". */
export async function startGithubEmulator(options: GithubEmulatorOptions = {}): Promise<GithubEmulator> {
  const { token = "github-emulator-token", viewer = "boardwalk-bot" } = options;
  const host = createEmulatorHost({ isWrite, operationOf });
  const repos = new Map(
    (options.repos ?? []).map((seed) => [repoKey(seed.owner, seed.name), createRepo(seed)]),
  );
  const repoNamed = (name: string, owner = "") => {
    const repo = repos.get((name.includes("/") ? name : `${owner}/${name}`).toLowerCase());
    if (repo === undefined) throw new Error(`the emulator has no repository ${name}`);
    return repo;
  };
  const projects = createProjects(options.projects ?? [], repoNamed);
  const isOrg = (login: string) => ownersOf(projects, repos).get(login) === "Organization";
  const hooks = createOrgHooks(host, { isOrg, pings: options.pings ?? true });
  const limits = createLimits();
  let scopes: readonly string[] | undefined;
  let largestPage = 100;
  const world: GraphqlWorld = {
    viewer,
    api: () => host.url,
    projects,
    scopes: () => scopes,
    largestPage: () => largestPage,
    tell: hooks.tell,
  };
  addRoutes(host, options, { token, repos, hooks, limits, world });
  await host.listen(options.port);

  return {
    get url() {
      return host.url;
    },
    authorization: `Bearer ${token}`,
    token,
    journal: host.journal,
    host,
    hooks,
    addBranch: (repo, name, { commitsAhead = 0 } = {}) => growBranch(repoNamed(repo), name, commitsAhead),
    removeBranch: (repo, name) => void repoNamed(repo).refs.delete(name),
    pulls: (repo) => repoNamed(repo).pulls,
    closePull(repo, number, { merged = false } = {}) {
      const pull = repoNamed(repo).pulls.find((candidate) => candidate.number === number);
      if (pull === undefined) throw new Error(`the emulator has no pull request ${number} in ${repo}`);
      closePull(pull, merged);
    },
    setAccess(repo, access) {
      repoNamed(repo).access = access;
    },
    setDraftsSupported(repo, supported) {
      repoNamed(repo).draftsSupported = supported;
    },
    project(owner, number) {
      const project = projects.find(
        (candidate) =>
          (owner === undefined || candidate.owner === owner) &&
          (number === undefined || candidate.number === number),
      );
      if (project === undefined) throw new Error("the emulator has no such project");
      return createProjectHandle(project, repoNamed, hooks.tell);
    },
    setScopes(next) {
      scopes = next;
    },
    setLargestPage(size) {
      largestPage = size;
    },
    limit: limits.limit,
    close: () => host.close(),
  };
}

interface Parts {
  readonly token: string;
  readonly repos: ReadonlyMap<string, Repo>;
  readonly hooks: OrgHooks;
  readonly limits: ReturnType<typeof createLimits>;
  readonly world: GraphqlWorld;
}

function addRoutes(host: EmulatorHost, options: GithubEmulatorOptions, parts: Parts): void {
  const { token, repos, hooks, limits, world } = parts;
  const { app } = host;
  const tokens = new Set([token]);
  const rest = createRestRoutes({ repo: (owner, name) => repos.get(repoKey(owner, name)), api: world.api });
  const appTokens = appTokenRoute(options.app, tokens);
  const graphql = createGraphqlRoute(createRoot(world));
  app.post(
    ["/app/installations/:id/access_tokens", "/api/v3/app/installations/:id/access_tokens"],
    appTokens,
  );
  app.use(authenticate(tokens), limits.middleware);
  app.use((_request, response, next) => {
    const scopes = world.scopes();
    if (scopes !== undefined) response.set("x-oauth-scopes", scopes.join(", "));
    next();
  });
  app.post(["/graphql", "/api/graphql"], graphql);
  app.use("/api/v3", rest, hooks.routes);
  app.use(rest, hooks.routes);
  app.use((_request, response) => notFound(response));
  const broken: ErrorRequestHandler = (_error, _request, response, _next) =>
    problem(response, 400, "Problems parsing JSON");
  app.use(broken);
}

function createProjects(
  seeds: readonly ProjectSeed[],
  repoNamed: (name: string, owner: string) => Repo,
): readonly ProjectState[] {
  return seeds.map((seed, index) => {
    const project = createProject(seed, index + 1);
    for (const item of seed.items ?? []) {
      addItem(project, item, item.repo === undefined ? undefined : repoNamed(item.repo, seed.owner));
    }
    return project;
  });
}

/** Who owns something here: an organization, unless a project says that it is a person. */
function ownersOf(projects: readonly ProjectState[], repos: ReadonlyMap<string, Repo>) {
  const owners = new Map<string, "Organization" | "User">();
  for (const { owner } of repos.values()) owners.set(owner, "Organization");
  for (const { owner, ownerType } of projects) owners.set(owner, ownerType);
  return owners;
}

function repoKey(owner: string, name: string): string {
  return `${owner}/${name}`.toLowerCase();
}
