import type { ServerResponse } from "node:http";
import type { JSONRPCResponse, Tool } from "@modelcontextprotocol/server";
import type { Rejection } from "./body.js";

/** Writing answers: plain JSON, with tool lists turned into text only once. */

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

export function writeRejection(
  res: ServerResponse,
  { status, code, message }: Rejection,
  id: string | number | null = null,
  data?: unknown,
): void {
  const error = { code, message, ...(data === undefined ? {} : { data }) };
  const headers: Record<string, string> = status === 405 ? { allow: "GET, POST, DELETE" } : {};
  writeJson(res, status, JSON.stringify({ jsonrpc: "2.0", id, error }), headers);
}

export function writeEmpty(res: ServerResponse, status: number): void {
  res.writeHead(status, { "content-length": 0 });
  res.end();
}

const listed = new WeakMap<Tool[], string>();

/** The message as JSON. A catalogue's tools are frozen, so their text is made once and then reused. */
export function toJson(message: JSONRPCResponse): string {
  if (!("result" in message) || !isToolList(message.result)) return JSON.stringify(message);
  const { tools, ...rest } = message.result;
  const text = listed.get(tools) ?? JSON.stringify(tools);
  if (Object.isFrozen(tools)) listed.set(tools, text);
  const others = JSON.stringify(rest).slice(1, -1);
  const result = `{"tools":${text}${others === "" ? "" : `,${others}`}}`;
  return `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":${result}}`;
}

function isToolList(result: object): result is { readonly tools: Tool[] } {
  return "tools" in result && Array.isArray(result.tools);
}
