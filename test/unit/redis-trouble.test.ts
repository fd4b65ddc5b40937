import { describe, expect, it } from "vitest";
import { BoardwalkError } from "../../src/errors.js";
import { redisErrorCode, redisTrouble, redisUnusable } from "../../src/redis/trouble.js";

const coded = (code: string) => Object.assign(new Error("words"), { code });

describe("trouble with Redis", () => {
  it.each<[Error, RegExp]>([
    [coded("ECONNREFUSED"), /Nothing listens/],
    [coded("ENOTFOUND"), /not known to this machine/],
    [coded("SELF_SIGNED_CERT_IN_CHAIN"), /authority/],
    [coded("UNABLE_TO_VERIFY_LEAF_SIGNATURE"), /authority/],
    [coded("ERR_TLS_CERT_ALTNAME_INVALID"), /not for the host/],
    [coded("CERT_HAS_EXPIRED"), /expired/],
    [coded("ERR_SSL_WRONG_VERSION_NUMBER"), /do not agree on TLS/],
    [coded("ECONNRESET"), /broke off/],
    [new Error("WRONGPASS invalid username-password pair or user is disabled."), /user or password/],
    [new Error("NOAUTH Authentication required."), /wants a user/],
    [new Error("ReplyError: NOPERM No permissions to access a channel"), /may not do/],
    [
      new Error("All sentinels are unreachable. Retrying. Last error: connect ECONNREFUSED 127.0.0.1:26379"),
      /Nothing listens/,
    ],
    [new Error("Connection is closed."), /does not answer/],
  ])("is told from %s", (error, says) => {
    expect(redisTrouble(error).message).toMatch(says);
    expect(redisTrouble(error).fix).not.toBe("");
  });

  it("is found behind an error of our own, and quotes nothing", () => {
    const cause = new Error("ReplyError: NOPERM user carol may not");
    const error = new BoardwalkError("internal", "Our store refused a request.", { cause });
    expect(redisErrorCode(error)).toBe("NOPERM");
    expect(redisUnusable(error)).toMatchObject({ code: "unavailable", message: /rights/ });
    expect(redisUnusable(error).message).not.toContain("carol");
  });
});
