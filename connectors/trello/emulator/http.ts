import type { Request, Response } from "express";
import type { Fields } from "./render.js";

/** What the emulator's routes share: parameters from wherever they come, and Trello's way of saying no. */

/** Refusals are plain text, without a line's end. */
export function refuse(response: Response, status: number, text: string): void {
  response.status(status).type("text/plain").send(text);
}

export const NOT_FOUND = "The requested resource was not found.";

/** A parameter of the address or of the body: Trello takes either. */
export function parameter(request: Request, name: string): string | undefined {
  const body = (request.body ?? {}) as Record<string, unknown>;
  const value = request.query[name] ?? body[name];
  return value === undefined || value === null ? undefined : String(value);
}

export function flag(request: Request, name: string): boolean | undefined {
  const value = parameter(request, name);
  return value === undefined ? undefined : value === "true";
}

export function fieldsOf(request: Request, name = "fields"): Fields {
  const value = parameter(request, name) ?? "all";
  return value === "all" ? "all" : value.split(",").map((field) => field.trim());
}
