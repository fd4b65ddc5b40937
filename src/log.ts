import { type Logger, pino } from "pino";
import { BoardwalkError } from "./errors.js";

/**
 * The log: one JSON object a line, and on a terminal the same in words. Nothing secret and no ticket text reaches it: keys that hold either are masked
 * at any depth, and every finished line is searched for known secrets and for what looks like one.
 */

type Fields = Readonly<Record<string, unknown>>;

/** What code that logs needs; `fields` first, then what happened, in words without anybody's data. */
export interface Log {
  debug(fields: Fields, message: string): void;
  info(fields: Fields, message: string): void;
  warn(fields: Fields, message: string): void;
  error(fields: Fields, message: string): void;
  child(fields: Fields): Log;
  /** Whether a line of this level would be written: for whoever makes many that would not. */
  enabled(level: "debug" | "info" | "warn" | "error"): boolean;
}

export type LogLevel = "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent";

export interface LogOptions {
  readonly level?: LogLevel;
  /** `auto`: pretty where people read it, on a terminal, and json elsewhere. @default "auto" */
  readonly format?: "auto" | "json" | "pretty";
  /** Strings that may appear nowhere in the log. */
  readonly secrets?: readonly string[];
  /** Ids of what is being done, said in each line. */
  readonly context?: () => Fields;
  /** Takes each finished line, newline included; stderr by default, because stdout belongs to commands' answers. */
  readonly write?: (line: string) => void;
}

export interface RootLog extends Log {
  /** From now on this string appears nowhere in the log: for secrets that become known later. */
  hide(secret: string): void;
}

const SECRET = "[secret]";
const TEXT = "[text]";
const DEEPEST = 6;
/** Shorter strings would mask parts of ordinary words. */
const SHORTEST_SECRET = 6;
const LONGEST_STRING = 2_000;

const SECRET_KEY =
  /authorization|cookie|password|passwd|secret|credential|private_?key|api_?key|encryption_?key|signature|token(?!s$|Id$|_id$)/i;

/** Keys that hold what people wrote or said. */
const TEXT_KEYS = new Set(
  [
    ...[
      "title",
      "summary",
      "description",
      "comment",
      "comments",
      "text",
      "body",
      "fields",
      "message",
      "reason",
    ],
    ...["spoken", "query", "heard", "words", "question", "arguments", "args", "input", "params", "result"],
    ...["structuredContent", "content", "response", "data", "label"],
  ].map((key) => key.toLowerCase()),
);

/** Shapes of secrets that are given away by their looks, wherever they stand in a line. */
const LOOKS_SECRET: readonly (readonly [RegExp, string])[] = [
  [/\b(Bearer|Basic) +[A-Za-z0-9._~+/=-]{6,}/gi, `$1 ${SECRET}`],
  [/\bbw_[A-Za-z0-9_-]{16,}/g, SECRET],
  [/\b(gh[pousr]_|github_pat_|lin_api_|lin_oauth_|ATATT|ATTA|ATCTT)[A-Za-z0-9_=-]{8,}/g, SECRET],
  [/\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g, SECRET],
  [/(\/\/)[^/@\s"]+@/g, `$1${SECRET}@`],
  [
    /([?&](?:key|token|secret|signature|code|access_token|api_key|client_secret)=)[^&\s"\\]+/gi,
    `$1${SECRET}`,
  ],
  [/(\/tokens\/)[^/?\s"\\]+/g, `$1${SECRET}`],
  [/(\/webhooks\/[a-z]+\/)[^/?\s"\\]+/g, `$1${SECRET}`],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*(-----END [A-Z ]*PRIVATE KEY-----)?/g, SECRET],
];

export function createLog(options: LogOptions = {}): RootLog {
  const {
    level = "info",
    format = "auto",
    context,
    write = (line) => void process.stderr.write(line),
  } = options;
  const hidden = new Set<string>();
  const hide = (secret: string) => {
    for (const form of formsOf(secret)) if (form.length >= SHORTEST_SECRET) hidden.add(form);
  };
  for (const secret of options.secrets ?? []) hide(secret);
  const isPretty =
    format === "pretty" || (format === "auto" && options.write === undefined && process.stderr.isTTY);
  const finish = isPretty ? prettyLine : (line: string) => line;
  const logger = pino(
    {
      level,
      base: null,
      ...(context === undefined ? {} : { mixin: () => ({ ...context() }) }),
      timestamp: () => `,"ts":"${new Date().toISOString()}"`,
      formatters: {
        level: (label) => ({ level: label }),
      },
    },
    { write: (line: string) => write(finish(scrub(line, hidden))) },
  );
  return { ...wrap(logger), hide };
}

/** Masks on the way in: pino's own formatters do not see what a child logger is given. */
function wrap(logger: Logger): Log {
  const at = (level: "debug" | "info" | "warn" | "error") => (fields: Fields, message: string) => {
    if (logger.isLevelEnabled(level)) logger[level](mask(fields), message);
  };
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    enabled: (level) => logger.isLevelEnabled(level),
    child: (fields) => wrap(logger.child(mask(fields) as Record<string, unknown>)),
  };
}

/** A copy with secrets and ticket text masked by key, at any depth. */
function mask(value: unknown, depth = 0): unknown {
  if (value instanceof Error) return describeError(value);
  if (typeof value === "string" && value.length > LONGEST_STRING) return `${value.slice(0, LONGEST_STRING)}…`;
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Date) return value;
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (depth >= DEEPEST) return "[deeper]";
  if (Array.isArray(value)) return value.map((item) => mask(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, maskKey(key, inner) ?? mask(inner, depth + 1)]),
  );
}

function maskKey(key: string, value: unknown): unknown {
  if (value === undefined || value === null || typeof value === "boolean" || typeof value === "number")
    return undefined;
  if (SECRET_KEY.test(key)) return SECRET;
  if (/^err(or)?$/.test(key)) return describeError(value);
  return TEXT_KEYS.has(key.toLowerCase()) ? TEXT : undefined;
}

interface DescribedError {
  readonly type: string;
  readonly code?: string;
  readonly said?: string;
  readonly stack?: readonly string[];
  readonly cause?: DescribedError;
}

/**
 * An error as it may be logged: what kind, where, and why. Its sentence only when it cannot quote a board or a
 * person: a board's refusal, a JSON parser and our own answers all repeat ticket text.
 */
export function describeError(error: unknown, depth = 0): DescribedError {
  const code = codeOf(error);
  if (!(error instanceof Error)) return { type: typeof error, ...(code === undefined ? {} : { code }) };
  const stack = (error.stack ?? "").split("\n").filter((line) => /^ {4}at /.test(line));
  return {
    type: error.name,
    ...(code === undefined ? {} : { code }),
    ...(quotesNobody(error) ? { said: error.message.slice(0, 500) } : {}),
    ...(stack.length === 0 ? {} : { stack: stack.slice(0, 8).map((line) => line.trim()) }),
    ...(error.cause === undefined || depth >= 3 ? {} : { cause: describeError(error.cause, depth + 1) }),
  };
}

function codeOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return /^[A-Za-z0-9_]{1,40}$/.test(String(error.code)) ? String(error.code) : undefined;
}

function quotesNobody(error: Error): boolean {
  if (error instanceof BoardwalkError) return false;
  if (error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError)
    return true;
  // Node's system errors, and Redis refusing a command.
  return (
    ("syscall" in error && "errno" in error) || /^(ReplyError|MaxRetriesPerRequestError)$/.test(error.name)
  );
}

function scrub(line: string, hidden: ReadonlySet<string>): string {
  let clean = line;
  for (const secret of hidden) clean = clean.replaceAll(secret, SECRET);
  for (const [looks, instead] of LOOKS_SECRET) clean = clean.replace(looks, instead);
  return clean;
}

/** A secret as it would look in a line: plain, as JSON, in a URL, and as the Base64 of a header. */
function formsOf(secret: string): readonly string[] {
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    Buffer.from(secret).toString("base64"),
  ];
}

/** A line for people: time, level, what happened, then the fields. */
function prettyLine(line: string): string {
  const { ts, level, msg, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const rest = Object.entries(fields).map(
    ([key, value]) => ` ${key}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return `${String(ts).slice(11, 19)} ${String(level).toUpperCase().padEnd(5)} ${String(msg ?? "")}${rest.join("")}\n`;
}
