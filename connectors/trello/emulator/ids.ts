import { randomBytes } from "node:crypto";

/** Ids as Trello's database makes them: the second of their making, who made them, and a count. */

const MACHINE = randomBytes(5).toString("hex");
let count = 0;

export function newId(at: Date): string {
  count = (count + 1) % 0x1000000;
  const seconds = Math.floor(at.getTime() / 1000);
  return seconds.toString(16).padStart(8, "0") + MACHINE + count.toString(16).padStart(6, "0");
}

export function secondsOf(id: string): number {
  return Number.parseInt(id.slice(0, 8), 16);
}

export function newShortLink(): string {
  return randomBytes(12)
    .toString("base64")
    .replace(/[^0-9A-Za-z]/g, "")
    .padEnd(8, "x")
    .slice(0, 8);
}

export function isId(value: unknown): value is string {
  return typeof value === "string" && /^[0-9a-f]{24}$/.test(value);
}
