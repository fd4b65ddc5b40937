import type { RequestHandler, Response } from "express";
import { parameter, refuse } from "./http.js";
import type { TokenSeed } from "./seed.js";
import type { Board, World } from "./world.js";

/** Who is asking, and what the token lets them do. */

export interface Access {
  readonly apiKey: string;
  readonly token: string;
  /** Deliveries are signed with it. */
  readonly secret: string;
  /** Changed by tests: what the token may, and until when. */
  grant: TokenSeed;
}

interface Presented {
  readonly key: string | undefined;
  readonly token: string | undefined;
}

export function authenticate(access: Access, now: () => Date): RequestHandler {
  return (request, response, next) => {
    const { key, token } = inHeader(request.headers.authorization) ?? {
      key: parameter(request, "key"),
      token: parameter(request, "token"),
    };
    if (key === undefined && token === undefined)
      return refuse(response, 401, "unauthorized permission requested");
    if (key !== access.apiKey) return refuse(response, 401, "invalid key");
    if (token === undefined) return void response.status(401).json({ message: "missing scopes" });
    const expired = access.grant.expires !== undefined && access.grant.expires <= now();
    if (token !== access.token || expired) return refuse(response, 401, "invalid token");
    next();
  };
}

function inHeader(header: string | undefined): Presented | undefined {
  if (header === undefined || !/^OAuth\s/i.test(header)) return undefined;
  const value = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(header)?.[1];
  return { key: value("oauth_consumer_key"), token: value("oauth_token") };
}

/** Refuses and answers false when the member may not see the board, or not change it. */
export function permitted(
  world: World,
  access: Access,
  board: Board,
  response: Response,
  need: "read" | "write",
  what = "",
): boolean {
  const member = board.memberships.get(world.me.id);
  const writes = access.grant.write !== false && member?.memberType !== "observer";
  if (member !== undefined && (need === "read" || writes)) return true;
  refuse(response, 401, `unauthorized ${what}${what === "" ? "" : " "}permission requested`);
  return false;
}
