import { randomUUID } from "node:crypto";
import { linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";

/** A lock between processes of one machine, for work that takes seconds. Its holder's death frees it. */
export interface FileLock {
  /** Takes it if nobody alive holds it; does not wait. */
  take(): boolean;
  release(): void;
}

/** A holder of this age is taken for dead even when a process of its id lives: ids are used again. */
const LONGEST_HOLD_MS = 60_000;

const heldHere = new Set<string>();

export function createFileLock(path: string): FileLock {
  let held: string | undefined;
  return {
    take() {
      const content = `${process.pid} ${randomUUID()}`;
      if (!create(path, content) && !(removeStale(path) && create(path, content))) return false;
      held = content;
      heldHere.add(content);
      return true;
    },
    release() {
      if (held === undefined) return;
      heldHere.delete(held);
      if (read(path) === held) rmSync(path, { force: true });
      held = undefined;
    },
  };
}

/** Does a process of this id run? Not "mine to signal" also means that it does; a zombie does not. */
export function isAlive(pid: number): boolean {
  if (pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false;
  }
  return !/\) Z [^)]*$/.test(read(`/proc/${pid}/stat`) ?? "");
}

function create(path: string, content: string): boolean {
  try {
    writeFileSync(path, content, { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

function removeStale(path: string): boolean {
  const seen = read(path);
  if (seen === undefined) return true;
  if (!isStale(path, seen)) return false;
  const aside = `${path}.${randomUUID()}`;
  try {
    renameSync(path, aside);
    // Somebody may have replaced the stale one between our look and our grasp: then it is given back.
    if (read(aside) !== seen) linkSync(aside, path);
    return read(aside) === seen;
  } catch {
    return false;
  } finally {
    rmSync(aside, { force: true });
  }
}

function isStale(path: string, content: string): boolean {
  const pid = Number(content.split(" ")[0]);
  // Being written at this moment: young, and without its content yet.
  const empty = content === "";
  const dead = pid === process.pid ? !heldHere.has(content) : !isAlive(pid);
  if (dead && !empty) return true;
  try {
    return Date.now() - statSync(path).mtimeMs > LONGEST_HOLD_MS;
  } catch {
    return true;
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
