import { existsSync, readFileSync } from "node:fs";
import { parse as parseYaml } from "yaml";
import { z } from "zod";
import { BoardwalkError } from "./errors.js";
import { safeParse } from "./parse.js";
import { redisAddress, secretsInRedisUrl, withoutRedisSecrets } from "./redis/address.js";

/** Settings from flags, environment, boardwalk.yaml and defaults, in this order. The only reader of `process.env`. */

const text = z.string();

function integer(min: number, max: number) {
  return text
    .refine((value) => /^\d{1,12}$/.test(value) && Number(value) >= min && Number(value) <= max, {
      error: `must be a whole number from ${min} to ${max}`,
    })
    .transform(Number);
}

function choice<const T extends readonly string[]>(...options: T) {
  return z.enum(options, { error: `must be one of ${options.join(", ")}` });
}

const switchOn = text
  .toLowerCase()
  .refine((value) => /^(1|true|yes|on|0|false|no|off)$/.test(value), { error: "must be 1 or 0" })
  .transform((value) => /^(1|true|yes|on)$/.test(value));

const list = text.transform((value) =>
  Object.freeze(
    value
      .split(",")
      .map((item) => item.trim())
      .filter((item) => item !== ""),
  ),
);

const webUrl = text
  .refine(isPlainWebUrl, {
    error: "must be an http or https address without user, password, query or fragment",
  })
  .transform((value) => value.replace(/\/+$/, ""));

const redirectUris = list.refine(
  (uris) => uris.every((uri) => isPlainWebUrl(uri) && uri.startsWith("https:")),
  { error: "must be https addresses with commas between, without user, password, query or fragment" },
);

const redisUrl = text.superRefine((value, context) => {
  const faults = safeParse(redisAddress, value).error?.issues ?? [];
  for (const { message } of faults) context.addIssue({ code: "custom", message });
});

const PLACEHOLDER =
  /^(change[-_ ]?me|changeit|secret|password|placeholder|example|default|admin|test|todo|your[-_ ].*|replace.*|x+|<.*>)\d*$/i;
const LEAST_TOKEN_LENGTH = 16;

const ownSecret = text
  .refine((value) => !isPlaceholder(value), {
    error: "still holds a placeholder; make one with `openssl rand -base64 32`",
  })
  .refine((value) => value.length >= LEAST_TOKEN_LENGTH, {
    error: `must be at least ${LEAST_TOKEN_LENGTH} characters long; make one with \`openssl rand -base64 32\``,
  });

/** A key that seals board credentials, with the id that is written beside what it sealed. */
export interface EncryptionKey {
  readonly id: string;
  /** 32 bytes. */
  readonly key: Uint8Array;
}

const encryptionKeys = text.transform((value, context): readonly EncryptionKey[] => {
  const keys: EncryptionKey[] = [];
  for (const [at, part] of value.split(",").entries()) {
    const parsed = parseKey(part.trim());
    if (typeof parsed === "string") context.addIssue({ code: "custom", message: `key ${at + 1} ${parsed}` });
    else if (keys.some((key) => key.id === parsed.id)) {
      context.addIssue({ code: "custom", message: `key ${at + 1} has the id of an earlier one` });
    } else keys.push(parsed);
  }
  return Object.freeze(keys);
});

const settings = z.object({
  host: text.default("127.0.0.1"),
  /** 0: any free port. */
  port: integer(0, 65_535).default(8420),
  /** Serves /metrics at a port of its own, for workers too, and no longer beside everything else. 0: any free port. */
  metricsPort: integer(0, 65_535).optional(),
  /** The address of that port; `host` where left out. */
  metricsHost: text.optional(),
  /** Where boards and clients reach this service from outside, without a slash at the end. */
  publicUrl: webUrl.optional(),
  /** Where Alexa+ reaches it, when that is another address. */
  alexaPublicUrl: webUrl.optional(),
  /** The client that Amazon's side of an Alexa+ add-on signs in as, and where it may be sent back to. */
  alexaClientId: text.optional(),
  alexaClientSecret: ownSecret.optional(),
  alexaRedirectUris: redirectUris.default(Object.freeze([])),
  redisUrl: redisUrl.optional(),
  adminToken: ownSecret.optional(),
  /** The first seals, all of them open. */
  encryptionKeys: encryptionKeys.default(Object.freeze([])),
  logLevel: choice("trace", "debug", "info", "warn", "error", "fatal", "silent").default("info"),
  logFormat: choice("auto", "json", "pretty").default("auto"),
  /** The OpenTelemetry collector that traces are sent to, by OTLP over HTTP, without `/v1/traces`. */
  otelEndpoint: webUrl.optional(),
  otelServiceName: text.default("boardwalk"),
  role: choice("all", "web", "worker").default("all"),
  /** Where Boardwalk keeps what it makes itself, such as its own Redis' files. */
  dir: text.default(".boardwalk"),
  /** The running service that commands speak to. */
  url: webUrl.default("http://127.0.0.1:8420"),
  allowPrivateHosts: switchOn.default(false),
  /** Browser origins let in beside the service's own. */
  allowedOrigins: list.default(Object.freeze([])),
  /** Host names answered beside the service's own. */
  allowedHosts: list.default(Object.freeze([])),
  replyBudgetMs: integer(100, 60_000).default(2_500),
  workerConcurrency: integer(1, 1_000).default(128),
  /** How many jobs of one connection one worker runs at once: a slow board may take no more of it. */
  laneCap: integer(1, 500).default(32),
  /** What one tenant may use, where it has no limits of its own; counted by each process for itself. */
  tenantCallsPerMinute: integer(1, 10_000_000).default(6_000),
  tenantSessions: integer(1, 1_000_000).default(2_000),
  tenantStreams: integer(1, 1_000_000).default(500),
  tenantTickets: integer(1, 10_000_000).default(250_000),
  ticketPollMs: integer(1_000, 86_400_000).default(60_000),
  workflowPollMs: integer(1_000, 86_400_000).default(3_600_000),
  sweepMs: integer(100, 3_600_000).default(10_000),
  /** A worker not heard of for this long has lost its jobs to others. */
  jobLockMs: integer(500, 600_000).default(10_000),
  /** How many events of each tenant's audit log are kept; older ones are forgotten. */
  auditKeep: integer(1_000, 10_000_000).default(100_000),
});

export type Config = Readonly<z.output<typeof settings>>;
type Key = keyof Config;

/** The environment variable of each setting. In boardwalk.yaml and as a flag it goes by the key on the left. */
const VARIABLES: Readonly<Record<Key, string>> = {
  host: "HOST",
  port: "PORT",
  metricsPort: "METRICS_PORT",
  metricsHost: "METRICS_HOST",
  publicUrl: "PUBLIC_URL",
  alexaPublicUrl: "ALEXA_PUBLIC_URL",
  alexaClientId: "ALEXA_CLIENT_ID",
  alexaClientSecret: "ALEXA_CLIENT_SECRET",
  alexaRedirectUris: "ALEXA_REDIRECT_URIS",
  redisUrl: "REDIS_URL",
  adminToken: "BOARDWALK_ADMIN_TOKEN",
  encryptionKeys: "BOARDWALK_ENCRYPTION_KEYS",
  logLevel: "LOG_LEVEL",
  logFormat: "LOG_FORMAT",
  otelEndpoint: "OTEL_EXPORTER_OTLP_ENDPOINT",
  otelServiceName: "OTEL_SERVICE_NAME",
  role: "BOARDWALK_ROLE",
  dir: "BOARDWALK_DIR",
  url: "BOARDWALK_URL",
  allowPrivateHosts: "BOARDWALK_ALLOW_PRIVATE_HOSTS",
  allowedOrigins: "BOARDWALK_ALLOWED_ORIGINS",
  allowedHosts: "BOARDWALK_ALLOWED_HOSTS",
  replyBudgetMs: "BOARDWALK_REPLY_BUDGET_MS",
  workerConcurrency: "BOARDWALK_WORKER_CONCURRENCY",
  laneCap: "BOARDWALK_LANE_CAP",
  tenantCallsPerMinute: "BOARDWALK_TENANT_CALLS_PER_MINUTE",
  tenantSessions: "BOARDWALK_TENANT_SESSIONS",
  tenantStreams: "BOARDWALK_TENANT_STREAMS",
  tenantTickets: "BOARDWALK_TENANT_TICKETS",
  ticketPollMs: "BOARDWALK_TICKET_POLL_MS",
  workflowPollMs: "BOARDWALK_WORKFLOW_POLL_MS",
  sweepMs: "BOARDWALK_SWEEP_MS",
  jobLockMs: "BOARDWALK_JOB_LOCK_MS",
  auditKeep: "BOARDWALK_AUDIT_KEEP",
};
const KEYS = Object.keys(VARIABLES) as readonly Key[];

/** Settings that may also be given as the path of a file, in the variable of that name with `_FILE` behind. */
const SECRETS: ReadonlySet<Key> = new Set<Key>([
  "redisUrl",
  "adminToken",
  "alexaClientSecret",
  "encryptionKeys",
]);
const CONFIG_FILE = "BOARDWALK_CONFIG";

/** Every environment variable that is read. */
export const CONFIG_VARIABLES: readonly string[] = [
  CONFIG_FILE,
  ...KEYS.map((key) => VARIABLES[key]),
  ...[...SECRETS].map((key) => `${VARIABLES[key]}_FILE`),
];

type Raw = Readonly<Record<string, string | undefined>>;
export type ConfigFlags = Readonly<Partial<Record<Key, string | number | boolean | undefined>>>;

/**
 * The settings, checked and frozen. Empty values count as left out.
 * @param fileText the text of boardwalk.yaml
 * @throws BoardwalkError `invalid` that names every faulty setting, never its value.
 */
export function parseConfig(
  env: Raw,
  flags: ConfigFlags = {},
  fileText?: string,
  readSecret: (path: string) => string = (path) => readFileSync(path, "utf8"),
): Config {
  const faults: string[] = [];
  const file = readYaml(fileText, faults);
  const given: Partial<Record<Key, string>> = {};
  const source: Partial<Record<Key, string>> = {};
  for (const key of KEYS) {
    const found =
      filled(flags[key], `--${kebab(key)}`) ??
      fromEnvironment(key, env, readSecret, faults) ??
      filled(file[key], `${key} in boardwalk.yaml`);
    if (found === undefined) continue;
    given[key] = found.value;
    source[key] = found.source;
  }
  const parsed = safeParse(settings, given);
  for (const issue of parsed.error?.issues ?? []) {
    const key = issue.path[0] as Key;
    faults.push(`${source[key] ?? VARIABLES[key]} ${issue.message}`);
  }
  if (faults.length > 0 || !parsed.success) throw faulty(faults);
  return Object.freeze(parsed.data);
}

/**
 * The settings of this process: its environment, and the file named by `--config` or BOARDWALK_CONFIG, or else
 * ./boardwalk.yaml where there is one.
 * @throws BoardwalkError `invalid`
 */
export function loadConfig(flags: ConfigFlags = {}, configPath?: string): Config {
  const named = configPath ?? (process.env[CONFIG_FILE] || undefined);
  const path = named ?? "boardwalk.yaml";
  if (named === undefined && !existsSync(path)) return parseConfig(process.env, flags);
  let fileText: string;
  try {
    fileText = readFileSync(path, "utf8");
  } catch (cause) {
    throw new BoardwalkError("invalid", `The settings file ${path} cannot be read.`, { cause });
  }
  return parseConfig(process.env, flags, fileText);
}

/** @throws BoardwalkError `invalid` when there is no key to seal with: what is kept for good must be sealed for good. */
/** @throws BoardwalkError `invalid` that names all that is missing, and how to have it. */
export function requireSecrets(config: Config, wanted: readonly ("adminToken" | "encryptionKeys")[]): void {
  const missing = wanted.filter((key) => (config[key]?.length ?? 0) === 0).map((key) => VARIABLES[key]);
  if (missing.length === 0) return;
  throw new BoardwalkError(
    "invalid",
    `${missing.join(" and ")} ${missing.length === 1 ? "is" : "are"} not set. Make ${missing.length === 1 ? "it" : "them"} ` +
      "with `boardwalk init-secrets --file .env`, and take the file into the environment: `set -a; . ./.env; set +a`.",
  );
}

export function requireEncryptionKeys(config: Config): readonly EncryptionKey[] {
  requireSecrets(config, ["encryptionKeys"]);
  return config.encryptionKeys;
}

export function requireAdminToken(config: Config): string {
  requireSecrets(config, ["adminToken"]);
  return config.adminToken ?? "";
}

/** By variable name, fit to be shown: secrets are only said to be set or not. */
export function describeConfig(config: Config): Readonly<Record<string, string>> {
  return Object.fromEntries(KEYS.map((key) => [VARIABLES[key], shown(key, config)]));
}

/** The secret strings in the settings, for the logger to look out for. */
export function secretsOf(config: Config): readonly string[] {
  return [
    config.adminToken ?? "",
    config.alexaClientSecret ?? "",
    ...(config.redisUrl === undefined ? [] : secretsInRedisUrl(config.redisUrl)),
    ...config.encryptionKeys.map(({ key }) => Buffer.from(key).toString("base64")),
  ].filter((secret) => secret !== "");
}

function shown(key: Key, config: Config): string {
  const value = config[key];
  if (key === "encryptionKeys") {
    const ids = config.encryptionKeys.map(({ id }) => id);
    return ids.length === 0 ? "(not set)" : `(set: ${ids.join(", ")})`;
  }
  if (value === undefined) return "(not set)";
  if (key === "redisUrl") return withoutRedisSecrets(String(value));
  if (SECRETS.has(key)) return "(set)";
  return Array.isArray(value) ? value.join(",") : String(value);
}

interface Found {
  readonly value: string;
  readonly source: string;
}

function filled(value: unknown, source: string): Found | undefined {
  if (value === undefined || value === null) return undefined;
  const string = String(value).trim();
  return string === "" ? undefined : { value: string, source };
}

function fromEnvironment(
  key: Key,
  env: Raw,
  readSecret: (path: string) => string,
  faults: string[],
): Found | undefined {
  const variable = VARIABLES[key];
  const plain = filled(env[variable], variable);
  const fileVariable = `${variable}_FILE`;
  const path = SECRETS.has(key) ? filled(env[fileVariable], fileVariable) : undefined;
  if (path === undefined) return plain;
  if (plain !== undefined) {
    faults.push(`${variable} and ${fileVariable} are both set; set one of them`);
    return undefined;
  }
  try {
    const found = filled(readSecret(path.value), fileVariable);
    if (found === undefined) faults.push(`${fileVariable} names an empty file`);
    return found;
  } catch {
    faults.push(`${fileVariable} names a file that cannot be read`);
    return undefined;
  }
}

/** The file's settings as strings, as an environment would give them. */
function readYaml(fileText: string | undefined, faults: string[]): Partial<Record<Key, string>> {
  const settings: Partial<Record<Key, string>> = {};
  for (const [name, value] of Object.entries(parseMapping(fileText, faults))) {
    const key = KEYS.find((known) => known === name);
    if (key === undefined) faults.push(`${name} in boardwalk.yaml is not a setting`);
    else if (isListOfPlain(value)) settings[key] = value.join(",");
    else if (typeof value === "object" && value !== null)
      faults.push(`${name} in boardwalk.yaml must be a single value, or a list of such`);
    else if (value !== null && value !== undefined) settings[key] = String(value);
  }
  return settings;
}

function isListOfPlain(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.every((item) => typeof item !== "object" || item === null);
}

/** The parser takes hundreds of times as much memory as its text. */
const MOST_OF_A_FILE = 100_000;

function parseMapping(fileText: string | undefined, faults: string[]): Readonly<Record<string, unknown>> {
  if (fileText === undefined) return {};
  if (fileText.length > MOST_OF_A_FILE) {
    faults.push(`boardwalk.yaml is longer than settings can be, more than ${MOST_OF_A_FILE} characters`);
    return {};
  }
  try {
    // A warning would be printed, with the line of the file that it is about.
    const parsed: unknown = parseYaml(fileText, { logLevel: "error" }) ?? {};
    if (typeof parsed === "object" && !Array.isArray(parsed)) return { ...parsed };
  } catch {
    // The parser's message quotes the file, which may hold secrets.
  }
  faults.push("boardwalk.yaml must be YAML of the form `setting: value`");
  return {};
}

function parseKey(part: string): EncryptionKey | string {
  const match = /^([A-Za-z0-9_-]{1,32}):(.*)$/.exec(part);
  const [, id, encoded] = match ?? [];
  if (id === undefined || encoded === undefined) return "must be an id, a colon and 32 bytes as base64";
  if (isPlaceholder(encoded)) return "still holds a placeholder; make one with `openssl rand -base64 32`";
  const key = Buffer.from(encoded, "base64");
  if (!/^[A-Za-z0-9+/_-]+=*$/.test(encoded) || key.length !== 32) {
    return "must hold 32 bytes as base64; make one with `openssl rand -base64 32`";
  }
  if (new Set(key).size < 8) return "is not random; make one with `openssl rand -base64 32`";
  return Object.freeze({ id, key });
}

function isPlaceholder(value: string): boolean {
  return PLACEHOLDER.test(value);
}

function isPlainWebUrl(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, username, password, search, hash } = new URL(value);
  return /^https?:$/.test(protocol) && username + password + search + hash === "";
}

function kebab(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function faulty(faults: readonly string[]): BoardwalkError {
  const many = faults.length === 1 ? "One setting is" : `${faults.length} settings are`;
  return new BoardwalkError("invalid", `${many} wrong:\n${faults.map((fault) => `- ${fault}.`).join("\n")}`, {
    data: { faults },
  });
}
