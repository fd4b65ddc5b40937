import { createPublicKey, createVerify } from "node:crypto";
import type { NextFunction, Request, Response } from "express";
import { createEmulatorHost, type EmulatorHost, type JournalEntry } from "../../src/board/emulator.js";
import { closePull, createRepo, growBranch, type Pull, type Repo, type RepoSeed } from "./emulator-repos.js";
import { createRestRoutes, notFound, problem } from "./emulator-rest.js";

export interface GithubEmulatorOptions {
  readonly port?: number;
  readonly repos?: readonly RepoSeed[];
  /** The one token it accepts. */
  readonly token?: string;
  /** A GitHub App whose installation tokens it accepts too. `publicKey` in PEM. */
  readonly app?: { readonly appId: string; readonly installationId: string; readonly publicKey: string };
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
  /** The next requests (one, unless said) are over a limit. `secondary` is GitHub's brake on bursts. */
  limit(
    kind: "primary" | "secondary",
    options?: { readonly seconds?: number; readonly times?: number },
  ): void;
  close(): Promise<void>;
}

/** An emulated GitHub, in memory: see DESIGN "Emulators". */
export async function startGithubEmulator(options: GithubEmulatorOptions = {}): Promise<GithubEmulator> {
  const token = options.token ?? "github-emulator-token";
  const host = createEmulatorHost({ isWrite, operationOf });
  const repos = new Map(
    (options.repos ?? []).map((seed) => [repoKey(seed.owner, seed.name), createRepo(seed)]),
  );
  const limits = createLimits();
  const tokens = new Set([token]);
  const repoNamed = (fullName: string): Repo => {
    const repo = repos.get(fullName.toLowerCase());
    if (repo === undefined) throw new Error(`the emulator has no repository ${fullName}`);
    return repo;
  };

  const world = {
    repo: (owner: string, name: string) => repos.get(repoKey(owner, name)),
    api: () => host.url,
  };
  const rest = createRestRoutes(world);
  const appTokens = appTokenRoute(options, tokens);
  for (const base of ["/api/v3", "/"]) {
    host.app.post(`${base.replace(/\/$/, "")}/app/installations/:id/access_tokens`, appTokens);
    host.app.use(base, authenticate(tokens), limits.middleware, rest);
  }
  host.app.use((_request: Request, response: Response) => notFound(response));
  host.app.use((_error: unknown, _request: Request, response: Response, _next: NextFunction) =>
    problem(response, 400, "Problems parsing JSON"),
  );
  await host.listen(options.port);

  return {
    get url() {
      return host.url;
    },
    authorization: `Bearer ${token}`,
    token,
    journal: host.journal,
    host,
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
    limit: limits.limit,
    close: () => host.close(),
  };
}

function repoKey(owner: string, name: string): string {
  return `${owner}/${name}`.toLowerCase();
}

const isGraphql = (request: Request) => request.path.endsWith("/graphql");

function isWrite(request: Request): boolean {
  if (!isGraphql(request)) return request.method !== "GET" && request.method !== "HEAD";
  return /^\s*mutation\b/.test(queryOf(request));
}

function operationOf(request: Request): string | undefined {
  return isGraphql(request) ? /\b(?:query|mutation)\s+(\w+)/.exec(queryOf(request))?.[1] : undefined;
}

function queryOf(request: Request): string {
  const body: unknown = request.body;
  return typeof body === "object" && body !== null && "query" in body ? String(body.query) : "";
}

function authenticate(tokens: ReadonlySet<string>) {
  return (request: Request, response: Response, next: NextFunction) => {
    const header = request.get("authorization");
    if (header === undefined) return problem(response, 401, "Requires authentication");
    const given = /^(?:bearer|token) (.+)$/i.exec(header)?.[1];
    if (given === undefined || !tokens.has(given)) return problem(response, 401, "Bad credentials");
    next();
  };
}

/** Rate-limit headers on every answer, and refusals when a test asks for them. */
function createLimits() {
  let pending: { kind: "primary" | "secondary"; seconds: number; times: number } | undefined;
  let used = 0;
  const middleware = (request: Request, response: Response, next: NextFunction) => {
    const graphql = isGraphql(request);
    const limit = 5_000;
    used = (used + 1) % limit;
    const hit = pending;
    if (hit !== undefined) pending = hit.times > 1 ? { ...hit, times: hit.times - 1 } : undefined;
    const resetInSeconds = hit?.kind === "primary" ? hit.seconds : 3_600;
    const remaining = hit?.kind === "primary" ? 0 : limit - used;
    response.set({
      "x-ratelimit-limit": String(limit),
      "x-ratelimit-remaining": String(remaining),
      "x-ratelimit-used": String(limit - remaining),
      "x-ratelimit-reset": String(Math.ceil(Date.now() / 1000) + resetInSeconds),
      "x-ratelimit-resource": graphql ? "graphql" : "core",
    });
    if (hit === undefined) return next();
    if (hit.kind === "secondary") {
      response.set("retry-after", String(hit.seconds));
      return problem(
        response,
        403,
        "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.",
      );
    }
    // GraphQL says so within a success.
    if (graphql) {
      return void response.json({
        errors: [{ type: "RATE_LIMITED", message: "API rate limit exceeded for user ID 1." }],
      });
    }
    problem(response, 403, "API rate limit exceeded for user ID 1.");
  };
  const limit: GithubEmulator["limit"] = (kind, { seconds = 60, times = 1 } = {}) => {
    pending = { kind, seconds, times };
  };
  return { middleware, limit };
}

/** An App proves itself with a short-lived RS256 token and gets an installation's token for an hour. */
function appTokenRoute({ app }: GithubEmulatorOptions, tokens: Set<string>) {
  return (request: Request, response: Response) => {
    const jwt = /^bearer (.+)$/i.exec(request.get("authorization") ?? "")?.[1];
    if (app === undefined || jwt === undefined || !isSignedBy(app, jwt)) {
      return problem(response, 401, "A JSON web token could not be decoded");
    }
    if (request.params.id !== app.installationId) return notFound(response);
    const token = `ghs_${tokens.size}${Date.now().toString(36)}`;
    tokens.add(token);
    response.status(201).json({
      token,
      expires_at: new Date(Date.now() + 3_600_000).toISOString(),
      permissions: { contents: "write", pull_requests: "write", metadata: "read", issues: "read" },
      repository_selection: "all",
    });
  };
}

function isSignedBy(app: { readonly appId: string; readonly publicKey: string }, jwt: string): boolean {
  const [header = "", payload = "", signature = ""] = jwt.split(".");
  const verifier = createVerify("RSA-SHA256").update(`${header}.${payload}`);
  if (!verifier.verify(createPublicKey(app.publicKey), Buffer.from(signature, "base64url"))) return false;
  const claims: unknown = JSON.parse(Buffer.from(payload, "base64url").toString("utf8"));
  return typeof claims === "object" && claims !== null && "iss" in claims && String(claims.iss) === app.appId;
}
