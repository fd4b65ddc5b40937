import { describe, expect, it } from "vitest";
import { bearerOf, createToken, hashToken, sameSecret } from "../../../src/http/tokens.js";

describe("a new token", () => {
  it("carries at least 192 random bits behind its prefix and fits in a header", () => {
    const { token } = createToken();
    expect(token).toMatch(/^bw_[A-Za-z0-9_-]+$/);
    expect(Buffer.from(token.slice(3), "base64url").length * 8).toBeGreaterThanOrEqual(192);
    expect(bearerOf(`Bearer ${token}`)).toBe(token);
  });

  it("is found by its hash, which holds nothing of it", () => {
    const { token, hash, id } = createToken();
    expect(hash).toBe(hashToken(token));
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(token).not.toContain(id);
  });

  it("is never made twice", () => {
    const made = Array.from({ length: 1000 }, createToken);
    expect(new Set(made.map(({ token }) => token)).size).toBe(1000);
    expect(new Set(made.map(({ id }) => id)).size).toBe(1000);
  });
});

describe("comparing secrets", () => {
  it("tells equal from unequal, whatever their lengths", () => {
    expect(sameSecret("a-token", "a-token")).toBe(true);
    for (const other of ["", "a-toke", "a-token ", "a-tokeN", "b-token"]) {
      expect(sameSecret(other, "a-token")).toBe(false);
    }
  });
});

describe("an Authorization header", () => {
  it.each([
    ["Bearer abc", "abc"],
    ["bearer abc", "abc"],
    ["BEARER   a.b-c_d~e+f/g==", "a.b-c_d~e+f/g=="],
  ])("%j names its token", (header, token) => {
    expect(bearerOf(header)).toBe(token);
  });

  it.each([
    undefined,
    "",
    "Bearer",
    "Bearer ",
    "Basic abc",
    "abc",
    "Bearer a b",
    "Bearer a,b",
    "XBearer abc",
    "Bearer é",
  ])("%j names none", (header) => {
    expect(bearerOf(header)).toBeUndefined();
  });
});
