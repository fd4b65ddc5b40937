import express, { type Request, type Router } from "express";
import { z } from "zod";
import { callerOf } from "./admin-caller.js";
import type { AdminDeps } from "./admin-deps.js";
import { parseBody } from "./problems.js";
import { bearerOf } from "./tokens.js";

/** Signing in at the page by a pairing code. The token is sent as a header, never as a cookie, so no other site can use it. */

export const signInBody = z.strictObject({ code: z.string().trim().min(1).max(40) });

/** Before anybody is known: this is how a person becomes known. */
export function addSignInRoute(router: Router, { sessions }: Pick<AdminDeps, "sessions">): void {
  router.use("/session", express.json({ limit: "4kb" }));
  router.post("/session", async (request, response) => {
    const { code } = parseBody(signInBody, request.body);
    response.setHeader("cache-control", "no-store");
    response.status(201).json(await sessions.open(request, code));
  });
}

export function addSessionRoutes(
  router: Router,
  { sessions, demo }: Pick<AdminDeps, "sessions" | "demo">,
): void {
  router.get("/session", (request, response) => {
    response.json(sessionShape(request, demo === true));
  });
  router.delete("/session", async (request, response) => {
    const token = bearerOf(request.headers.authorization);
    if (token !== undefined) await sessions.close(token);
    response.status(204).end();
  });
}

function sessionShape(request: Request, demo: boolean) {
  const caller = callerOf(request);
  if (caller.kind === "operator") return { role: "operator", ...(demo ? { demo } : {}) };
  return { role: "member", tenant: caller.who.tenant, person: caller.who.name };
}
