import type { NextFunction, Request, Response } from "express";
import { BoardwalkError } from "../errors.js";
import type { Speaker } from "../store/store.js";
import { type Knocks, tooOften } from "./knocks.js";
import type { Member } from "./members.js";
import type { PageSessions } from "./page-sessions.js";
import { sendProblem } from "./problems.js";
import { bearerOf, sameSecret } from "./tokens.js";

/** Who calls the admin API: the operator by the admin token, or a person who signed in at the page by a pairing code. */

export type ApiCaller = { readonly kind: "operator" } | { readonly kind: "person"; readonly who: Member };

const OPERATOR: ApiCaller = { kind: "operator" };
const callers = new WeakMap<Request, ApiCaller>();

export interface CallerDeps {
  readonly adminToken: string;
  readonly sessions: Pick<PageSessions, "find">;
}

/** Lets through whoever has the admin token or a session of the page; who has a wrong one too often is told to wait. */
export function requireCaller(deps: CallerDeps & { readonly knocks: Pick<Knocks, "wrong"> }) {
  return async (request: Request, response: Response, next: NextFunction): Promise<void> => {
    const caller = await whoCalls(deps, request);
    if (caller !== undefined) {
      callers.set(request, caller);
      return next();
    }
    if (bearerOf(request.headers.authorization) !== undefined) {
      const waitMs = await deps.knocks.wrong("admin", request);
      if (waitMs > 0) return sendProblem(response, tooOften(waitMs));
    }
    response.setHeader("www-authenticate", 'Bearer realm="boardwalk admin"');
    sendProblem(
      response,
      new BoardwalkError(
        "unauthorized",
        "Send the admin token as `Authorization: Bearer`; it is BOARDWALK_ADMIN_TOKEN of the service.",
      ),
    );
  };
}

/** Asked again while a stream stays open: she may have been removed meanwhile. */
export async function whoCalls(
  { adminToken, sessions }: CallerDeps,
  request: Request,
): Promise<ApiCaller | undefined> {
  const given = bearerOf(request.headers.authorization);
  if (given === undefined) return undefined;
  if (sameSecret(given, adminToken)) return OPERATOR;
  const who = await sessions.find(given);
  return who === undefined ? undefined : { kind: "person", who };
}

/** @throws BoardwalkError `unauthorized` where nobody was let through. */
export function callerOf(request: Request): ApiCaller {
  const caller = callers.get(request);
  if (caller === undefined) throw new BoardwalkError("unauthorized", "Sign in first.");
  return caller;
}

/** In whose name the audit log keeps it. */
export function speakerOf(request: Request, client: string, tool: string): Speaker {
  const caller = callerOf(request);
  return { person: caller.kind === "operator" ? "admin" : caller.who.name, client, tool };
}

/** What administers a tenant is the operator's. @throws BoardwalkError `forbidden` */
export function requireOperator(request: Request): void {
  if (callerOf(request).kind === "operator") return;
  throw new BoardwalkError(
    "forbidden",
    "That needs the admin token. Please ask whoever runs Boardwalk for your team.",
  );
}

/** The same, for every route after it. */
export function operatorsOnly(request: Request, _response: Response, next: NextFunction): void {
  requireOperator(request);
  next();
}
