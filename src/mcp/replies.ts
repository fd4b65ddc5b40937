import type { ServerResponse } from "node:http";
import type { JSONRPCResponse, Tool } from "@modelcontextprotocol/server";
import type { BoardwalkError } from "../errors.js";
import type { Rejection } from "./body.js";

/** Writing answers: plain JSON, with tool lists turned into bytes only once. */

export function writeJson(
  res: ServerResponse,
  status: number,
  text: string,
  headers: Record<string, string> = {},
): void {
  res.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
    ...headers,
  });
  res.end(text);
}

/** A request that was turned away before its id was known. */
export function writeRejection(res: ServerResponse, rejection: Rejection): void {
  writeError(res, rejection, null);
}

export function writeError(
  res: ServerResponse,
  { status, code, message }: Rejection,
  id: string | number | null,
  data?: unknown,
): void {
  const error = { code, message, ...(data === undefined ? {} : { data }) };
  const headers: Record<string, string> = status === 405 ? { allow: "GET, POST, DELETE" } : {};
  writeJson(res, status, JSON.stringify({ jsonrpc: "2.0", id, error }), headers);
}

/** Too much was asked for; the reply says when to come back. */
export function writeLimited(res: ServerResponse, limit: BoardwalkError, id: string | number | null): void {
  const { status, code, message, retryAfterMs = 0 } = limit;
  const error = { code: -32000, message, data: { code, retryAfterMs } };
  const headers = { "retry-after": String(Math.ceil(retryAfterMs / 1_000)) };
  writeJson(res, status, JSON.stringify({ jsonrpc: "2.0", id, error }), headers);
}

export function writeEmpty(res: ServerResponse, status: number): void {
  res.writeHead(status, { "content-length": 0 });
  res.end();
}

const listed = new WeakMap<Tool[], Buffer>();

/** One JSON-RPC message. A catalogue's tools never change, so their bytes are made once and then reused. */
export function writeMessage(
  res: ServerResponse,
  status: number,
  message: JSONRPCResponse,
  headers: Record<string, string> = {},
): void {
  const parts = toolListParts(message);
  if (parts === undefined) {
    writeJson(res, status, JSON.stringify(message), headers);
    return;
  }
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  res.writeHead(status, { "content-type": "application/json", "content-length": length, ...headers });
  // Sent together, and not put together first: a long list would be copied each time.
  res.cork();
  for (const part of parts) res.write(part);
  res.end();
}

function toolListParts(message: JSONRPCResponse): readonly Buffer[] | undefined {
  if (!("result" in message) || !isToolList(message.result)) return undefined;
  const { tools, ...rest } = message.result;
  if (!Object.isFrozen(tools)) return undefined;
  const bytes = listed.get(tools) ?? Buffer.from(JSON.stringify(tools));
  listed.set(tools, bytes);
  const others = JSON.stringify(rest).slice(1, -1);
  const head = `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":{"tools":`;
  return [Buffer.from(head), bytes, Buffer.from(`${others === "" ? "" : `,${others}`}}}`)];
}

function isToolList(result: object): result is { readonly tools: Tool[] } {
  return "tools" in result && Array.isArray(result.tools);
}
