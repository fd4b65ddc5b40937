import type { IncomingMessage } from "node:http";
import { isJsonContentType } from "@modelcontextprotocol/server";
import { readBytes, TooLarge } from "../read-bytes.js";
import { isTooDeep, MOST_DEEP } from "../tickets/depth.js";

/** Why a request was turned away before anyone looked at what it asks. */
export interface Rejection {
  readonly status: number;
  readonly code: number;
  readonly message: string;
}

export type Body = { readonly ok: true; readonly value: unknown } | ({ readonly ok: false } & Rejection);

export const DEFAULT_MAX_BODY_BYTES = 1024 * 1024;

const SERVER_ERROR = -32000;
const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;

/**
 * Reads a request's JSON, once. Never rejects: a body that is too large (413), not JSON (400, -32700) or not called
 * JSON (415) is an answer.
 */
export async function readJson(req: IncomingMessage, maxBytes = DEFAULT_MAX_BODY_BYTES): Promise<Body> {
  if (!isJsonContentType(req.headers["content-type"] ?? null)) {
    return {
      ok: false,
      status: 415,
      code: SERVER_ERROR,
      message: "Content-Type has to be application/json.",
    };
  }
  const read = await readText(req, maxBytes);
  if (!read.ok) return read;
  try {
    const value = JSON.parse(read.value) as unknown;
    if (!isTooDeep(value)) return { ok: true, value };
    const message = `Invalid request: the body may be nested at most ${MOST_DEEP} deep.`;
    return { ok: false, status: 400, code: INVALID_REQUEST, message };
  } catch {
    return { ok: false, status: 400, code: PARSE_ERROR, message: "Parse error: the body is not valid JSON." };
  }
}

type Text = { readonly ok: true; readonly value: string } | ({ readonly ok: false } & Rejection);

async function readText(req: IncomingMessage, maxBytes: number): Promise<Text> {
  const tooLarge: Text = {
    ok: false,
    status: 413,
    code: SERVER_ERROR,
    message: `The body may be at most ${maxBytes} bytes.`,
  };
  if (Number(req.headers["content-length"] ?? 0) > maxBytes) return tooLarge;
  try {
    return { ok: true, value: (await readBytes(req, maxBytes)).toString("utf8") };
  } catch (error) {
    if (error instanceof TooLarge) return tooLarge;
    return { ok: false, status: 400, code: PARSE_ERROR, message: "Parse error: the body broke off." };
  }
}
