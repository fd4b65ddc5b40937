import { BoardwalkError } from "../errors.js";

/** @throws BoardwalkError `invalid` naming the option, unless it is left out or a number above zero. */
export function requirePositive(limits: Readonly<Record<string, number | undefined>>): void {
  for (const [name, value] of Object.entries(limits)) {
    if (value === undefined || (typeof value === "number" && value > 0)) continue;
    throw new BoardwalkError(
      "invalid",
      `The option "${name}" must be a number above zero, not ${String(value)}.`,
    );
  }
}
