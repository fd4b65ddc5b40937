import { posix } from "node:path";

/** Who may import whom, as CONTRIBUTING.md has it, and a check of sources against it. */

export interface Source {
  /** From the repository's root: `src/errors.ts`. */
  readonly path: string;
  readonly text: string;
}

export interface Import {
  readonly from: string;
  /** As written. */
  readonly specifier: string;
  readonly typeOnly: boolean;
}

type Layer = string;

/** First match wins. A file that matches none is a violation: a new folder needs a place in the table. */
const LAYERS: readonly (readonly [RegExp, Layer])[] = [
  [/^src\/errors\.ts$/, "errors"],
  [/^src\/parse\.ts$/, "parsing"],
  [/^src\/read-bytes\.ts$/, "bytes"],
  [/^src\/machine\//, "machine"],
  [/^src\/bridge\//, "bridge"],
  [/^src\/(board\/(connector|vcs)|store\/(store|records)|hooks\/hooks)\.ts$/, "ports"],
  [/^src\/board\/emulator[^/]*\.ts$/, "emulator kit"],
  [/^src\/board\//, "shared"],
  [/^src\/redis\//, "redis"],
  [/^src\/store\//, "store"],
  [/^src\/hooks\//, "hooks"],
  [/^src\/tickets\//, "tickets"],
  [/^src\/sync\//, "sync"],
  [/^src\/mcp\//, "mcp"],
  [/^src\/http\//, "http"],
  [/^src\/web\//, "web"],
  [/^src\/telemetry\//, "telemetry"],
  [/^src\/log\.ts$/, "log"],
  [/^src\/(config|file-lock|redis-server|version)\.ts$/, "house"],
  [/^src\/index\.ts$/, "library"],
  [/^src\/(app|cli|service|demo|commands)([./-]|$)/, "app"],
  [/^connectors\/index\.ts$/, "connectors"],
  [/^connectors\/[^/]+\//, "connector"],
];

const PORTS = ["ports", "machine", "errors", "parsing"];
/** Beside its own layer. */
const MAY_IMPORT: Readonly<Record<Layer, readonly Layer[] | "everything">> = {
  errors: [],
  machine: ["errors"],
  parsing: [],
  bridge: ["machine", "errors", "parsing"],
  ports: ["machine", "errors", "parsing"],
  bytes: [],
  shared: ["bytes", ...PORTS],
  "emulator kit": ["shared", ...PORTS],
  redis: ["errors", "parsing"],
  store: [...PORTS, "redis"],
  hooks: [...PORTS, "shared", "redis", "log"],
  connector: [...PORTS, "shared", "emulator kit"],
  connectors: [...PORTS, "connector"],
  tickets: [...PORTS, "shared"],
  // What arrives from a board is observed by the ticket actor; the actor in turn knows nothing of syncing.
  sync: [...PORTS, "shared", "tickets", "log"],
  mcp: [...PORTS, "bytes", "tickets", "sync", "bridge", "log"],
  http: [...PORTS, "bytes", "tickets", "sync", "bridge", "telemetry", "log"],
  telemetry: [...PORTS, "tickets", "log"],
  web: [],
  log: ["errors"],
  house: ["errors", "parsing", "redis", "log"],
  library: [...PORTS, "bridge"],
  app: "everything",
};

interface PackageRule {
  readonly name: RegExp;
  readonly where: RegExp;
  /** Beyond `where`, files that may name it in types only. */
  readonly typesIn?: RegExp;
}

const PACKAGES: readonly PackageRule[] = [
  { name: /^(ioredis|bullmq)$/, where: /^src\/(redis\/|store\/redis|hooks\/bullmq|app)/ },
  { name: /^@modelcontextprotocol\//, where: /^src\/mcp\//, typesIn: /^src\/bridge\/register\.ts$/ },
  { name: /^jira\.js$/, where: /^connectors\/jira\// },
  { name: /^@linear\//, where: /^connectors\/linear\// },
  { name: /^@octokit\//, where: /^connectors\/github\// },
  {
    name: /^express$/,
    where: /^(src\/(http\/|mcp\/|board\/emulator|app)|connectors\/[^/]+\/emulator)/,
  },
  { name: /^oidc-provider$/, where: /^src\/http\/oauth/ },
  { name: /^undici$/, where: /^src\/board\/reach\.ts$/ },
  { name: /^pino$/, where: /^src\/log\.ts$/ },
  { name: /^(preact|@dagrejs\/dagre)$/, where: /^src\/web\// },
  { name: /^prom-client$/, where: /^src\/app-metrics(-state)?\.ts$/ },
  { name: /^@opentelemetry\//, where: /^src\/telemetry\/otel\.ts$/ },
];

const NOT_PURE: readonly (readonly [RegExp, string])[] = [
  [/\bDate\.now\b|\bnew Date\(\)/, "a clock"],
  [/\bMath\.random\b/, "chance"],
  [/\bset(?:Timeout|Interval|Immediate)\b/, "a timer"],
  [/\b(?:process|globalThis|fetch)\b *[.(]/, "the world outside"],
];

/** Every breach of the table, as sentences; an empty list when the sources keep it. */
export function violations(sources: readonly Source[]): readonly string[] {
  const known = new Set(sources.map(({ path }) => path));
  return [
    ...sources.flatMap((source) => importsOf(source).flatMap((found) => importViolations(found, known))),
    ...sources.flatMap(textViolations),
    ...cycles(sources, known),
  ];
}

/**
 * Imports and re-exports at the beginning of a line, where the formatter puts them, and `import(...)` anywhere:
 * those that only name types count as well.
 */
export function importsOf(source: Source): readonly Import[] {
  const code = withoutComments(source.text);
  const statements = code.matchAll(
    /^(?:import|export)\s+(type\s+)?(?:[\w*{$][^;"'`=()]*?\sfrom\s*|(?<=import\s+))["']([^"']+)["']/gm,
  );
  const calls = code.matchAll(/(typeof\s+)?\bimport\s*\(\s*["']([^"']+)["']/g);
  return [...statements, ...calls].map(([statement, type, specifier = ""]) => ({
    from: source.path,
    specifier,
    typeOnly: type !== undefined || namesOnlyTypes(statement),
  }));
}

function namesOnlyTypes(statement: string): boolean {
  const braces = /^(?:import|export)\s*\{([^}]*)\}/.exec(statement)?.[1];
  const names = braces?.split(",").filter((name) => name.trim() !== "") ?? [];
  return names.length > 0 && names.every((name) => /^\s*type\s/.test(name));
}

function importViolations(found: Import, known: ReadonlySet<string>): readonly string[] {
  if (!found.specifier.startsWith(".")) return packageViolations(found);
  const target = targetOf(found, known);
  if (!known.has(target)) return [`${found.from} imports ${target}, which is not there`];
  const [from, to] = [layerOf(found.from), layerOf(target)];
  if (from === undefined || to === undefined) return [];
  if (from === "connector" && to === "connector" && folderOf(found.from) !== folderOf(target)) {
    return [`${found.from} imports ${target}: connectors never import one another`];
  }
  const allowed = MAY_IMPORT[from] ?? [];
  if (from === to || allowed === "everything" || allowed.includes(to)) return [];
  return [`${found.from} (${from}) imports ${target} (${to})`];
}

function packageViolations({ from, specifier, typeOnly }: Import): readonly string[] {
  if (["errors", "machine"].includes(layerOf(from) ?? "")) {
    return [`${from} imports ${specifier}: this layer imports nothing from outside`];
  }
  const name = /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;
  const rule = PACKAGES.find((candidate) => candidate.name.test(name) || candidate.name.test(specifier));
  if (rule === undefined || rule.where.test(from)) return [];
  if (typeOnly && rule.typesIn?.test(from)) return [];
  return [`${from} names ${specifier}, which is not its business`];
}

function textViolations(source: Source): readonly string[] {
  const code = withoutComments(source.text);
  const found: string[] = [];
  if (layerOf(source.path) === undefined) found.push(`${source.path} has no place in the table of layers`);
  if (
    source.path !== "src/config.ts" &&
    /\bprocess\s*(?:\.\s*env\b|\[|;)|\benv\b[^;]*\bfrom "node:process"/.test(code)
  ) {
    found.push(`${source.path} reads process.env, which only src/config.ts may`);
  }
  if (/\bimport\s*\(\s*[^"'\s)]/.test(code))
    found.push(`${source.path} imports by a name that cannot be checked`);
  if (layerOf(source.path) === "machine") {
    for (const [pattern, what] of NOT_PURE)
      if (pattern.test(code)) found.push(`${source.path} uses ${what}, and is to be pure`);
  }
  return found;
}

/** Each cycle once, beginning with its alphabetically first file. */
function cycles(sources: readonly Source[], known: ReadonlySet<string>): readonly string[] {
  const graph = new Map(
    sources.map((source) => [
      source.path,
      importsOf(source)
        .filter(({ specifier }) => specifier.startsWith("."))
        .map((found) => targetOf(found, known))
        .filter((target) => known.has(target)),
    ]),
  );
  const found = new Set<string>();
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): void => {
    const begun = trail.indexOf(path);
    if (begun !== -1) return void found.add(`a cycle: ${rotated(trail.slice(begun)).join(" -> ")}`);
    if (done.has(path)) return;
    for (const next of graph.get(path) ?? []) visit(next, [...trail, path]);
    done.add(path);
  };
  for (const path of [...graph.keys()].sort()) visit(path, []);
  return [...found];
}

function rotated(cycle: readonly string[]): readonly string[] {
  const first = cycle.indexOf([...cycle].sort()[0] ?? "");
  return [...cycle.slice(first), ...cycle.slice(0, first)];
}

function targetOf({ from, specifier }: Import, known: ReadonlySet<string>): string {
  const path = posix.join(posix.dirname(from), specifier);
  const component = path.replace(/\.js$/, ".tsx");
  return known.has(component) ? component : path.replace(/\.js$/, ".ts");
}

function layerOf(path: string): Layer | undefined {
  return LAYERS.find(([pattern]) => pattern.test(path))?.[1];
}

function folderOf(path: string): string {
  return path.split("/").slice(0, 2).join("/");
}

/** Whole-line comments only, so that a `//` inside a string or a quote inside a pattern cannot mislead it. */
function withoutComments(text: string): string {
  return text.replace(/^[ \t]*\/\*[\s\S]*?\*\/|^[ \t]*\/\/.*$/gm, "");
}
