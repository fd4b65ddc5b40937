import type { ServerResponse } from "node:http";
import type { NextFunction, Request, Response } from "express";
import type { z } from "zod";
import { BoardwalkError } from "../errors.js";
import type { Trail } from "../hooks/hooks.js";
import { safeParse } from "../parse.js";
import { isTooDeep, MOST_DEEP } from "../tickets/depth.js";
import { trailOf } from "./requests.js";

/** Errors as RFC 9457 problems. */

export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: string;
  readonly [member: string]: unknown;
}

export function problemOf(error: BoardwalkError): Problem {
  return {
    type: `https://boardwalk.dev/problems/${error.code}`,
    title: error.code.replaceAll("_", " "),
    status: error.status,
    detail: error.message,
    code: error.code,
    ...(error.data === undefined ? {} : { data: error.data }),
  };
}

/** Writes the problem; `more` are extension members. */
export function sendProblem(
  response: ServerResponse,
  error: BoardwalkError,
  more: Readonly<Record<string, unknown>> = {},
  status = error.status,
): void {
  if (error.retryAfterMs !== undefined) {
    response.setHeader("retry-after", String(Math.ceil(error.retryAfterMs / 1000)));
  }
  const body = JSON.stringify({ ...more, ...problemOf(error), status });
  response.writeHead(status, {
    "content-type": "application/problem+json; charset=utf-8",
    "content-length": Buffer.byteLength(body),
  });
  response.end(body);
}

/** @throws BoardwalkError `invalid` that names each faulty member, never its value. */
export function parseBody<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = safeParse(schema, value);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(
    (issue) => `${issue.path.map(String).join(".") || "the body"}: ${issue.message}`,
  );
  throw new BoardwalkError("invalid", `This request cannot be read. ${faults.join("; ")}.`, {
    data: { faults },
  });
}

/** What is nested without end would overflow the stack of whatever walks it later. */
export function refuseDepth(request: Request, _response: Response, next: NextFunction): void {
  if (isTooDeep(request.body))
    throw new BoardwalkError("invalid", `The body may be nested at most ${MOST_DEEP} deep.`);
  next();
}

/** What a body parser or a route threw, as an error of ours. */
function known(thrown: unknown, status: number | undefined): BoardwalkError {
  if (thrown instanceof BoardwalkError || status === undefined || status >= 500)
    return BoardwalkError.from(thrown);
  const message =
    status === 413
      ? "The body is larger than this address takes."
      : "The body could not be read; send valid JSON.";
  return new BoardwalkError("invalid", message, { cause: thrown });
}

/** Told of what went wrong in a request, whoever's fault it is, and by what the request is known. */
export type Report = (error: BoardwalkError, trail: Trail | undefined) => void;

/** The last resort of every route: a problem with a sentence, its cause in the log only. */
export function problemHandler(report: Report) {
  return (thrown: unknown, request: Request, response: Response, next: NextFunction): void => {
    const status = statusOf(thrown);
    const error = known(thrown, status);
    // Whoever is told when to come back is no trouble of ours.
    if (error.code !== "rate_limited") report(error, trailOf(request));
    if (response.headersSent) next(thrown);
    else sendProblem(response, error, {}, status === 413 ? status : error.status);
  };
}

/** The status that Express' own parsers put on their errors. */
export function statusOf(thrown: unknown): number | undefined {
  if (thrown instanceof BoardwalkError || typeof thrown !== "object" || thrown === null) return undefined;
  return "status" in thrown && typeof thrown.status === "number" ? thrown.status : undefined;
}

export function notFound(_request: Request, response: Response): void {
  sendProblem(response, new BoardwalkError("not_found_or_hidden", "There is nothing at this address."));
}
