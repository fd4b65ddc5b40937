import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import type { Command } from "commander";
import { z } from "zod";
import { loadConfig } from "../config.js";
import { BoardwalkError, ERROR_CODES, type ErrorCode } from "../errors.js";
import { parseOr, safeParse } from "../parse.js";

/** The running service that commands speak to: BOARDWALK_URL, with BOARDWALK_ADMIN_TOKEN. */
export interface Service {
  get(path: string): Promise<unknown>;
  /** What is too long to be held at once; breaks off with an error where the service does. */
  stream(path: string): Promise<Readable>;
  post(path: string, body?: unknown): Promise<unknown>;
  put(path: string, body: unknown): Promise<unknown>;
  delete(path: string): Promise<void>;
}

const TIMEOUT_MS = 180_000;

const problem = z.object({ code: z.string(), detail: z.string() });

/** Options of every command that speaks to a service. */
export function speaksToService(command: Command): Command {
  return command
    .option("--config <file>", "settings file (default: ./boardwalk.yaml where there is one)")
    .option("--json", "print what the service answers, for programs");
}

/** @throws BoardwalkError `invalid` when no admin token is set. */
export function openService(configPath?: string): Service {
  const config = loadConfig({}, configPath);
  const { url, adminToken } = config;
  if (adminToken === undefined) {
    throw new BoardwalkError(
      "invalid",
      "BOARDWALK_ADMIN_TOKEN is not set. Set it to the token of the service, and BOARDWALK_URL to its address.",
    );
  }
  const send = (method: string, path: string, body?: unknown) =>
    request(`${url}/api/v1${path}`, url, method, adminToken, body);
  const ask = async (method: string, path: string, body?: unknown) =>
    await readJson(await send(method, path, body));
  return {
    get: (path) => ask("GET", path),
    async stream(path) {
      const { body } = await send("GET", path);
      return body === null ? Readable.from([]) : Readable.fromWeb(body as ReadableStream);
    },
    post: (path, body = {}) => ask("POST", path, body),
    put: (path, body) => ask("PUT", path, body),
    delete: async (path) => void (await ask("DELETE", path)),
  };
}

async function request(
  address: string,
  url: string,
  method: string,
  token: string,
  body: unknown,
): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(address, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  } catch (cause) {
    throw new BoardwalkError(
      "unavailable",
      `No Boardwalk answers at ${url}. Start one with "boardwalk serve", or set BOARDWALK_URL.`,
      { cause },
    );
  }
  if (response.ok) return response;
  const said = safeParse(problem, await readJson(response));
  const { code, detail } = said.data ?? {
    code: "unavailable",
    detail: `The service answered ${response.status}.`,
  };
  const known = ERROR_CODES.find((one) => one === code) ?? ("unavailable" satisfies ErrorCode);
  throw new BoardwalkError(known, detail);
}

/** @throws BoardwalkError `unavailable` when the service answers what this release does not know. */
export function expected<T>(schema: z.ZodType<T>, answered: unknown): T {
  const unknown = "The service answered something that this command cannot read. Is it of the same version?";
  return parseOr(
    schema,
    answered,
    (faults) => new BoardwalkError("unavailable", unknown, { data: { faults } }),
  );
}

async function readJson(response: Response): Promise<unknown> {
  return response.status === 204 ? undefined : await response.json().catch(() => undefined);
}

/** One path segment of what a person typed. */
export function segment(text: string): string {
  return encodeURIComponent(text);
}

/** Rows as columns that line up; the first row is the heading. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows)
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, cell.length);
  return rows
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** `1 board`, `2 boards`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** What a command answers: JSON for programs, words for people. */
export function answer(json: boolean | undefined, value: unknown, words: () => string): void {
  process.stdout.write(`${json ? JSON.stringify(value) : words()}\n`);
}
