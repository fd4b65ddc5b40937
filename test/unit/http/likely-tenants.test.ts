import { describe, expect, it } from "vitest";
import { createLikelyTenants } from "../../../src/http/likely-tenants.js";

describe("whose a token was", () => {
  it("is known from when it was last seen, until it is nobody's", () => {
    const likely = createLikelyTenants();
    expect(likely.of("a")).toBeUndefined();
    likely.saw("a", "acme");
    likely.saw("b", "other");
    expect([likely.of("a"), likely.of("b")]).toEqual(["acme", "other"]);
    likely.saw("a", "moved");
    expect(likely.of("a")).toBe("moved");
    likely.saw("a", undefined);
    expect([likely.of("a"), likely.of("b")]).toEqual([undefined, "other"]);
  });

  it("is kept for so many tokens and no more", () => {
    const likely = createLikelyTenants(2);
    for (const token of ["a", "b", "c"]) likely.saw(token, "acme");
    expect(["a", "b", "c"].map((token) => likely.of(token))).toEqual([undefined, "acme", "acme"]);
  });
});
