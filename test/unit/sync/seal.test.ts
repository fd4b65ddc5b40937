import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { BoardwalkError } from "../../../src/errors.js";
import { createSealer, sealContext } from "../../../src/sync/seal.js";

const first = { id: "k1", key: randomBytes(32) };
const second = { id: "k2", key: randomBytes(32) };
const mine = sealContext("acme", "eng");
const plain = JSON.stringify({ apiToken: "canary-Größe-🔑" });

function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return BoardwalkError.from(error).code;
  }
  return "no error";
}

describe("sealed credentials", () => {
  const sealer = createSealer([first]);

  it("open to what was sealed, the empty string too", () => {
    expect(sealer.open(sealer.seal(plain, mine), mine)).toBe(plain);
    expect(sealer.open(sealer.seal("", mine), mine)).toBe("");
  });

  it("show nothing of it, and never look alike", () => {
    const sealed = sealer.seal(plain, mine);
    expect(sealed).not.toContain("canary");
    expect(Buffer.from(sealed.split(".")[2] ?? "", "base64url").includes("canary")).toBe(false);
    expect(sealer.seal(plain, mine)).not.toBe(sealed);
  });

  it("do not open for another tenant or connection", () => {
    const sealed = sealer.seal(plain, mine);
    for (const other of [sealContext("globex", "eng"), sealContext("acme", "ops"), ""]) {
      expect(codeOf(() => sealer.open(sealed, other))).toBe("auth_expired");
    }
  });

  it("have contexts that cannot be confused by clever names", () => {
    expect(sealContext("a", "b/c")).not.toBe(sealContext("a/b", "c"));
    expect(sealContext('a","b', "c")).not.toBe(sealContext("a", 'b","c'));
  });

  it("do not open when any byte was changed", () => {
    const [form, id, encoded = ""] = sealer.seal("secret", mine).split(".");
    const bytes = Buffer.from(encoded, "base64url");
    for (const at of bytes.keys()) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      const sealed = `${form}.${id}.${changed.toString("base64url")}`;
      expect(
        codeOf(() => sealer.open(sealed, mine)),
        `byte ${at}`,
      ).toBe("auth_expired");
    }
  });

  it.each(["", "bw1", "bw1.k1", "bw1.k1.", "bw1.k1.AAAA", "bw2.k1.AAAA", "a.b.c.d", plain])(
    "are refused in the form %j",
    (sealed) => {
      expect(codeOf(() => sealer.open(sealed, mine))).toBe("auth_expired");
      expect(() => sealer.open(sealed, mine)).not.toThrow(/canary/);
    },
  );

  it("open with an older key, are stale then, and are fresh when sealed anew", () => {
    const old = sealer.seal(plain, mine);
    const rotated = createSealer([second, first]);
    expect(rotated.open(old, mine)).toBe(plain);
    expect(rotated.stale(old)).toBe(true);
    const renewed = rotated.seal(rotated.open(old, mine), mine);
    expect(rotated.stale(renewed)).toBe(false);
    expect(createSealer([second]).open(renewed, mine)).toBe(plain);
  });

  it("name the key that is missing", () => {
    const sealed = sealer.seal(plain, mine);
    expect(() => createSealer([second]).open(sealed, mine)).toThrow(/"k1"/);
  });

  it("do not open under another key with the same id, nor with the key's id exchanged", () => {
    const impostor = createSealer([{ id: "k1", key: second.key }]);
    expect(codeOf(() => impostor.open(sealer.seal(plain, mine), mine))).toBe("auth_expired");
    const both = createSealer([first, { id: "k2", key: first.key }]);
    expect(codeOf(() => both.open(sealer.seal(plain, mine).replace(".k1.", ".k2."), mine))).toBe(
      "auth_expired",
    );
  });
});

describe("a sealer", () => {
  it.each([
    ["no key", []],
    ["a short key", [{ id: "k1", key: randomBytes(16) }]],
    ["two keys of one id", [first, { ...second, id: "k1" }]],
  ])("is not made from %s", (_name, keys) => {
    expect(codeOf(() => createSealer(keys))).toBe("invalid");
  });
});
