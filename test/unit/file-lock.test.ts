import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createFileLock, isAlive } from "../../src/file-lock.js";

const dir = mkdtempSync(join(tmpdir(), "boardwalk-lock-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
let count = 0;
const fresh = () => join(dir, `lock-${++count}`);

function deadPid(): number {
  const { pid } = spawnSync(process.execPath, ["--version"]);
  expect(isAlive(pid)).toBe(false);
  return pid;
}

describe("a file lock", () => {
  it("is held by one at a time", () => {
    const path = fresh();
    const [one, other] = [createFileLock(path), createFileLock(path)];
    expect([one.take(), other.take(), one.take()]).toEqual([true, false, false]);
    one.release();
    expect(existsSync(path)).toBe(false);
    expect(other.take()).toBe(true);
    one.release();
    expect(existsSync(path)).toBe(true);
    other.release();
  });

  it("is freed by its holder's death", () => {
    const path = fresh();
    writeFileSync(path, `${deadPid()} x`);
    expect(createFileLock(path).take()).toBe(true);
  });

  it("is not freed while its holder lives", () => {
    const path = fresh();
    writeFileSync(path, `${process.ppid} x`);
    expect(createFileLock(path).take()).toBe(false);
  });

  it("is freed when a process of our id held it that was not us, as after a container's restart", () => {
    const path = fresh();
    writeFileSync(path, `${process.pid} x`);
    expect(createFileLock(path).take()).toBe(true);
  });

  it("is freed when it is older than any work under it takes", () => {
    const path = fresh();
    writeFileSync(path, `${process.ppid} x`);
    const longAgo = new Date(Date.now() - 3_600_000);
    utimesSync(path, longAgo, longAgo);
    expect(createFileLock(path).take()).toBe(true);
  });

  it("is not taken from one who is just writing it", () => {
    const path = fresh();
    writeFileSync(path, "");
    expect(createFileLock(path).take()).toBe(false);
  });
});
