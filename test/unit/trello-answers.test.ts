import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { errorFrom, transportError } from "../../connectors/trello/answers.js";
import type { ErrorCode } from "../../src/errors.js";

const answer = (
  status: number,
  body: string,
  contentType = "text/plain",
  headers: Record<string, string> = {},
) => ({
  status,
  body,
  header: (name: string) => (name === "content-type" ? contentType : headers[name]),
});

describe("what Trello's refusals mean", () => {
  it.each<[number, string, string, ErrorCode]>([
    [400, "invalid value for idList", "PUT", "stale_workflow"],
    [400, "invalid id", "GET", "not_found_or_hidden"],
    [400, "invalid value for pos", "PUT", "invalid"],
    [401, "invalid key", "GET", "auth_expired"],
    [401, "invalid token", "PUT", "auth_expired"],
    [401, '{"message":"missing scopes"}', "GET", "auth_expired"],
    [401, "unauthorized card permission requested", "PUT", "forbidden"],
    [401, "unauthorized permission requested", "POST", "forbidden"],
    [401, "unauthorized card permission requested\n", "GET", "not_found_or_hidden"],
    [404, "The requested resource was not found.", "GET", "not_found_or_hidden"],
    [429, '{"error":"API_KEY_LIMIT_EXCEEDED","message":"Rate limit exceeded"}', "GET", "rate_limited"],
    [429, "Rate limit exceeded", "GET", "rate_limited"],
    [502, "<html>Bad gateway</html>", "PUT", "unavailable"],
  ])("%i %j to a %s is %4$s", (status, body, method, code) => {
    const error = errorFrom(answer(status, body), method, `${method} /cards/{id}`);
    expect(error).toMatchObject({ code });
    expect(error.message).toMatch(/^[A-Z].*\.$/);
  });

  it("waits ten seconds where no wait is named, and as long as one that is", () => {
    expect(errorFrom(answer(429, "x"), "GET", "x").retryAfterMs).toBe(10_000);
    const told = answer(429, "x", "text/plain", { "retry-after": "3" });
    expect(errorFrom(told, "GET", "x").retryAfterMs).toBe(3_000);
  });

  it("says what Trello said, in plain text or in JSON, and nothing of a proxy's page", () => {
    const said = (body: string, type?: string) => errorFrom(answer(400, body, type), "PUT", "x").message;
    expect(said("invalid value for pos")).toContain("invalid value for pos.");
    expect(said('{"message":"too long","error":"X"}', "application/json")).toContain("too long.");
    expect(said("<p>Sign in</p>", "text/html")).not.toContain("Sign in");
  });

  it("repeats no address, whose path or query may be a secret", () => {
    const words = "URL (https://us.example/webhooks/trello/SECRET?x=SECRET) did not return 200 status code";
    for (const body of [words, JSON.stringify({ message: words })]) {
      const error = errorFrom(answer(400, body), "POST", "POST /webhooks/");
      expect(inspect(error, { depth: 5 })).not.toContain("SECRET");
      expect(error.message).toContain("did not return 200");
    }
  });

  it("keeps of a failure on the way what kind it was, and none of its words", () => {
    const cause = Object.assign(new Error("connect to /1/tokens/SECRET"), { code: "ECONNRESET" });
    const thrown = new TypeError("Failed to fetch https://x/1/tokens/SECRET", { cause });
    const error = transportError(thrown, "GET /tokens/{token}", new AbortController().signal);
    expect(error).toMatchObject({ code: "unavailable" });
    expect(inspect(error, { depth: 5 })).not.toContain("SECRET");
    expect(String(error.cause)).toContain("GET /tokens/{token}: TypeError ECONNRESET");
  });
});
