import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { addMissing } from "../../../src/cli/secrets.js";
import { parseConfig, requireEncryptionKeys } from "../../../src/config.js";

const BOTH = ["BOARDWALK_ADMIN_TOKEN", "BOARDWALK_ENCRYPTION_KEYS"];
let dir: string;
let file: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "boardwalk-secrets-"));
  file = join(dir, ".env");
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe("secrets in a file", () => {
  it("are made so that a service starts with them, and only their owner reads them", () => {
    expect(addMissing(file)).toEqual(BOTH);
    expect(statSync(file).mode & 0o077).toBe(0);
    const config = parseConfig(parseEnv(readFileSync(file, "utf8")));
    expect(requireEncryptionKeys(config)).toHaveLength(1);
    expect(config.adminToken).toMatch(/^.{40,}$/);
  });

  it("stay as they are where they are set, and nothing else is touched", () => {
    writeFileSync(file, "PORT=8420");
    addMissing(file);
    const before = readFileSync(file, "utf8");
    expect(before).toMatch(/^PORT=8420\nBOARDWALK_ADMIN_TOKEN=/);
    expect(addMissing(file)).toEqual([]);
    expect(readFileSync(file, "utf8")).toBe(before);
    writeFileSync(file, "BOARDWALK_ADMIN_TOKEN_FILE=/run/secrets/admin\nBOARDWALK_ENCRYPTION_KEYS=\n");
    expect(addMissing(file)).toEqual(["BOARDWALK_ENCRYPTION_KEYS"]);
  });

  it.each(["changeme", "<your token here>", "short"])("are refused where one is no secret: %s", (value) => {
    writeFileSync(file, `BOARDWALK_ADMIN_TOKEN=${value}\n`);
    expect(() => addMissing(file)).toThrow(/BOARDWALK_ADMIN_TOKEN.*Delete the line/s);
    expect(readFileSync(file, "utf8")).toBe(`BOARDWALK_ADMIN_TOKEN=${value}\n`);
  });

  it("are never the same twice", () => {
    addMissing(file);
    const other = join(dir, "other.env");
    addMissing(other);
    expect(readFileSync(file, "utf8")).not.toBe(readFileSync(other, "utf8"));
  });
});
